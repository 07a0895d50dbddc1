// Policies that did not come from the file, in its form and under its rules. Null removes a member (RFC 7396).
import type { Policies } from '../domain/policy-table.ts'
import { ConfigError, type Problem } from './config-error.ts'
import { readMembers } from './members.ts'
import { parsePolicies } from './parse-policies.ts'
import { openReport } from './report.ts'

export type ReadPolicies =
  /** Each warning begins with its place, too. */
  { readonly policies: Policies; readonly warnings: readonly string[] } | { readonly problems: readonly Problem[] }

/** Places of problems begin with `policies`. */
export function readPolicies(members: Readonly<Record<string, unknown>>): ReadPolicies {
  const report = openReport()
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
  const policies = parsePolicies(readMembers({ policies: given }, '', ['policies'], report), report)
  try {
    report.conclude()
    return { policies, warnings: report.warnings }
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems }
    throw error
  }
}

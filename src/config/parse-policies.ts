// A relayer's policies. One that is not enforced here is refused where it is a safety limit, never passed over.
import {
  type Policies,
  type Policy,
  type PolicyValue,
  policiesBy,
  policyTable,
  unenforcedPolicies,
} from '../domain/policy-table.ts'
import { type Members, readMembers } from './members.ts'
import { parseReceivers, parseSelectors } from './parse-whitelists.ts'
import { ConfigError, openReport, type Problem, type Report } from './report.ts'

export const policyMembers: readonly string[] = [...Object.values(policyTable), ...unenforcedPolicies].map(
  ({ name }) => name,
)

export function parsePolicies(relayer: Members, report: Report): Policies {
  const given = relayer.raw('policies')
  const members = readMembers(given === undefined ? {} : given, relayer.place('policies'), policyMembers, report)
  refuseNull(members, report)
  refuseUnenforced(members, report)
  return policiesBy((policy) => (members.has(policy.name) ? parsePolicy(policy, members, report) : undefined))
}

function parsePolicy(policy: Policy, members: Members, report: Report): PolicyValue | undefined {
  const { name } = policy
  switch (policy.kind) {
    case 'wei': {
      const wei = members.wei(name)
      const { zeroMeans } = policy
      if (wei === 0n && zeroMeans !== undefined) {
        report.problem(members.place(name), `is 0, so that ${zeroMeans}; raise it, or remove it`)
      }
      return wei
    }
    case 'count':
      return members.count(name, policy)
    case 'duration':
      return members.duration(name, policy)
    case 'flag':
      return members.flag(name, policy.default ?? policy.implied ?? false)
    case 'addresses':
      return parseReceivers(name, policy.emptyMeans, members, report)
    case 'calls':
      return parseSelectors(name, policy.emptyMeans, members, report)
  }
}

/** A template whose variable is lost writes null. As an absent limit it would be the widest. */
function refuseNull(members: Members, report: Report): void {
  for (const name of policyMembers.filter((each) => members.raw(each) === null)) {
    report.problem(members.place(name), 'is null; write a value, or remove the member, so that its default counts')
  }
}

function refuseUnenforced(members: Members, report: Report): void {
  if (members.flag('private_transactions', false)) {
    report.problem(
      members.place('private_transactions'),
      'is true, and this version sends to the public pool of its nodes only; set it to false if that is acceptable',
    )
  }
  if (members.flag('include_revert_data', false)) {
    report.warn(members.place('include_revert_data'), 'has no effect: status_reason names the error of every revert')
  }
}

// Policies that did not come from the file, in its form and under its rules. Null removes a member (RFC 7396).
type ReadPolicies =
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

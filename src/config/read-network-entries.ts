// Which networks there are to parse: a list in the file, or the files of a directory, without those of other chain families.
import { access, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { memberOf } from '../ops/member.ts'
import { kindOf, type Members, readMembers } from './members.ts'
import { fileErrorCode, readJson } from './read-json.ts'
import type { Report } from './report.ts'

export interface NetworkEntry {
  readonly value: unknown
  readonly place: string
}

export interface NetworkEntries {
  readonly entries: readonly NetworkEntry[]
  /** Networks of families that are not served: the family, by the network's name. */
  readonly unserved: ReadonlyMap<string, string>
}

/** Configurations of services for several families name their networks beside those of EVM: they are in nobody's way. */
export const otherFamilies: readonly unknown[] = ['solana', 'stellar']

/**
 * Reads the list or the directory that is named, else the directory `networks` beside the file at `path`. Undefined after a
 * problem.
 */
export async function readNetworkEntries(
  file: Members,
  path: string,
  cwd: string,
  report: Report,
): Promise<NetworkEntries | undefined> {
  const all = await allEntries(file, path, cwd, report)
  if (all === undefined) return undefined
  const others = all.filter(({ value }) => otherFamilies.includes(memberOf(value, 'type')))
  const unserved = others.map(({ value }) => [nameOf(value, 'network'), String(memberOf(value, 'type'))] as const)
  for (const family of new Set(unserved.map(([, each]) => each))) {
    const names = unserved.filter(([, each]) => each === family).map(([name]) => name)
    report.warn('networks', `those of type ${family} are skipped, as only evm is served: ${names.join(', ')}`)
  }
  return { entries: all.filter((entry) => !others.includes(entry)), unserved: new Map(unserved) }
}

async function allEntries(
  file: Members,
  path: string,
  cwd: string,
  report: Report,
): Promise<readonly NetworkEntry[] | undefined> {
  const value = file.raw('networks')
  if (Array.isArray(value)) return file.items('networks')
  if (typeof value === 'string') return directoryEntries(resolve(cwd, value), value, report)
  if (file.has('networks')) {
    report.problem('networks', `is ${kindOf(value)}; write a list of networks, or the path of a directory of them`)
    return undefined
  }
  const beside = join(dirname(path), 'networks')
  const exists = await access(beside).then(
    () => true,
    () => false,
  )
  return exists ? directoryEntries(beside, beside, report) : []
}

async function directoryEntries(
  directory: string,
  shownAs: string,
  report: Report,
): Promise<readonly NetworkEntry[] | undefined> {
  let names: string[]
  try {
    names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort()
  } catch (error) {
    report.problem('networks', `the directory "${shownAs}" can't be read (${fileErrorCode(error)}); correct the path`)
    return undefined
  }
  const entries: NetworkEntry[] = []
  for (const name of names) {
    const content = await readJson(join(directory, name), name, report)
    if (content === undefined) return undefined
    const members = readMembers(content, name, ['$schema', 'networks'], report)
    entries.push(...members.items('networks'))
  }
  return entries
}

export function nameOf(value: unknown, member: string): string {
  const name = memberOf(value, member)
  return typeof name === 'string' ? name : ''
}

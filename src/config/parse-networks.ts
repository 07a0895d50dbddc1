// The networks of the file, or of a directory of files: inheritance, the chain list, and at last plain values.

import type { NonEmpty } from '../domain/ids.ts'
import { basisOf, profileOf } from '../domain/network-profiles.ts'
import { type SecondWitness, secondWitnessModes } from '../domain/second-witness.ts'
import type { NetworkSettings } from '../domain/settings.ts'

import { knownChain } from './known-chain.ts'
import { limits } from './limits.ts'
import { kindOf, type Members, readMembers } from './members.ts'
import { parseProfile } from './parse-profile.ts'
import { parseRpcUrls, type UrlSource } from './parse-rpc-urls.ts'
import type { NetworkEntries } from './read-network-entries.ts'
import { type PartialReport, type Report, reportApart } from './report.ts'
import type { EntityProblems } from './unused-faults.ts'

export const networkMembers = [
  ...['network', 'from', 'type', 'chain_id', 'rpc_urls', 'required_confirmations', 'average_blocktime_ms', 'symbol'],
  ...[
    'is_testnet',
    'features',
    'tags',
    'explorer_urls',
    'gas_price_cache',
    'status_check',
    'profile',
    'second_witness',
  ],
]

interface Entry {
  readonly name: string
  readonly members: Members
  readonly report: PartialReport
}

/** `customUrls`: the relayers whose `custom_rpc_urls` stand in for a network's own, by the network's name. */
export async function parseNetworks(
  { entries, unserved }: NetworkEntries,
  customUrls: ReadonlyMap<string, Members>,
  source: UrlSource,
  whole: Report,
): Promise<{ readonly networks: readonly NetworkSettings[]; readonly found: readonly EntityProblems[] }> {
  const byName = new Map<string, Members>()
  const all: Entry[] = []
  for (const { value, place } of entries) {
    const report = reportApart(whole)
    const members = readMembers(value, place, networkMembers, report)
    const name = members.requiredText('network')
    const type = members.raw('type') ?? 'evm'
    all.push({ name, members, report })
    if (type !== 'evm') {
      const family = typeof type === 'string' ? type : kindOf(type)
      report.problem(place, `network "${name}" is of type ${family}; only evm is served, so remove this network`)
    } else if (name !== '' && byName.has(name)) {
      report.problem(members.place('network'), `"${name}" is defined twice; remove or rename one of the two`)
    } else if (name !== '') byName.set(name, members)
  }

  const networks: NetworkSettings[] = []
  const lines = new Map<string, readonly Members[]>()
  for (const { name, members, report } of all.filter((each) => byName.get(each.name) === each.members)) {
    const relayer = customUrls.get(name)
    const line = lineage(members, byName, unserved, report)
    lines.set(name, line)
    networks.push({
      ...(await parseNetwork(name, line, report)),
      rpcUrls: relayer
        ? parseRpcUrls(relayer, 'custom_rpc_urls', source, whole)
        : parseRpcUrls(line.find((ancestor) => ancestor.has('rpc_urls')) ?? members, 'rpc_urls', source, report),
    })
  }
  const found = all.map(({ name, members }) => ({
    kind: 'network' as const,
    name,
    problems: problemsOf(name, members),
  }))
  const faulty = new Set(found.filter(({ problems }) => problems.length > 0).map(({ name }) => name))
  const deprecated = networks.filter(({ tags }) => tags.includes('deprecated')).map(({ name }) => name)
  if (deprecated.length > 0) {
    whole.warn('networks', `marked as deprecated: ${deprecated.join(', ')}; move their relayers before they end`)
  }
  return { networks: networks.filter(({ name }) => !faulty.has(name)), found }

  /** A fault of a network is one of those that inherit from it. */
  function problemsOf(name: string, members: Members) {
    const line = byName.get(name) === members ? (lines.get(name) ?? [members]) : [members]
    return all.filter((each) => line.includes(each.members)).flatMap(({ report }) => report.problems)
  }
}

/** The entry, what it inherits from, and so on: the first that has a member decides it. */
function lineage(
  members: Members,
  byName: ReadonlyMap<string, Members>,
  unserved: NetworkEntries['unserved'],
  report: Report,
): NonEmpty<Members> {
  const line: [Members, ...Members[]] = [members]
  for (let last = members; ; ) {
    const from = last.text('from')
    if (from === undefined) return line
    const parent = byName.get(from)
    if (parent === undefined || line.includes(parent)) {
      const family = unserved.get(from)
      const missing = family === undefined ? 'which is not defined' : `which is of type ${family}`
      const fault = parent === undefined ? missing : 'which inherits from it in turn'
      report.problem(last.place('from'), `"${from}", ${fault}; name an evm network that stands on its own`)
      return line
    }
    line.push(parent)
    last = parent
  }
}

async function parseNetwork(
  name: string,
  line: NonEmpty<Members>,
  report: Report,
): Promise<Omit<NetworkSettings, 'rpcUrls'>> {
  const [own] = line
  const ownerOf = (member: string) => line.find((members) => members.has(member)) ?? own
  const count = (member: string, max: number) => ownerOf(member).count(member, { min: 1, max })
  const union = (member: string) => [...new Set(line.toReversed().flatMap((members) => members.texts(member) ?? []))]

  const givenId = count('chain_id', Number.MAX_SAFE_INTEGER)
  const known = await knownChain(name)
  const listed = ownerOf('chain_id').has('chain_id') ? undefined : known
  if (!ownerOf('chain_id').has('chain_id') && !listed) {
    report.problem(own.place('chain_id'), `is missing, and "${name}" is in no list of chains; write the chain's id`)
  }
  if (ownerOf('gas_price_cache').has('gas_price_cache')) {
    report.warn('gas_price_cache', 'has no effect on any network: prices are read once a block, for all relayers')
  }
  warnOfStatusCheck(ownerOf('status_check'), report)
  const givenBlockTimeMs = count('average_blocktime_ms', limits.averageBlockTimeMsMax)
  const hasAny = (member: string) => line.some((members) => members.has(member))
  const listedFeatures = listed?.eip1559 ? ['eip1559'] : []
  const features = hasAny('features') ? union('features') : listedFeatures
  const chainId = givenId ?? listed?.chainId ?? 0
  const tags = hasAny('tags') ? union('tags') : (listed?.tags ?? [])
  const given = parseProfile(ownerOf('profile'), report)
  const lacksTip = known?.chainId !== chainId && profileOf({ chainId, tags }, given).tipFloor === undefined
  const profileInFile = lacksTip ? { ...given, tipFloor: unlistedTip } : given
  const { explorer } = known?.chainId === chainId ? known : {}
  return {
    name,
    chainId,
    requiredConfirmations:
      count('required_confirmations', limits.requiredConfirmationsMax) ?? limits.requiredConfirmationsDefault,
    averageBlockTimeMs: givenBlockTimeMs ?? listed?.averageBlockTimeMs ?? limits.averageBlockTimeMsDefault,
    isBlockTimeGiven: givenBlockTimeMs !== undefined,
    symbol: ownerOf('symbol').text('symbol') ?? listed?.symbol ?? 'ETH',
    isTestnet: ownerOf('is_testnet').flag('is_testnet', listed?.isTestnet ?? false),
    profile: profileOf({ chainId, tags }, profileInFile),
    profileBasis: basisOf({ chainId, tags }),
    profileInFile,
    // Where nothing is said of a chain on viem's list, the head's base fee decides; without one, transactions are legacy.
    eip1559: features.includes('eip1559'),
    features,
    tags,
    explorerUrls: ownerOf('explorer_urls').texts('explorer_urls') ?? (explorer === undefined ? [] : [explorer]),
    ...(explorer !== undefined && { listedExplorer: explorer }),
    secondWitness: secondWitnessIn(ownerOf('second_witness'), report),
  }
}

const statusCheckMembers = ['initial_delay_seconds', 'retry_delay_seconds'] as const

function warnOfStatusCheck(owner: Members, report: Report): void {
  if (!owner.has('status_check')) return
  const place = owner.place('status_check')
  const delays = readMembers(owner.raw('status_check'), place, statusCheckMembers, report)
  for (const name of statusCheckMembers) delays.count(name, { min: 0, max: limits.statusCheckSecondsMax })
  report.warn('status_check', 'has no effect on any network: each new block is read, and what it changes is at once')
}

function secondWitnessIn(owner: Members, report: Report): SecondWitness {
  const given = owner.raw('second_witness')
  if (given === undefined || given === null) return 'prefer'
  const mode = secondWitnessModes.find((each) => each === given)
  if (mode === undefined) report.problem(owner.place('second_witness'), 'is none of "prefer", "require" and "off"')
  return mode ?? 'prefer'
}

/** To which a tip is raised on a chain that is on no list: as on Ethereum. A chain on a list has prices of its own. */
const unlistedTip = 3_000_000_000n

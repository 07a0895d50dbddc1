// Finds the transactions that spent an account's nonces in a range of final blocks. Reading the account's nonce at
// blocks in between narrows the range for all nonces at once. The bodies of the remaining blocks hold the transactions.
import { isAddressEqual } from 'viem/utils'
import type { Address } from '../../domain/ids.ts'
import { clipped, holdsNonce, intervalsBetween, type NonceInterval, sizeOf } from '../../domain/nonce-interval.ts'
import type { Spender } from '../../domain/observation.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import { isAnswered } from '../nodes/call.ts'
import { toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { nonceCall } from '../nodes/read-nonce.ts'
import { type FindSpender, readSpenders } from './find-spender.ts'
import { partsOf, probesMax } from './locate-spending.ts'

/** The findings of a search. The next search continues from them. */
export interface Findings {
  readonly spenders: Map<Nonce, Spender>
  /** The account's nonce after a block. */
  readonly nonces: Map<BlockNumber, Nonce>
  /** Blocks whose bodies were read. */
  readonly read: Set<BlockNumber>
  /** Those of them with an entry that may be a spender, and proves nothing. */
  readonly open: Set<BlockNumber>
}

export function noFindings(): Findings {
  return { spenders: new Map(), nonces: new Map(), read: new Set(), open: new Set() }
}

/** The blocks higher than `above`, up to `final`, where `finalBelow` is the account's nonce. */
interface Searched {
  readonly above: BlockNumber
  readonly final: BlockNumber
  readonly finalBelow: Nonce
  /** The endpoint returns its latest count for every block: only bodies show when a nonce was spent. */
  readonly ignoresBlock?: boolean
}

/**
 * - `through`: every nonce that was spent in these blocks is found.
 * - `more`: the search reached its limit. The next one continues.
 * - `failed`: the endpoint did not answer.
 * - `unread`: entries of blocks prove nothing, and the rest is searched. The next search reads these blocks again.
 * - `contradiction`: the answers belong to different branches. The findings count for nothing.
 */
export type SearchEnd = 'through' | 'more' | 'failed' | 'unread' | 'contradiction'

/** Bodies read in one search: the owner checks its ownership between searches. */
const bodiesMax = 32
/** How many blocks' nonces are read at once, in all ranges together. */
const probesPerRoundMax = 64

/** Blocks higher than `above`, up to `atMost`, which hold all of `nonces`. */
interface Range {
  readonly above: BlockNumber
  readonly atMost: BlockNumber
  readonly nonces: readonly NonceInterval[]
}

/** `unexplained` ascends, and ends below `finalBelow`. */
export async function searchBlocks(
  endpoint: Endpoint,
  address: Address,
  unexplained: readonly NonceInterval[],
  { above, final, finalBelow, ignoresBlock = false }: Searched,
  findings: Findings,
  findSpender: FindSpender,
): Promise<SearchEnd> {
  if (final <= above) return 'through'
  findings.nonces.set(final, finalBelow)
  if (above < 0) findings.nonces.set(above, 0)
  else if (!ignoresBlock && !findings.nonces.has(above) && !(await readNonces(endpoint, address, [above], findings)))
    return 'failed'
  const wanted = clipped(unexplained, findings.nonces.get(above) ?? 0, finalBelow).flatMap((each) =>
    withoutFound(each, findings),
  )
  const ranges = ignoresBlock
    ? [{ above, atMost: final, nonces: wanted }]
    : await narrow(endpoint, address, wanted, { above, final }, findings)
  if (typeof ranges === 'string') return ranges
  let bodies = 0
  for (const range of ranges.reverse()) {
    const isFound = () => foundAmong(range.nonces, findings) === sizeOf(range.nonces)
    for (let number = range.atMost; number > range.above && !isFound(); number -= 1) {
      if (findings.read.has(number)) continue
      if (bodies === bodiesMax) return 'more'
      bodies += 1
      if (!(await findSpenders(endpoint, address, number, wanted, findings, findSpender))) return 'failed'
    }
    // Where the node keeps no state of `above`, a nonce that was not found was spent there or before.
    const isLeft = !isFound() && findings.open.size === 0
    if (isLeft && !ignoresBlock && findings.nonces.has(range.above)) return 'contradiction'
  }
  if (findings.open.size === 0 || foundAmong(wanted, findings) === sizeOf(wanted)) return 'through'
  for (const number of findings.open) findings.read.delete(number)
  findings.open.clear()
  return 'unread'
}

/**
 * Narrows the range to single blocks where the node keeps the state around them, and otherwise as far as its state
 * goes.
 */
async function narrow(
  endpoint: Endpoint,
  address: Address,
  wanted: readonly NonceInterval[],
  { above, final }: Pick<Searched, 'above' | 'final'>,
  findings: Findings,
): Promise<Range[] | 'failed' | 'contradiction'> {
  // Nodes drop the state of old blocks first.
  let stateless = above
  for (;;) {
    const ranges = rangesOf(wanted, findings.nonces, { above, final })
    if (!ranges) return 'contradiction'
    const probes = ranges.flatMap((range) => {
      const lowest = Math.max(range.above, stateless)
      return partsOf(lowest, range.atMost, Math.min(probesMax, Math.ceil(probesPerRoundMax / ranges.length)))
    })
    if (probes.length === 0) return ranges
    const lacking = await readNonces(endpoint, address, probes.slice(-probesPerRoundMax), findings)
    if (!lacking) return 'failed'
    stateless = Math.max(stateless, ...lacking)
  }
}

/**
 * One range for each block, or run of blocks, that may hold some of the nonces. Undefined where the account's nonce
 * fell.
 */
function rangesOf(
  wanted: readonly NonceInterval[],
  nonces: ReadonlyMap<BlockNumber, Nonce>,
  { above, final }: Pick<Searched, 'above' | 'final'>,
): Range[] | undefined {
  const known = [...nonces].filter(([block]) => block >= above && block <= final).sort(([one], [other]) => one - other)
  if (known.some(([, nonce], index) => nonce < (known[index - 1]?.[1] ?? 0))) return undefined
  return known.flatMap(([atMost, below], index): Range[] => {
    const [lower, from] = known[index - 1] ?? [above, 0]
    const spent = clipped(wanted, from, below)
    return spent.length === 0 ? [] : [{ above: lower, atMost, nonces: spent }]
  })
}

function withoutFound({ first, last }: NonceInterval, { spenders }: Findings): readonly NonceInterval[] {
  return intervalsBetween(first, last + 1, new Set(spenders.keys()))
}

function foundAmong(intervals: readonly NonceInterval[], { spenders }: Findings): number {
  let found = 0
  for (const nonce of spenders.keys()) if (holdsNonce(intervals, nonce)) found += 1
  return found
}

/** Returns the blocks whose state the endpoint does not keep. Undefined where it did not answer. */
async function readNonces(
  endpoint: Endpoint,
  address: Address,
  blocks: readonly BlockNumber[],
  { nonces }: Findings,
): Promise<readonly BlockNumber[] | undefined> {
  const answers = await Promise.all(blocks.map((block) => endpoint.call(nonceCall(address, block))))
  const lacking: BlockNumber[] = []
  blocks.forEach((block, index) => {
    const answer = answers[index]
    const nonce = answer?.kind === 'value' ? toNumber(answer.value) : undefined
    if (nonce !== undefined) nonces.set(block, nonce)
    else if (isAnswered(answer)) lacking.push(block)
  })
  return answers.every(isAnswered) ? lacking : undefined
}

/** Finds the transactions in a block that spent any of the nonces. False where the block was not read. */
async function findSpenders(
  endpoint: Endpoint,
  address: Address,
  number: BlockNumber,
  nonces: readonly NonceInterval[],
  findings: Findings,
  findSpender: FindSpender,
): Promise<boolean> {
  // They ascend.
  const seeks = { account: address, from: nonces[0]?.first ?? 0, through: nonces.at(-1)?.last ?? 0 }
  const body = await readSpenders(endpoint, number, seeks)
  if (!body) return false
  const { head, transactions } = body
  const block = { number, hash: head.hash }
  const sent = transactions.flatMap(({ from, nonce }) => (isAddressEqual(from, address) ? [nonce] : []))
  // An authorization of the account (EIP-7702) may have spent it, although no relayer signs those.
  const authorized = transactions.flatMap(({ authorizations }) => authorizations.map(({ nonce }) => nonce))
  const candidates = new Set([...sent, ...authorized])
  let isOpen = body.unread.length > 0
  for (const nonce of [...candidates].filter((each) => holdsNonce(nonces, each))) {
    const spender = await findSpender(endpoint, body, address, { nonce, attempts: [] })
    if (spender === 'unproven') isOpen = true
    if (typeof spender !== 'object') continue
    const { mined, signed } = spender
    const found = { nonce, hash: mined.hash, block, minedAt: head.timestampMs, ...(signed && { signed }) }
    findings.spenders.set(nonce, found)
  }
  findings.read.add(number)
  if (isOpen) findings.open.add(number)
  return true
}

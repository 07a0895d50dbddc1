// Finds the transactions that spent an account's nonces in a range of final blocks. Reading the account's nonce at
// blocks in between narrows the range for all nonces at once. The bodies of the remaining blocks hold the transactions.
import { isAddressEqual } from 'viem/utils'
import type { Address } from '../../domain/ids.ts'
import type { Spender } from '../../domain/observation.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import { nonceCall } from '../accounts/read-nonce.ts'
import { isAnswered } from '../nodes/call.ts'
import { toHead, toHex, toMined, toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { spenderOf } from './prove-spender.ts'
import { rebuild } from './rebuild.ts'

/** The findings of a search. The next search continues from them. */
export interface Findings {
  readonly spenders: Map<Nonce, Spender>
  /** The account's nonce after a block. */
  readonly nonces: Map<BlockNumber, Nonce>
  /** Blocks whose bodies were read. */
  readonly read: Set<BlockNumber>
}

export function noFindings(): Findings {
  return { spenders: new Map(), nonces: new Map(), read: new Set() }
}

/** The blocks higher than `above`, up to `final`, where `finalBelow` is the account's nonce. */
export interface Searched {
  readonly above: BlockNumber
  readonly final: BlockNumber
  readonly finalBelow: Nonce
}

/**
 * - `through`: every nonce that was spent in these blocks is found.
 * - `more`: the search reached its limit. The next one continues.
 * - `failed`: the endpoint did not answer.
 * - `contradiction`: the answers belong to different branches. The findings count for nothing.
 */
export type SearchEnd = 'through' | 'more' | 'failed' | 'contradiction'

/** Bodies read in one search: the owner checks its ownership between searches. */
const bodiesMax = 32
/** How many blocks' nonces are read at once. */
const probesMax = 64

/** Blocks higher than `above`, up to `atMost`, which hold all of `nonces`. */
interface Range {
  readonly above: BlockNumber
  readonly atMost: BlockNumber
  readonly nonces: Nonce[]
}

/** `unexplained` ascends, and ends below `finalBelow`. */
export async function searchBlocks(
  endpoint: Endpoint,
  address: Address,
  unexplained: readonly Nonce[],
  { above, final, finalBelow }: Searched,
  findings: Findings,
): Promise<SearchEnd> {
  if (final <= above) return 'through'
  findings.nonces.set(final, finalBelow)
  if (above < 0) findings.nonces.set(above, 0)
  else if (!findings.nonces.has(above) && !(await readNonces(endpoint, address, [above], findings))) return 'failed'
  const wanted = unexplained.filter(
    (nonce) => !findings.spenders.has(nonce) && nonce >= (findings.nonces.get(above) ?? 0),
  )
  const ranges = await narrow(endpoint, address, wanted, { above, final }, findings)
  if (typeof ranges === 'string') return ranges
  let bodies = 0
  for (const range of ranges.reverse()) {
    const isFound = () => range.nonces.every((nonce) => findings.spenders.has(nonce))
    for (let number = range.atMost; number > range.above && !isFound(); number -= 1) {
      if (findings.read.has(number)) continue
      if (bodies === bodiesMax) return 'more'
      bodies += 1
      const spenders = await readSpenders(endpoint, address, number, wanted)
      if (!spenders) return 'failed'
      for (const spender of spenders) findings.spenders.set(spender.nonce, spender)
      findings.read.add(number)
    }
    // Where the node keeps no state of `above`, a nonce that was not found was spent there or before.
    if (!isFound() && findings.nonces.has(range.above)) return 'contradiction'
  }
  return 'through'
}

/**
 * Narrows the range to single blocks where the node keeps the state around them, and otherwise as far as its state
 * goes.
 */
async function narrow(
  endpoint: Endpoint,
  address: Address,
  wanted: readonly Nonce[],
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
      return range.atMost - lowest > 1 ? [Math.floor((lowest + range.atMost) / 2)] : []
    })
    if (probes.length === 0) return ranges
    const lacking = await readNonces(endpoint, address, probes.slice(-probesMax), findings)
    if (!lacking) return 'failed'
    stateless = Math.max(stateless, ...lacking)
  }
}

/**
 * One range for each block, or run of blocks, that may hold some of the nonces. Undefined where the account's nonce
 * fell.
 */
function rangesOf(
  wanted: readonly Nonce[],
  nonces: ReadonlyMap<BlockNumber, Nonce>,
  { above, final }: Pick<Searched, 'above' | 'final'>,
): Range[] | undefined {
  const known = [...nonces].filter(([block]) => block >= above && block <= final).sort(([one], [other]) => one - other)
  if (known.some(([, nonce], index) => nonce < (known[index - 1]?.[1] ?? 0))) return undefined
  const ranges: Range[] = []
  let next = 0
  for (const nonce of wanted) {
    while ((known[next]?.[1] ?? Number.POSITIVE_INFINITY) <= nonce) next += 1
    const atMost = known[next]?.[0] ?? final
    const range = ranges.at(-1)
    if (range?.atMost === atMost) range.nonces.push(nonce)
    else ranges.push({ above: known[next - 1]?.[0] ?? above, atMost, nonces: [nonce] })
  }
  return ranges
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

/** The transactions in a block that spent any of the nonces. Undefined where the block could not be read. */
async function readSpenders(
  endpoint: Endpoint,
  address: Address,
  number: BlockNumber,
  nonces: readonly Nonce[],
): Promise<readonly Spender[] | undefined> {
  const answer = await endpoint.call({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })
  const head = answer.kind === 'value' ? toHead(answer.value) : undefined
  const transactions = answer.kind === 'value' ? toMined(answer.value) : undefined
  if (head?.number !== number || !transactions) return undefined
  const block = { number, hash: head.hash }
  const sent = transactions.flatMap(({ from, nonce }) => (isAddressEqual(from, address) ? [nonce] : []))
  // An authorization of the account (EIP-7702) may have spent it, although no relayer signs those.
  const authorized = transactions.flatMap(({ authorizations }) => authorizations.map(({ nonce }) => nonce))
  const candidates = new Set([...sent, ...authorized])
  const spenders: Spender[] = []
  for (const nonce of nonces.filter((each) => candidates.has(each))) {
    const mined = await spenderOf(transactions, address, nonce)
    if (!mined) continue
    const isSent = mined.nonce === nonce && isAddressEqual(mined.from, address)
    const signed = isSent ? await rebuild(mined, address) : undefined
    spenders.push({ nonce, hash: mined.hash, block, minedAt: head.timestampMs, ...(signed && { signed }) })
  }
  return spenders
}

// Finds where in the chain a nonce was spent: by the account's nonce at older blocks, as far back as the node keeps
// their state.
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce } from '../../domain/observation.ts'
import type { Depth } from '../../domain/patience.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { ignoresBlock, readNonce } from '../nodes/read-nonce.ts'

/**
 * The range of the spending block: higher than `above`, and no higher than `atMost`, which is undefined where the head may hold it,
 * too.
 */
interface Spending {
  readonly above: BlockNumber
  readonly atMost: BlockNumber | undefined
}

/**
 * The head at which the nonce was bound may have been on a branch that a reorganization of this depth removed. After a deeper one,
 * older blocks are searched where the node shows the nonce spent there.
 */
const reorgMax: Depth = { depth: 64 }

/** Counts that a search asks for at once in one range of blocks: what waits is a round trip, not a call. */
export const probesMax = 8
/** Most nonces were spent a few blocks ago: the first strides back reach so many. */
const firstStrides = 4

/** The block of each spending that was found, which the next search for it confirms in one round. By account and nonce. */
export type Located = Map<string, BlockNumber>

/** The most spendings that are remembered: with more, all are forgotten. */
const locatedMax = 10_000

/**
 * Returns a single block where the node keeps the state around it (full nodes keep 128 blocks): the nonces before and
 * after prove it. Where that state is gone, returns the range down to the block at which the service saw the nonce
 * unspent. Undefined where nothing limits the range.
 *
 * An endpoint that ignores the block of a call shows no state but its latest: all blocks since the service saw the nonce unspent
 * may hold the spender.
 */
export async function locateSpending(
  endpoint: Endpoint,
  address: Address,
  live: LiveNonce,
  spentBy: BlockNumber,
  located: Located,
): Promise<Spending | undefined> {
  const key = `${address} ${live.nonce}`
  const known = located.get(key)
  if (known !== undefined && known <= spentBy) {
    // A reorganization may have moved it.
    const [before, after] = await countsAt(endpoint, address, [known - 1, known])
    if (before !== undefined && before <= live.nonce && after !== undefined && after > live.nonce)
      return { above: known - 1, atMost: known }
  }
  const found = await search(endpoint, address, live, spentBy)
  if (found?.atMost !== undefined && found.atMost - found.above === 1) {
    if (located.size >= locatedMax) located.clear()
    located.set(key, found.atMost)
  }
  return found
}

/** Rounds of counts in parallel: strides back that double, and from the first that went too far on parts of the rest. */
async function search(
  endpoint: Endpoint,
  address: Address,
  { nonce, unspentAt }: LiveNonce,
  spentBy: BlockNumber,
): Promise<Spending | undefined> {
  // The highest block that is certain to lie before the spending: -1 where there is none, so that block 0 may hold it.
  let unspent = unspentAt === undefined ? -1 : Math.max(-1, Math.min(unspentAt.block, spentBy) - reorgMax.depth)
  let isProven = unspent === -1
  let spent = spentBy
  // The lower end of the search: the highest block where the nonce is unspent, or whose state can't be read.
  let floor = unspent
  let stride = 1
  while (spent - floor > 1) {
    const strides = stride === 1 ? firstStrides : probesMax
    const probes = stride > 0 ? stridesBack(spentBy, stride, strides, floor) : partsOf(floor, spent, probesMax)
    const counts = await countsAt(endpoint, address, probes)
    const low = counts.findLastIndex((count) => count === undefined || count <= nonce)
    spent = probes[low + 1] ?? spent
    if (low === -1) {
      stride *= 2 ** strides
      // The node that once reported the nonce unspent was far behind, so any block down to the first may hold it.
      if (!isProven && spent - floor === 1 && floor === unspent) {
        if (await ignoresBlock(endpoint, address)) return { above: unspent, atMost: undefined }
        floor = -1
        unspent = -1
        isProven = true
      }
      continue
    }
    floor = probes[low] ?? floor
    stride = 0
    isProven = counts[low] !== undefined
    const seen = counts.findLastIndex((count) => count !== undefined && count <= nonce)
    unspent = probes[seen] ?? unspent
  }
  // Block 0 holds no transaction.
  if (spent === 0) return unspentAt === undefined ? undefined : { above: -1, atMost: undefined }
  if (isProven && floor === unspent) return { above: unspent, atMost: spent }
  return unspentAt === undefined && unspent === -1 ? undefined : { above: unspent, atMost: spent }
}

/** The blocks so many strides below `from`, each twice the one before, and above `floor`; lowest first. */
function stridesBack(from: BlockNumber, first: number, strides: number, floor: BlockNumber): readonly BlockNumber[] {
  const numbers = Array.from({ length: strides }, (_, index) => Math.max(floor + 1, from - first * 2 ** index))
  return [...new Set(numbers)].reverse()
}

/** At most so many blocks between the two, which divide what lies between them into equal parts, lowest first. */
export function partsOf(above: BlockNumber, below: BlockNumber, most: number): readonly BlockNumber[] {
  const parts = Math.max(1, Math.min(most + 1, below - above))
  return Array.from({ length: parts - 1 }, (_, index) => above + Math.floor(((below - above) * (index + 1)) / parts))
}

function countsAt(endpoint: Endpoint, address: Address, blocks: readonly BlockNumber[]) {
  return Promise.all(blocks.map((block) => readNonce(endpoint, address, block)))
}

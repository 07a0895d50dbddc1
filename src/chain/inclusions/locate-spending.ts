// Finds where in the chain a nonce was spent: by the account's nonce at older blocks, as far back as the node keeps
// their state.
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce } from '../../domain/observation.ts'
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
 * Depth: the head at which the nonce was bound may have been on a branch that a reorganization of this depth removed. After a deeper one,
 * older blocks are searched where the node shows the nonce spent there.
 */
const reorgBlocksMax = 64

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
  { nonce, unspentAt }: LiveNonce,
  spentBy: BlockNumber,
): Promise<Spending | undefined> {
  // The highest block that is certain to lie before the spending: -1 where there is none, so that block 0 may hold it.
  let unspent = unspentAt === undefined ? -1 : Math.max(-1, Math.min(unspentAt.block, spentBy) - reorgBlocksMax)
  let isProven = unspent === -1
  let spent = spentBy
  // The lower end of the search: the highest block where the nonce is unspent, or whose state can't be read.
  let floor = unspent
  let stride = 1
  while (spent - floor > 1) {
    // Most nonces were spent a few blocks ago: the strides back begin short. After a stride went too far, halves
    // follow.
    const number = stride > 0 ? Math.max(floor + 1, spentBy - stride) : floor + Math.floor((spent - floor) / 2)
    const count = await readNonce(endpoint, address, number)
    if (count !== undefined && count > nonce) {
      spent = number
      stride *= 2
      // The node that once reported the nonce unspent was far behind, so any block down to the first may hold it.
      if (!isProven && spent - floor === 1 && floor === unspent) {
        if (await ignoresBlock(endpoint, address)) return { above: unspent, atMost: undefined }
        floor = -1
        unspent = -1
        isProven = true
      }
      continue
    }
    floor = number
    stride = 0
    isProven = count !== undefined
    if (isProven) unspent = number
  }
  // Block 0 holds no transaction.
  if (spent === 0) return unspentAt === undefined ? undefined : { above: -1, atMost: undefined }
  if (isProven && floor === unspent) return { above: unspent, atMost: spent }
  return unspentAt === undefined && unspent === -1 ? undefined : { above: unspent, atMost: spent }
}

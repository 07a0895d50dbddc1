// Where in the chain a nonce was spent: by the account's nonce at older blocks, as far back as the node keeps their state.
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { readNonce } from '../accounts/read-nonce.ts'
import type { Endpoint } from '../nodes/endpoint.ts'

/** In a block higher than `above`, and no higher than `atMost`. */
export interface Spending {
  readonly above: BlockNumber
  readonly atMost: BlockNumber
}

/** A head that was believed when the nonce was bound may have lain on a branch that a reorg this deep took back. */
const reorgBlocksMax = 64

/**
 * One block where the node keeps the state around it (full nodes keep 128 blocks): the nonces before and after it tell.
 * Where that state is gone, the range down to the block at which we saw the nonce unspent. Undefined: nothing is known.
 */
export async function locateSpending(
  endpoint: Endpoint,
  address: Address,
  { nonce, unspentAt }: LiveNonce,
  spentBy: BlockNumber,
): Promise<Spending | undefined> {
  // What is known to lie before the spending; -1 where nothing is, and block 0 is as good as any.
  let unspent = unspentAt === undefined ? -1 : Math.max(-1, Math.min(unspentAt, spentBy) - reorgBlocksMax)
  let isProven = unspent === -1
  let spent = spentBy
  // Where the search goes on: above what is unspent, and above what can't be read.
  let floor = unspent
  let stride = 1
  while (spent - floor > 1) {
    // Most nonces were spent a few blocks ago: short strides back first, and halves once one went too far.
    const number = stride > 0 ? Math.max(floor + 1, spentBy - stride) : (spent + floor) >> 1
    const count = await readNonce(endpoint, address, number)
    if (count !== undefined && count > nonce) {
      spent = number
      stride *= 2
      // Spent before it was seen unspent: whoever said so stood far behind, and no block down to the first is ruled out.
      if (!isProven && spent - floor === 1 && floor === unspent) {
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
  if (isProven && floor === unspent) return { above: unspent, atMost: spent }
  return unspentAt === undefined && unspent === -1 ? undefined : { above: unspent, atMost: spent }
}

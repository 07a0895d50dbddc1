// Takes a transaction out of a node's pool, as if it had never kept it.
import type { SimNode } from '../chain/node.ts'
import type { SimTransaction } from '../chain/transaction.ts'

export function drop({ pool }: SimNode, { hash, from, nonce }: SimTransaction): void {
  const held = pool.bySender.get(from)
  if (held?.get(nonce)?.hash === hash) held.delete(nonce)
  pool.tracked = pool.tracked.filter((each) => each.hash !== hash)
}

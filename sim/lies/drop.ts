// Takes a transaction out of a node's pool, as if it had never kept it.
import type { SimNode } from '../chain/node.ts'
import type { SimTransaction } from '../chain/transaction.ts'

export function drop({ pool }: SimNode, { hash, from, nonce }: SimTransaction): void {
  const held = pool.bySender.get(from)
  if (held?.get(nonce)?.hash === hash) held.delete(nonce)
  pool.tracked = pool.tracked.filter((each) => each.hash !== hash)
}

/** By node: the hashes of the transactions that it dropped. */
const withheld = new WeakMap<SimNode, Set<string>>()

/** The node does not pass it on to the others, either. */
export function withhold(node: SimNode, transaction: SimTransaction): void {
  drop(node, transaction)
  withheld.set(node, (withheld.get(node) ?? new Set()).add(transaction.hash))
}

export function isWithheld(node: SimNode, { hash }: SimTransaction): boolean {
  return withheld.get(node)?.has(hash) ?? false
}

// False receipts: another's, or part of a whole false story.
import type { Hex } from '../../src/domain/ids.ts'
import type { SimNode } from '../chain/node.ts'
import { receiptJson } from '../chain/receipts.ts'
import { decode, type SimTransaction, transactionJson } from '../chain/transaction.ts'
import type { Lie } from './lie.ts'

/** How many blocks below the head the other transaction may lie. */
const blocksBackMax = 8

/** The receipt of another transaction: a cache that mixes up its keys. */
export const anothersReceipt: Lie = (world, node, { method, params }, honest, dice) => {
  if (method !== 'eth_getTransactionReceipt') return honest
  const others: Hex[] = []
  for (let at = node.head, back = 0; back < blocksBackMax && at.parent; at = at.parent, back += 1) {
    others.push(...at.included.map(({ transaction }) => transaction.hash).filter((hash) => hash !== params[0]))
  }
  if (others.length === 0) return honest
  return { ...honest, result: receiptJson(world.blocks, node.head, dice.pick(others), node.receipts) }
}

/** Members of receipts that make a false cost: too low, too high, and no L1 fee that the chain takes. */
const falseCharges: readonly object[] = [
  { effectiveGasPrice: '0x1' },
  { gasUsed: '0x1' },
  { effectiveGasPrice: `0x${(10n ** 60n).toString(16)}` },
  { l1Fee: `0x${(10n ** 15n).toString(16)}` },
]

/** The transactions in whose receipts the node named a false charge. */
const charged = new WeakMap<SimNode, Set<unknown>>()

export function hasForgedCost(node: SimNode, hash: Hex): boolean {
  return charged.get(node)?.has(hash) === true
}

/** The false charge of each transaction is another one, and stays the same. */
export const falseCost: Lie = (_world, node, { method, params }, honest) => {
  if (method !== 'eth_getTransactionReceipt' || typeof honest.result !== 'object' || !honest.result) return honest
  charged.set(node, (charged.get(node) ?? new Set()).add(params[0]))
  const kind = Number.parseInt(String(params[0]).slice(-1), 16) % falseCharges.length
  return { ...honest, result: { ...honest.result, ...falseCharges[kind] } }
}

/** What the node was sent, by sender and nonce. */
const sent = new WeakMap<SimNode, Map<string, SimTransaction[]>>()

/**
 * A consistent false story: in each block another transaction of ours with the same nonce stands in the place of the true one, in
 * receipts, lists and bodies alike. Only another endpoint's list shows the lie.
 */
export const falseInclusion: Lie = (world, node, { method, params }, honest) => {
  const known = sent.get(node) ?? new Map<string, SimTransaction[]>()
  sent.set(node, known)
  const rivalsOf = ({ from, nonce }: Pick<SimTransaction, 'from' | 'nonce'>) => known.get(`${from} ${nonce}`) ?? []
  const inPlaceOf = (transaction: SimTransaction) => rivalsOf(transaction).find(({ hash }) => hash !== transaction.hash)
  const byHash = (hash: Hex) => [...known.values()].flat().find((each) => each.hash === hash)

  if (method === 'eth_sendRawTransaction') {
    const transaction = decode(String(params[0]) as Hex)
    if (!byHash(transaction.hash)) {
      known.set(`${transaction.from} ${transaction.nonce}`, [...rivalsOf(transaction), transaction])
    }
    return honest
  }
  if (method === 'eth_getTransactionReceipt') {
    const requested = byHash(String(params[0]) as Hex)
    if (!requested) return honest
    if (honest.result) return inPlaceOf(requested) ? { ...honest, result: null } : honest
    const receiptOf = ({ hash }: SimTransaction) => receiptJson(world.blocks, node.head, hash, node.receipts)
    const displaced = rivalsOf(requested).find((each) => inPlaceOf(each)?.hash === requested.hash && receiptOf(each))
    return displaced ? { ...honest, result: { ...receiptOf(displaced), transactionHash: requested.hash } } : honest
  }
  const block = honest.result as { readonly transactions?: readonly (string | { readonly hash: string })[] } | null
  if (method !== 'eth_getBlockByNumber' || !block?.transactions) return honest
  let isFalse = false
  const transactions = block.transactions.map((each) => {
    const shown = byHash((typeof each === 'string' ? each : each.hash) as Hex)
    const other = shown && inPlaceOf(shown)
    if (!other) return each
    isFalse = true
    return typeof each === 'string' ? other.hash : transactionJson(other)
  })
  return isFalse ? { ...honest, result: { ...block, transactions } } : honest
}

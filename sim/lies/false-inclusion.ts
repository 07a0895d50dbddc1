// A consistent false story: in each block another transaction of ours with the same nonce stands in the place of the true one, in
// receipts, lists and bodies alike. Only another endpoint's list shows the lie.
import type { Hex } from '../../src/domain/ids.ts'
import type { SimNode } from '../chain/node.ts'
import { receiptJson } from '../chain/receipts.ts'
import { decode, type SimTransaction, transactionJson } from '../chain/transaction.ts'
import type { Lie } from './lie.ts'

/** What the node was sent, by sender and nonce. */
const sent = new WeakMap<SimNode, Map<string, SimTransaction[]>>()

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

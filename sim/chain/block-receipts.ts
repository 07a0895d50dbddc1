// The answer of a node to a call for the receipts of a block: each as the node gives it alone, so that its lies are in both.
import type { Member, SimNode } from './node.ts'

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

export function receiptsOfBlock(
  node: SimNode,
  { id, method, params: [place] }: Call,
  answerOf: (node: SimNode, call: Call) => Member,
): Member {
  const { ofBlocks } = node.receipts
  const error = (code: number, message: string): Member => ({ jsonrpc: '2.0', id, error: { code, message } })
  if (ofBlocks === 'refused') return error(-32601, `the method ${method} does not exist/is not available`)
  if (ofBlocks === 'tooLarge') return error(-32003, 'response too large')
  const listing = answerOf(node, { id, method: 'eth_getBlockByNumber', params: [place, false] })
  const block = listing.result as { readonly transactions: readonly string[] } | null
  const hashes = block?.transactions.filter((_, index) => ofBlocks === 'all' || index % 2 === 0)
  const receipts = hashes?.map((hash) => answerOf(node, { id, method: 'eth_getTransactionReceipt', params: [hash] }))
  return { ...listing, result: receipts?.flatMap(({ result }) => result ?? []) ?? null }
}

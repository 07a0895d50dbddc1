// False stories about our transactions that wait in the pool: that true blocks hold them, or that the account has spent their nonces.
import type { Hex } from '../../src/domain/ids.ts'
import { accountAt, ancestorAt, type Block } from '../chain/blocks.ts'
import type { SimNode } from '../chain/node.ts'
import { decode, type SimTransaction, transactionJson } from '../chain/transaction.ts'
import type { Lie } from './lie.ts'

interface Story {
  readonly transaction: SimTransaction
  /** The first block that may hold it. */
  readonly from: number
}

/** The first bytes that the node was sent for each nonce, by sender and nonce. */
const storiesByNode = new WeakMap<SimNode, Map<string, Story>>()

function storiesOf(node: SimNode): Map<string, Story> {
  const known = storiesByNode.get(node) ?? new Map<string, Story>()
  storiesByNode.set(node, known)
  return known
}

/** Learns from a broadcast. Three of four are claimed, so that true answers lie between. */
function learn(node: SimNode, raw: Hex): void {
  const transaction = decode(raw)
  const key = `${transaction.from} ${transaction.nonce}`
  if (Number(`0x${transaction.hash.at(-1)}`) % 4 === 0 || storiesOf(node).has(key)) return
  storiesOf(node).set(key, { transaction, from: node.head.number + 1 })
}

/** The sender's transactions that the story has in blocks up to this one, each with the number of its block. */
function claimedOf(node: SimNode, sender: string, through: Block): readonly { story: Story; block: number }[] {
  const claimed: { story: Story; block: number }[] = []
  let block = 0
  for (let { nonce } = accountAt(node.head, sender); ; nonce += 1) {
    const story = storiesOf(node).get(`${sender} ${nonce}`)
    if (!story) return claimed
    block = Math.max(block, story.from)
    if (block > through.number) return claimed
    claimed.push({ story, block })
  }
}

/** Nothing but the count at a block: the account has spent nonces whose transactions wait in the pool. */
export const countedEarly: Lie = (_world, node, { method, params }, honest) => {
  if (method === 'eth_sendRawTransaction') learn(node, String(params[0]) as Hex)
  if (method !== 'eth_getTransactionCount' || params[1] === 'pending' || typeof honest.result !== 'string')
    return honest
  const at = params[1] === 'latest' ? node.head : ancestorAt(node.head, Number(params[1]))
  const claimed = at ? claimedOf(node, String(params[0]).toLowerCase(), at) : []
  const last = claimed.at(-1)?.story.transaction.nonce ?? -1
  return last < Number(honest.result) ? honest : { ...honest, result: `0x${(last + 1).toString(16)}` }
}

/** A consistent story: counts, receipts, lists and bodies show them in true blocks. Only another endpoint's list shows the lie. */
export const minedEarly: Lie = (world, node, call, honest, dice, lie) => {
  const { method, params } = call
  const counted = countedEarly(world, node, call, honest, dice, lie)
  if (counted !== honest) return counted
  if (method === 'eth_getTransactionReceipt' && honest.result === null) {
    const hash = String(params[0])
    const story = [...storiesOf(node).values()].find(({ transaction }) => transaction.hash === hash)
    const claimed =
      story && claimedOf(node, story.transaction.from, node.head).find((each) => each.story.transaction.hash === hash)
    const block = claimed && ancestorAt(node.head, claimed.block)
    if (!block) return honest
    const where = { transactionHash: hash, blockHash: block.hash, blockNumber: `0x${block.number.toString(16)}` }
    const price = `0x${block.baseFee.toString(16)}`
    return { ...honest, result: { ...where, logs: [], gasUsed: '0x5208', status: '0x1', effectiveGasPrice: price } }
  }
  const shown = honest.result as { readonly number?: string; readonly transactions?: readonly unknown[] } | null
  if (method !== 'eth_getBlockByNumber' || !shown?.transactions) return honest
  const senders = new Set([...storiesOf(node).values()].map(({ transaction }) => transaction.from))
  const inBlock = [...senders].flatMap((sender) =>
    claimedOf(node, sender, node.head).filter(({ block }) => block === Number(shown.number)),
  )
  if (inBlock.length === 0) return honest
  const added = inBlock.map(({ story: { transaction } }) =>
    params[1] === true ? transactionJson(transaction) : transaction.hash,
  )
  return { ...honest, result: { ...shown, transactions: [...shown.transactions, ...added] } }
}

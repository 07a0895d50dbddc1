// One of three nodes shows our no-op in the block that holds the original, in its receipts, lists and bodies alike: the verdict is
// the chain's all the same, because two others show their lists.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import type { Lie } from '../../tooling/lying-node.ts'
import { answered, cancel, inPool, mineUntil, noOpInPool, pay, verdict } from '../e2e/support/play.ts'
import { lyingStage } from './support/lying-stage.ts'

interface Shown {
  readonly transactions?: readonly (string | { readonly hash: string })[]
}

/** `shown` stands wherever the chain has `mined`. */
function inPlaceOf(mined: string, shown: string, receipt: object): Lie {
  return ({ method, params }, honest) => {
    if (!('result' in honest)) return undefined
    if (method === 'eth_getTransactionReceipt') {
      if (params[0] === mined) return { result: null }
      return params[0] === shown ? { result: { ...receipt, transactionHash: shown } } : undefined
    }
    const block = honest.result as Shown | null
    if (method !== 'eth_getBlockByNumber' || !block?.transactions) return undefined
    const hashes = block.transactions.map((each) => (typeof each === 'string' ? each : each.hash))
    if (!hashes.includes(mined)) return undefined
    const transactions = block.transactions.map((each) => {
      if (typeof each === 'string') return each === mined ? shown : each
      return each.hash === mined ? { ...each, hash: shown } : each
    })
    return { result: { ...block, transactions } }
  }
}

test('one of three shows the no-op in the place of the original: the verdict is lost, and nothing false was final', async () => {
  await using stage = await lyingStage('one of three', { relayers: { one: {} }, secondWitness: 'prefer' })
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  await answered(stage, payment, 2)
  const [original, noOp] = stage.rows.attempts(payment.id)
  if (!original || !noOp) throw new Error('an attempt is missing')
  await stage.node.rpc('anvil_dropAllTransactions')
  await stage.node.rpc('eth_sendRawTransaction', [original.raw])
  // Until its lie is ready, the liar has no receipt at all.
  stage.liar.lie(({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined))
  await stage.node.mine()
  const receipt = await stage.node.rpc<object>('eth_getTransactionReceipt', [original.hash])
  stage.liar.lie(inPlaceOf(original.hash, noOp.hash, receipt))
  const states = new Set<string>()
  await mineUntil(stage, 'a final verdict', async () => {
    const { state, final } = await stage.client.cancellation('one', payment.id)
    states.add(`${state}${final ? ', final' : ''}`)
    return final
  })
  const { state, safe_to_retry, winner, witnesses } = await verdict(stage, payment, ({ final }) => final)
  const [mined] = await minedFrom(stage.node, sender.address)
  expect(mined?.hash).toBe(original.hash)
  expect({ state, safe_to_retry, witnesses, hash: winner?.hash }).toEqual({
    state: 'lost',
    safe_to_retry: false,
    witnesses: 2,
    hash: mined?.hash,
  })
  expect(states).not.toContain('won, final')
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

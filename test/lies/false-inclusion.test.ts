// A node shows our no-op in the block that holds the original, in its receipts, lists and bodies alike. Beside others that show their lists
// the verdict is the chain's. By itself its word is the verdict.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import type { Lie } from '../../tooling/lying-node.ts'
import { answered, cancel, inPool, mineUntil, noOpInPool, type Payment, pay, verdict } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage } from './support/lying-stage.ts'

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

/** A canceled payment whose original the chain has, and the liar's story about its no-op. */
async function storyOn(stage: LyingStage, before: () => Promise<void> = async () => undefined): Promise<Payment> {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  await answered(stage, payment, 2)
  const [original, noOp] = stage.rows.attempts(payment.id)
  if (!original || !noOp) throw new Error('an attempt is missing')
  await before()
  await stage.node.rpc('anvil_dropAllTransactions')
  await stage.node.rpc('eth_sendRawTransaction', [original.raw])
  // Until its lie is ready, the liar has no receipt at all.
  stage.liar.lie(({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined))
  await stage.node.mine()
  const receipt = await stage.node.rpc<object>('eth_getTransactionReceipt', [original.hash])
  stage.liar.lie(inPlaceOf(original.hash, noOp.hash, receipt))
  return payment
}

/** The verdict is final, and that of the chain, which executed the original. */
async function isLost(stage: LyingStage, payment: Payment): Promise<void> {
  const { state, safe_to_retry, winner, witnesses } = await verdict(stage, payment, ({ final }) => final)
  const [mined] = await minedFrom(stage.node, payment.sender.address)
  expect(mined?.value).toBe(payment.value)
  expect({ state, safe_to_retry, witnesses, hash: winner?.hash }).toEqual({
    state: 'lost',
    safe_to_retry: false,
    witnesses: 2,
    hash: mined?.hash,
  })
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
}

test('one of three shows the no-op in the place of the original: the verdict is lost, and nothing false was final', async () => {
  await using stage = await lyingStage('one of three', { relayers: { one: {} }, secondWitness: 'prefer' })
  const payment = await storyOn(stage)
  const states = new Set<string>()
  await mineUntil(stage, 'a final verdict', async () => {
    const { state, final } = await stage.client.cancellation('one', payment.id)
    states.add(`${state}${final ? ', final' : ''}`)
    return final
  })
  await isLost(stage, payment)
  expect(states).not.toContain('won, final')
})

test('one of two shows it while the other is silent: a false status, and no verdict before the lie ends', async () => {
  await using stage = await lyingStage('one of two', { relayers: { one: {} }, requiredConfirmations: 3 })
  const payment = await storyOn(stage, () => stage.line.cut())
  await verdict(stage, payment, ({ state, final }) => state === 'won' && !final)
  await stage.line.mend()
  await mineUntil(stage, 'a denial', async () => (await stage.client.cancellation('one', payment.id)).state !== 'won')
  await stage.node.mine(6)
  expect((await stage.client.cancellation('one', payment.id)).final).toBe(false)
  stage.liar.repent()
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  await isLost(stage, payment)
})

test.each([
  ['the only one', 'prefer'],
  ['one of two', 'off'],
] as const)('%s shows it with second_witness %s: the verdict is false', async (seat, secondWitness) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} }, secondWitness })
  const payment = await storyOn(stage, () => stage.line.cut())
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  const { state, safe_to_retry } = await verdict(stage, payment, ({ final }) => final)
  expect({ state, safe_to_retry }).toEqual({ state: 'won', safe_to_retry: true })
  expect((await minedFrom(stage.node, payment.sender.address)).map(({ value }) => value)).toEqual([payment.value])
})

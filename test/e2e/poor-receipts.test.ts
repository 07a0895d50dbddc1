// A node whose receipts leave something out: everything ends, and the API's members are proven or absent.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { minedFrom } from '../../tooling/ledger.ts'
import { cancel, inPool, mineUntil, noOpInPool, pay, verdict, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { priceless: {}, gasless: {}, rollup: {}, statusless: {} },
  })
})
afterEach(() => stage.line.open())
afterAll(() => stage?.[Symbol.asyncDispose]())

type Receipt = Readonly<Record<string, unknown>>

function receiptsAre(alter: (receipt: Receipt) => Receipt): void {
  const each = (receipt: unknown) => (receipt === null ? null : alter(receipt as Receipt))
  stage.line.onRequest(() => ({ do: 'forwardAltered', method: 'eth_getTransactionReceipt', alter: each }))
}

function without(...members: readonly string[]): (receipt: Receipt) => Receipt {
  return (receipt) => Object.fromEntries(Object.entries(receipt).filter(([name]) => !members.includes(name)))
}

/** One that executes, and then one that is canceled in the pool; with the final verdict. */
async function sendAndCancel(id: string) {
  const sender = stage.sender(id)
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await mineUntil(stage, 'the payment to end', async () => (await view(stage, payment)).confirmed_at !== undefined)
  const second = await pay(stage, sender)
  await inPool(stage, sender, [1])
  await cancel(stage, second)
  await noOpInPool(stage, second)
  await stage.node.mine(3)
  const final = await verdict(stage, second, (reported) => reported.final)
  const [, noOp] = await minedFrom(stage.node, sender.address)
  return { sent: await view(stage, payment), canceled: await view(stage, second), verdict: final, fee: noOp?.fee }
}

test('without a price, the cost is what the chain took', async () => {
  receiptsAre(without('effectiveGasPrice'))
  const { sent, canceled, verdict: won, fee } = await sendAndCancel('priceless')
  expect([sent.status, canceled.status]).toEqual(['confirmed', 'canceled'])
  expect(won).toMatchObject({ state: 'won', safe_to_retry: true, cost: String(fee) })
})

test('without the gas used, the verdict has no cost', async () => {
  receiptsAre(without('gasUsed', 'effectiveGasPrice'))
  const { sent, canceled, verdict: won } = await sendAndCancel('gasless')
  expect([sent.status, canceled.status]).toEqual(['confirmed', 'canceled'])
  expect(won).toMatchObject({ state: 'won', safe_to_retry: true })
  expect(won).not.toHaveProperty('cost')
})

test('without a status, an executed payload ends as mined, with its result unknown', async () => {
  receiptsAre(without('status'))
  const { sent, canceled, verdict: won, fee } = await sendAndCancel('statusless')
  expect(sent.status).toBe('mined')
  expect(sent.status_reason).toMatch(/no node reports whether it succeeded/)
  expect(canceled.status).toBe('canceled')
  expect(won).toMatchObject({ state: 'won', cost: String(fee) })
})

test('the fee of a rollup’s L1 is part of the cost', async () => {
  receiptsAre((receipt) => ({ ...receipt, l1Fee: '0x2710' }))
  const { verdict: won, fee } = await sendAndCancel('rollup')
  expect(won).toMatchObject({ state: 'won', cost: String((fee ?? 0n) + 10_000n) })
})

// A reorganization takes the block of a verdict back: the verdict is open again, and ends as what the chain then shows.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { balanceOf, minedFrom } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, noOpInPool, type Payment, pay, reached, verdict, view } from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 5,
    relayers: { one: {}, two: {}, three: {}, four: {}, five: {} },
  })
  await stage.node.mine(3)
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Canceled in the pool; the no-op is in a block, with three more on top: one short of final. */
async function wonButNotFinal(sender: Sender): Promise<{ payment: Payment; noOp: string }> {
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  const noOp = await noOpInPool(stage, payment)
  await stage.node.mine(4)
  expect(await verdict(stage, payment, ({ state }) => state === 'won')).toMatchObject({ final: false })
  return { payment, noOp }
}

test('the no-op falls out of the chain: racing again, and won again at finality', async () => {
  const sender = stage.sender('one')
  const { payment, noOp } = await wonButNotFinal(sender)
  await stage.node.rpc('anvil_reorg', [4, []])
  expect(await minedFrom(stage.node, sender.address)).toEqual([])
  expect(await verdict(stage, payment, ({ state }) => state === 'racing')).toMatchObject({
    final: false,
    safe_to_retry: false,
    cost: '0',
  })
  // By itself: a pool does not take back what a reorganization threw out.
  expect(await noOpInPool(stage, payment)).toBeTruthy()
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
  expect(stage.rows.attempts(payment.id).some(({ hash }) => hash === noOp)).toBe(true)
})

test('the other branch holds the original: lost, never final in between, and then confirmed', async () => {
  const sender = stage.sender('two')
  const { payment } = await wonButNotFinal(sender)
  const original = stage.rows.attempts(payment.id).find(({ kind }) => kind === 'execute')
  await stage.node.rpc('anvil_reorg', [4, [[original?.raw, 1]]])
  const lost = await verdict(stage, payment, ({ state }) => state === 'lost')
  expect(lost).toMatchObject({ final: false, safe_to_retry: false, winner: { hash: original?.hash }, cost: '0' })
  expect(await view(stage, payment)).toMatchObject({ status: 'mined', hash: original?.hash })
  await audit(stage, sender)
  expect(await view(stage, payment)).toMatchObject({
    status: 'confirmed',
    status_reason: 'the cancellation lost: the original was mined first',
  })
  expect(await balanceOf(stage.node, payment.to)).toBe(payment.value)
})

test('a reorganization below the no-op leaves the verdict as it is', async () => {
  const sender = stage.sender('three')
  const { payment, noOp } = await wonButNotFinal(sender)
  await stage.node.rpc('anvil_reorg', [2, []])
  await stage.node.mine()
  expect(await verdict(stage, payment, ({ final }) => final)).toMatchObject({ state: 'won', winner: { hash: noOp } })
  await audit(stage, sender)
})

test('the chain is rewound to before the no-op: the verdict follows it back, and forth', async () => {
  const sender = stage.sender('four')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const snapshot = await stage.node.rpc<string>('evm_snapshot')
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  await stage.node.mine(3)
  await verdict(stage, payment, ({ state }) => state === 'won')
  expect(await stage.node.rpc('evm_revert', [snapshot])).toBe(true)
  // Height alone proves nothing, a node may lag: the verdict is open once another block stands where it was won. No block is mined
  // after that: one might hold the no-op again before this test sees the open verdict.
  await stage.node.mine(4)
  await verdict(stage, payment, ({ state }) => state === 'racing')
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
})

test('an executed payment falls out of the chain: it is submitted again, and mined once', async () => {
  const sender = stage.sender('five')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await stage.node.mine(3)
  await reached(stage, payment, 'mined')
  await stage.node.rpc('anvil_reorg', [3, []])
  await reached(stage, payment, 'submitted')
  expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  const refusedNoMore = await cancel(stage, payment)
  expect(refusedNoMore.status).toBe('canceled')
  await audit(stage, sender)
})

// Canceled while a node's pool has it: the no-op is mined, the original never, and the verdict grows final by blocks.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { balanceOf, decode, minedFrom, nonceOf, poolOf } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import {
  cancel,
  inPool,
  mineUntil,
  noOpInPool,
  type Payment,
  pay,
  payTimes,
  reached,
  verdict,
  view,
} from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 3,
    relayers: { one: {}, two: {}, four: {}, five: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('racing, then won, then final at the third confirmation, at the cost of the receipt', async () => {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  const original = (await reached(stage, payment, 'submitted')).hash
  await inPool(stage, sender, [0])

  const answered = await cancel(stage, payment)
  expect(answered).toMatchObject({ status: 'canceled', nonce: 0, hash: original })
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    state: 'racing',
    final: false,
    safe_to_retry: false,
    cost: '0',
  })
  const noOp = await noOpInPool(stage, payment)
  expect([...(await poolOf(stage.node, sender.address)).values()]).toEqual([noOp])

  await stage.node.mine()
  const won = await verdict(stage, payment, ({ state }) => state === 'won')
  expect(won).toMatchObject({ final: false, safe_to_retry: false, winner: { hash: noOp } })
  await stage.node.mine()
  // A second confirmation is not a third: what happens next must be seen to come after it.
  const other = await pay(stage, sender)
  await reached(stage, other, 'submitted')
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: false })

  await stage.node.mine()
  const final = await verdict(stage, payment, ({ final }) => final)
  const [spender] = await minedFrom(stage.node, sender.address)
  expect(spender).toMatchObject({ hash: noOp, nonce: 0, value: 0n, input: '0x' })
  expect(final).toMatchObject({ state: 'won', safe_to_retry: true, witnesses: 1, cost: String(spender?.fee) })
  expect(await view(stage, payment)).toMatchObject({ status: 'canceled' })
  expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  await audit(stage, sender)
})

test('one of several in flight: those around it are executed, its nonce goes to the no-op', async () => {
  const sender = stage.sender('two')
  const payments = (await payTimes(stage, sender, 5)) as [Payment, Payment, Payment, Payment, Payment]
  await inPool(stage, sender, [0, 1, 2, 3, 4])
  await cancel(stage, payments[2])
  await noOpInPool(stage, payments[2])
  const mined = await audit(stage, sender)
  const recipients = payments.map(({ to }, index) => (index === 2 ? sender.address : to))
  expect(mined.map(({ to }) => to.toLowerCase())).toEqual(recipients.map((to) => to.toLowerCase()))
})

test('Prefer: wait answers with the final verdict, once the chain has it', async () => {
  const sender = stage.sender('four')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  let answeredAtHead: number | undefined
  const path = `/relayers/${sender.id}/transactions/${payment.id}`
  const requested = stage.client.request('DELETE', path, { headers: { prefer: 'wait=30' } }).then(async (answer) => {
    answeredAtHead = Number(await stage.node.rpc('eth_blockNumber'))
    return answer
  })
  await noOpInPool(stage, payment)
  const before = Number(await stage.node.rpc('eth_blockNumber'))
  for (let block = 0; block < 3; block++) {
    expect(answeredAtHead).toBeUndefined()
    await stage.node.mine()
  }
  const answer = await requested
  expect(answer.status).toBe(200)
  expect(answer.headers['preference-applied']).toBe('wait=30')
  expect(answeredAtHead).toBe(before + 3)
  expect(answer.body).toMatchObject({ success: true, data: { id: payment.id, status: 'canceled' } })
  expect(JSON.stringify(answer.body)).toContain('this is final')
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
  await audit(stage, sender)
})

test('a no-op that the pool forgot comes back by itself, dearer in both fees as blocks pass', async () => {
  const sender = stage.sender('five')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  await stage.node.rpc('anvil_dropTransaction', [await noOpInPool(stage, payment)])
  stage.line.onSend({ do: 'drop' })
  const noOps = () => stage.rows.attempts(payment.id).filter(({ kind }) => kind === 'cancel')
  await mineUntil(stage, 'a second no-op', () => noOps().length > 1)
  stage.line.open()
  await mineUntil(stage, 'the no-op to be mined', async () => (await nonceOf(stage.node, sender.address)) === 1)

  const [original] = stage.rows.attempts(payment.id)
  const prices = [original, ...noOps()].map((attempt) => decode(attempt?.raw ?? '0x'))
  for (const [index, { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }] of prices.entries()) {
    const last = prices[index - 1]
    if (!last) continue
    expect(10n * maxFeePerGas).toBeGreaterThanOrEqual(11n * (last.maxFeePerGas ?? 0n))
    expect(10n * maxPriorityFeePerGas).toBeGreaterThanOrEqual(11n * (last.maxPriorityFeePerGas ?? 0n))
  }
  await verdict(stage, payment, ({ state }) => state === 'won')
  await audit(stage, sender)
})

// Canceled before it had a nonce: nothing of it reaches the chain, the answer is the end, and no nonce is lost.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, type Payment, payTimes, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 3,
    relayers: { one: { max_in_flight: 2 }, two: { max_in_flight: 1 } },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('it is dropped and final in the answer itself, and the next one in the queue takes the nonce', async () => {
  const sender = stage.sender('one')
  const [first, second, third, fourth] = (await payTimes(stage, sender, 4)) as [Payment, Payment, Payment, Payment]
  await inPool(stage, sender, [0, 1])
  expect(await view(stage, third)).toMatchObject({ status: 'pending' })

  const answered = await cancel(stage, third)
  expect(answered).toMatchObject({ id: third.id, status: 'canceled', status_reason: 'canceled on request' })
  expect(answered.nonce).toBeUndefined()
  expect(answered.hash).toBeUndefined()
  expect(await stage.client.cancellation(sender.id, third.id)).toMatchObject({
    state: 'dropped',
    final: true,
    safe_to_retry: true,
    cost: '0',
  })
  expect(stage.rows.attempts(third.id)).toEqual([])

  await stage.node.mine()
  expect((await reached(stage, fourth, 'submitted')).nonce).toBe(2)
  for (const payment of [first, second, fourth]) {
    await stage.node.mine(3)
    await reached(stage, payment, 'confirmed')
  }
  const mined = await audit(stage, sender)
  expect(mined.map(({ nonce }) => nonce)).toEqual([0, 1, 2])
  expect(mined.some(({ to }) => same(to, third.to) || same(to, sender.address))).toBe(false)
})

test('canceled twice, and by ten at once: one cancellation, and every answer alike', async () => {
  const sender = stage.sender('two')
  const [, queued] = (await payTimes(stage, sender, 2)) as [Payment, Payment]
  await inPool(stage, sender, [0])
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(stage, queued)))
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(await cancel(stage, queued)).toEqual(answers[0])
  expect(stage.rows.events(queued.id).map(({ status }) => status)).toEqual(['canceled'])
  await audit(stage, sender)
})

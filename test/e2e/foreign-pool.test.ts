// A service that starts on an account with transactions in the pool that it did not sign: what it says of them, and what it does.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { minedFrom, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { spendBehindItsBack } from './support/foreign.ts'
import { inPool, mineUntil, type Payment, pay, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { one: {}, two: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const warnings = () =>
  stage.service
    .logs()
    .split('\n')
    .filter((line) => line.includes('that this service did not sign'))
    .map((line) => JSON.parse(line))

test('the log and the status name the foreign transactions only, and sends go behind them', async () => {
  const sender = stage.sender('one')
  const own = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await stage.service.stop()
  const first = await spendBehindItsBack(stage.node, sender, 1)
  const second = await spendBehindItsBack(stage.node, sender, 2)
  await stage.service.restart()

  const transactions = [
    { nonce: 1, hash: first },
    { nonce: 2, hash: second },
  ]
  await until(async () => warnings().length > 0, { what: () => stage.service.logs() })
  expect(warnings()).toEqual([
    expect.objectContaining({
      ...{ level: 'warn', relayer_id: 'one', address: sender.address },
      ...{ account_nonce: 0, pending_nonce: 3, count: 2, transactions },
    }),
  ])
  const { body } = await stage.client.request('GET', '/relayers/one/status')
  expect((body as { data: object }).data).toMatchObject({
    foreign_pending: { count: 2, pending_nonce: 3, transactions },
  })
  const other = await stage.client.request('GET', '/relayers/two/status')
  expect((other.body as { data: object }).data).not.toHaveProperty('foreign_pending')

  const later: Payment = await pay(stage, sender)
  expect((await reached(stage, later, 'submitted')).nonce).toBe(3)
  await mineUntil(stage, 'both', async () => {
    const statuses = await Promise.all([own, later].map(async (payment) => (await view(stage, payment)).status))
    return statuses.every((status) => status === 'confirmed')
  })
  const mined = await minedFrom(stage.node, sender.address)
  expect(mined.map(({ to }) => same(to, sender.address))).toEqual([false, true, true, false])
  await audit(stage, sender, 2)
  await until(
    async () => {
      const { body: ended } = await stage.client.request('GET', '/relayers/one/status')
      return !('foreign_pending' in (ended as { data: object }).data)
    },
    { limitMs: 60_000, what: 'a status without them' },
  )
})

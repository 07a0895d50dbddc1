// Cancellations with a bound of cost, on a real chain: no no-op costs more, and a plain cancellation lifts the bound.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { decode } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancelWithin } from './support/cancel-within.ts'
import { inPool, noOpInPool, type Payment, pay, verdict } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const gas = 21_000n
const ether = 10n ** 18n

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { enough: {}, single: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const noOpsOf = ({ id }: Payment) => stage.rows.attempts(id).filter(({ kind }) => kind === 'cancel')

async function waitsAtBound({ id }: Payment): Promise<void> {
  const condition = () => stage.rows.transaction(id).wait_condition
  await until(() => condition() === 'cost_bound', { what: () => `the condition cost_bound; it is ${condition()}` })
}

test('within its bound the no-op wins, and its verdict shows the bound and a cost below it', async () => {
  const payment = await pay(stage, stage.sender('enough'))
  await inPool(stage, payment.sender, [0])
  const costMax = ether / 100n
  await cancelWithin(stage, payment, costMax)
  await noOpInPool(stage, payment)
  for (const { raw } of noOpsOf(payment)) expect(gas * (decode(raw).maxFeePerGas ?? 0n)).toBeLessThanOrEqual(costMax)
  await stage.node.mine()
  const won = await verdict(stage, payment, ({ state }) => state === 'won')
  expect(won).toMatchObject({ cost_max: String(costMax) })
  expect(BigInt(won.cost ?? -1)).toBeLessThanOrEqual(costMax)
  await audit(stage, payment.sender)
})

test('above its bound no no-op is signed until a plain cancellation lifts it', async () => {
  const payment = await pay(stage, stage.sender('single'))
  await inPool(stage, payment.sender, [0])
  await cancelWithin(stage, payment, 7n)
  await waitsAtBound(payment)
  const path = `/relayers/single/transactions/${payment.id}`
  expect((await stage.client.request('GET', `${path}/cancellation`)).body).toMatchObject({
    data: {
      state: 'racing',
      cost_max: '7',
      status_reason: expect.stringMatching(/above its bound of 0.000000007 gwei/),
    },
  })
  expect(noOpsOf(payment)).toEqual([])

  const lifting = await stage.client.request('DELETE', path)
  expect(lifting.body).toMatchObject({ data: { status_reason: 'canceled on request' } })
  expect(lifting.status).toBe(200)
  await noOpInPool(stage, payment)
  await stage.node.mine()
  const won = await verdict(stage, payment, ({ state }) => state === 'won')
  expect(won).not.toHaveProperty('cost_max')
  await audit(stage, payment.sender)
})

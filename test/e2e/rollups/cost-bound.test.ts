// A bound of cost where a no-op pays for its data on L1 beside gas: it covers both.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../tooling/client.ts'
import { same } from '../../../tooling/ledger.ts'
import { type PrivatePool, startPrivatePool } from '../../../tooling/rollups/private-pool.ts'
import { audit } from '../support/audit.ts'
import { cancelWithin } from '../support/cancel-within.ts'
import { type Payment, pay } from '../support/play.ts'
import { type Stage, stageOn } from '../support/stage.ts'

let stage: Stage<PrivatePool>
beforeAll(async () => {
  stage = await stageOn(await startPrivatePool(), {
    requiredConfirmations: 2,
    profile: { pool: 'private', l1_fee: 'op_stack' },
    relayers: { enough: {}, short: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const noOpsOf = ({ id }: Payment) => stage.rows.attempts(id).filter(({ kind }) => kind === 'cancel')

async function waiting(id: string): Promise<Payment> {
  const payment = await pay(stage, stage.sender(id))
  const isPooled = () => stage.node.pooled().some(({ from }) => same(from, payment.sender.address))
  await until(isPooled, { what: 'a payment at the sequencer' })
  return payment
}

test('the no-op and its data on L1 cost no more; less than both, and it waits', async () => {
  const first = await waiting('enough')
  const costMax = 10n ** 16n
  await cancelWithin(stage, first, costMax)
  // Recorded is not yet sent: a block in between would take the payload.
  const isSent = () => noOpsOf(first).some(({ hash }) => stage.node.pooled().some((each) => each.hash === hash))
  await until(isSent, { what: 'a no-op at the sequencer' })
  await audit(stage, first.sender)
  const won = await stage.client.cancellation('enough', first.id)
  expect(won).toMatchObject({ state: 'won', cost_max: String(costMax) })
  const cost = BigInt(won.cost ?? -1)
  expect(cost).toBeLessThanOrEqual(costMax)
  const hash = won.winner?.hash
  const { l1Fee } = await stage.node.rpc<{ l1Fee: string }>('eth_getTransactionReceipt', [hash])
  expect(BigInt(l1Fee)).toBeGreaterThan(0n)

  // Less than its data alone.
  const second = await waiting('short')
  await cancelWithin(stage, second, BigInt(l1Fee) / 2n)
  const condition = () => stage.rows.transaction(second.id).wait_condition
  await until(() => condition() === 'cost_bound', { what: () => `the condition cost_bound; it is ${condition()}` })
  expect(noOpsOf(second)).toEqual([])
})

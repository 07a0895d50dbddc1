// On a pool that demands a tenth more in both fees, the first no-op is taken, whatever the base fee does meanwhile and
// however many rivals it must beat.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { hex } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { answered, cancel, headSeen, inPool, noOpInPool, type Payment, pay, verdict } from './support/play.ts'
import { hardhatStage, type Sender, type Stage } from './support/stage.ts'

let stage: Stage<Hardhat>
beforeAll(async () => {
  stage = await hardhatStage({
    requiredConfirmations: 3,
    relayers: { rising: {}, dear: {}, rivals: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const gwei = 1_000_000_000n

/** A block is mined at this base fee; the ones after it fall by an eighth each, being empty. */
async function mineAtBaseFee(wei: bigint): Promise<void> {
  await stage.node.rpc('hardhat_setNextBlockBaseFeePerGas', [hex(wei)])
  await stage.node.mine()
}

async function untilBumped({ id }: Payment, times: number): Promise<void> {
  const rivals = () => stage.rows.attempts(id).filter(({ kind }) => kind === 'execute')
  await until(() => rivals().length > times && rivals().at(-1)?.state === 'handed', {
    what: () => `bump ${times}; there are ${JSON.stringify(rivals())}\n${stage.service.logs().slice(-2000)}`,
  })
}

/** Cancels, and holds that one no-op sufficed: taken by the pool, mined, and never followed by a dearer one. */
async function cancelAtOnce(payment: Payment): Promise<void> {
  await cancel(stage, payment)
  const noOp = await noOpInPool(stage, payment)
  expect((await answered(stage, payment, 2)).at(-1)).toEqual(['cancel', true])
  await stage.node.mine()
  const won = await verdict(stage, payment, ({ state }) => state === 'won' || state === 'lost')
  expect(won).toMatchObject({ state: 'won', winner: { hash: noOp } })
  await stage.node.mine(2)
  await verdict(stage, payment, ({ final }) => final)
  const noOps = stage.rows.attempts(payment.id).filter(({ kind }) => kind === 'cancel')
  expect(noOps.map(({ hash }) => hash)).toEqual([noOp])
  await audit(stage, payment.sender)
}

async function submitted(sender: Sender, body: Parameters<typeof pay>[2] = {}): Promise<Payment> {
  const payment = await pay(stage, sender, body)
  await inPool(stage, sender, [0])
  return payment
}

test('after the base fee rose fifty times above what the original offers', async () => {
  const payment = await submitted(stage.sender('rising'))
  await mineAtBaseFee(50n * gwei)
  await headSeen(stage)
  await cancelAtOnce(payment)
})

test('an original that was bumped three times in a rising market', async () => {
  const payment = await submitted(stage.sender('rivals'))
  for (const [bumps, baseFee] of [400n, 4_000n, 40_000n].entries()) {
    await mineAtBaseFee(baseFee * gwei)
    await stage.node.mine(2)
    await untilBumped(payment, bumps + 1)
  }
  await cancelAtOnce(payment)
})

// The last one: its tip stays in the fee history for ten blocks.
test('an original priced a hundred times above the market, tip and all', async () => {
  await cancelAtOnce(
    await submitted(stage.sender('dear'), {
      max_fee_per_gas: String(900n * gwei),
      max_priority_fee_per_gas: String(800n * gwei + 1n),
    }),
  )
})

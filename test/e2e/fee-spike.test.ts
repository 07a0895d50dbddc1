// A price that runs away and comes back finds an account with little money: nothing is frozen, and nothing is signed that the
// account can't pay for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { decode, hex, minedFrom } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { answered, cancel, headSeen, inPool, noOpInPool, type Payment, pay, reached, verdict } from './support/play.ts'
import { hardhatStage, type Stage } from './support/stage.ts'

const gwei = 1_000_000_000n
const milliether = 1_000_000n * gwei

let stage: Stage<Hardhat>
beforeAll(async () => {
  stage = await hardhatStage({ requiredConfirmations: 2, relayers: { canceled: {}, sent: { cancel_reserve: 0 } } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function mineAtBaseFee(wei: bigint): Promise<void> {
  await stage.node.rpc('hardhat_setNextBlockBaseFeePerGas', [hex(wei)])
  await stage.node.mine()
}

/** While something is in flight, so that the service looks. */
async function lookAtBaseFee(wei: bigint): Promise<void> {
  await mineAtBaseFee(wei)
  await headSeen(stage)
}

/** In the pool at a calm price, with a hundredth of an ether left. */
async function submitted(id: string): Promise<Payment> {
  const sender = stage.sender(id)
  await stage.node.rpc('hardhat_setBalance', [sender.address, hex(10n * milliether)])
  await mineAtBaseFee(gwei)
  const payment = await pay(stage, sender, { value: '1' })
  await inPool(stage, sender, [0])
  return payment
}

const capsOf = ({ id }: Payment, kind: string) =>
  stage.rows
    .attempts(id)
    .filter((attempt) => attempt.kind === kind)
    .map(({ raw }) => decode(raw).maxFeePerGas ?? 0n)

test('a cancellation that could not be paid in the spike is won after it, at the price of then', async () => {
  const payment = await submitted('canceled')
  await lookAtBaseFee(600n * gwei)
  await cancel(stage, payment)
  await answered(stage, payment, 2)
  expect(capsOf(payment, 'cancel').at(0)).toBeGreaterThan(1_000n * gwei)
  for (let block = 0; block < 3; block += 1) await lookAtBaseFee(600n * gwei)
  const reported = await verdict(stage, payment, (cancellation) => JSON.stringify(cancellation).includes('top it up'))
  expect(reported).toMatchObject({ state: 'racing', final: false })
  // The account could pay for none of them.
  expect(capsOf(payment, 'cancel')).toHaveLength(1)

  // Still more than the original offers, and far less than the account has.
  await mineAtBaseFee(20n * gwei)
  await noOpInPool(stage, payment)
  await mineAtBaseFee(20n * gwei)
  await verdict(stage, payment, ({ state }) => state === 'won')
  await mineAtBaseFee(20n * gwei)
  const { cost, final } = await verdict(stage, payment, (cancellation) => cancellation.final)
  expect(final).toBe(true)
  expect(BigInt(cost)).toBeLessThan(milliether)
  await audit(stage, payment.sender)
})

test('a send is not priced beyond what the account can pay, and is mined when the price is back', async () => {
  const payment = await submitted('sent')
  for (let block = 0; block < 6; block += 1) await lookAtBaseFee(600n * gwei)
  await until(
    async () => (await stage.client.get('sent', payment.id)).status_reason?.includes('the balance does not cover it'),
    { what: () => `a reason\n${stage.service.logs().slice(-3000)}` },
  )
  expect(capsOf(payment, 'execute').every((cap) => 21_000n * cap <= 10n * milliether)).toBe(true)
  await lookAtBaseFee(gwei)
  await mineAtBaseFee(gwei)
  await reached(stage, payment, 'mined', 'confirmed')
  const [mined] = await minedFrom(stage.node, payment.sender.address)
  expect(mined?.fee).toBeLessThan(milliether)
  await audit(stage, payment.sender)
})

// A market that runs away: stuck sends are priced anew up to their cap, no-ops up to theirs, and each says what it waits for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { decode, hex, poolOf } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, noOpInPool, type Payment, pay, reached, verdict, view } from './support/play.ts'
import { hardhatStage, type Stage } from './support/stage.ts'

const gwei = 1_000_000_000n

let stage: Stage<Hardhat>
beforeAll(async () => {
  stage = await hardhatStage({
    requiredConfirmations: 2,
    relayers: {
      free: {},
      capped: { gas_price_cap: Number(20n * gwei) },
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function mineAtBaseFee(wei: bigint, blocks = 1): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await stage.node.rpc('hardhat_setNextBlockBaseFeePerGas', [hex(wei)])
    await stage.node.mine()
  }
}

/** In the pool at a calm market's price. */
async function submitted(id: string, body: Parameters<typeof pay>[2] = {}): Promise<Payment> {
  const sender = stage.sender(id)
  await mineAtBaseFee(gwei)
  const payment = await pay(stage, sender, body)
  await inPool(stage, sender, [0])
  return payment
}

function capsOf({ id }: Payment, kind: string): bigint[] {
  const attempts = stage.rows.attempts(id).filter((attempt) => attempt.kind === kind)
  return attempts.map(({ raw }) => decode(raw).maxFeePerGas ?? 0n)
}

test('a stuck send is bumped until it is above the base fee, and mined by its bump', async () => {
  const payment = await submitted('free')
  await mineAtBaseFee(60n * gwei, 3)
  await until(() => capsOf(payment, 'execute').some((cap) => cap > 60n * gwei), { what: 'a bump above the base fee' })
  await until(
    async () => {
      return [...(await poolOf(stage.node, payment.sender.address)).values()].includes(
        stage.rows.attempts(payment.id).at(-1)?.hash ?? '',
      )
    },
    { what: 'the bump in the pool' },
  )
  await mineAtBaseFee(60n * gwei)
  const { hash } = await reached(stage, payment, 'mined', 'confirmed')
  expect(hash).toBe(stage.rows.transaction(payment.id).included_hash)
  const [first] = stage.rows.attempts(payment.id)
  expect(hash).not.toBe(first?.hash)
  await audit(stage, payment.sender)
})

test('gas_price_cap holds the send back, and says so; the no-op goes above it', async () => {
  const payment = await submitted('capped')
  // First up to the cap, and then no further.
  await until(
    async () => {
      await mineAtBaseFee(200n * gwei)
      return capsOf(payment, 'execute').at(-1) === 20n * gwei
    },
    { what: 'a price at the cap', everyMs: 150 },
  )
  const { status_reason: reason } = await view(stage, payment)
  expect(reason).toContain('waits at gas_price_cap (20 gwei)')
  for (const cap of capsOf(payment, 'execute')) expect(cap).toBeLessThanOrEqual(20n * gwei)
  const waiting = await pay(stage, payment.sender)
  expect(
    (
      await until(
        async () => {
          const seen = await view(stage, waiting)
          return seen.status_reason !== undefined && seen
        },
        { what: 'a reason' },
      )
    ).status_reason,
  ).toMatch(/^waits: the base fee \(up to \d+ gwei\) is above gas_price_cap \(20 gwei\)/)

  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  for (const cap of capsOf(payment, 'cancel')) expect(cap).toBeGreaterThan(200n * gwei)
  await mineAtBaseFee(200n * gwei)
  await verdict(stage, payment, ({ state }) => state === 'won')
  await mineAtBaseFee(gwei, 2)
  await reached(stage, waiting, 'submitted', 'mined', 'confirmed')
  await audit(stage, payment.sender)
})

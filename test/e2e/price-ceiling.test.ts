// Blocks become twentyfold as dear within ten minutes, base fee and tips alike, and cheap again. No operator set a cap, so the
// ceiling of prices holds: no cancellation waits for it, on the way up or down.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { hex } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, headSeen, inPool, noOpInPool, type Payment, pay, verdict } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const gwei = 1_000_000_000n
const calm = { baseFee: 10n * gwei, tip: 6n * gwei }
const peak = 20
/** An eighth a block (EIP-1559): 26 blocks of 12 seconds, five minutes. */
const rise = Array.from({ length: 27 }, (_, step) => Math.min(peak, 1.125 ** step))
/** As many as a block has room for. */
const others = [7, 8, 9].map((index) => devAccount(index).address)

let stage: Stage<Anvil>
beforeAll(async () => {
  const anvil = { baseFee: calm.baseFee, blockGas: others.length * 21_000 }
  stage = await anvilStage({ relayers: { up: {}, down: {} }, requiredConfirmations: 2, anvil })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** A block at a multiple of the calm price. `full`: others take all of it. anvil prefers the highest fee cap. */
async function blockAt(times: number, { full }: { full: boolean }): Promise<void> {
  const { node } = stage
  const scaled = (wei: bigint) => (wei * BigInt(Math.round(times * 1_000))) / 1_000n
  const [baseFee, tip] = [scaled(calm.baseFee), scaled(calm.tip)]
  await node.rpc('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)])
  const fees = { gas: hex(21_000n), maxFeePerGas: hex(100n * (baseFee + tip)), maxPriorityFeePerGas: hex(tip) }
  for (const from of full ? others : []) {
    await node.rpc('eth_sendTransaction', [{ from, to: from, value: '0x1', ...fees }])
  }
  await node.rpc('evm_increaseTime', [12])
  await node.mine()
}

async function neverHeldByTheCeiling({ sender }: Payment): Promise<void> {
  const { body } = await stage.client.request('GET', `/relayers/${sender.id}/nonces`)
  expect(JSON.stringify(body)).not.toContain('price_ceiling')
}

/** Full blocks at these prices, with a cancellation after the first half; then blocks with room for the no-op. */
async function cancelAmid(payment: Payment, prices: readonly number[]): Promise<void> {
  for (const [index, times] of prices.entries()) {
    if (index === Math.floor(prices.length / 2)) await cancel(stage, payment)
    await blockAt(times, { full: true })
    await headSeen(stage)
    await neverHeldByTheCeiling(payment)
  }
  await noOpInPool(stage, payment)
  for (let block = 0; block < 3; block += 1) await blockAt(prices.at(-1) ?? 1, { full: false })
  await verdict(stage, payment, ({ state, final }) => state === 'won' && final)
  await audit(stage, payment.sender)
}

test('a cancellation in a spike of twentyfold is won at the peak', async () => {
  const sender = stage.sender('up')
  const payment = await pay(stage, sender, { value: '1' })
  await inPool(stage, sender, [0])
  await cancelAmid(payment, rise)
})

test('a cancellation in the fall after it is won at the calm price', async () => {
  const sender = stage.sender('down')
  const payment = await pay(stage, sender, { value: '1' })
  await inPool(stage, sender, [0])
  await cancelAmid(payment, rise.toReversed())
})

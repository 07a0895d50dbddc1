// A node that refuses every send in words that no table has, for ever. Of three, it costs nothing. As the only one it costs
// repeats that become rare, and bids of a race up to its limit; once the truth is back, all ends.
import { afterEach, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { decode, minedFrom } from '../../tooling/ledger.ts'
import { audit } from '../e2e/support/audit.ts'
import { cancel, mineUntil, pay, verdict, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

let stage: LyingStage | undefined
afterEach(() => stage?.[Symbol.asyncDispose]())

const words = [
  { error: { code: -32000, message: 'policy 7: this transfer is on hold' } },
  { error: { code: -32005, message: 'the sequencer has paused intake' } },
]

/** The bytes reach no pool by it. */
function refuses({ liar }: LyingStage): void {
  liar.withhold(({ method }) => (method === 'eth_sendRawTransaction' ? words[liar.lies() % words.length] : undefined))
}

test('one of three refuses in unknown words for ever: sends are confirmed, and a cancellation wins', async () => {
  stage = await lyingStage('one of three', { relayers: { one: {} } })
  const staged = stage
  const sender = stage.sender('one')
  refuses(stage)
  const [sent, canceled] = [await pay(stage, sender), await pay(stage, sender)]
  await until(() => staged.rows.attempts(canceled.id)[0]?.outcome === 'accepted', { what: 'an acceptance' })
  await cancel(stage, canceled)
  await until(() => staged.rows.attempts(canceled.id)[1]?.outcome === 'accepted', { what: 'a no-op in the pool' })
  await mineUntil(stage, 'both ends', async () => {
    const { final } = await staged.client.cancellation('one', canceled.id)
    return final && (await view(staged, sent)).status === 'confirmed'
  })
  expect(await verdict(stage, canceled, ({ final }) => final)).toMatchObject({ state: 'won', safe_to_retry: true })
  expect((await minedFrom(stage.node, sender.address)).map(({ value }) => value)).toEqual([sent.value, 0n])
  await audit(stage, sender)
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

test('the only one refuses a payload in unknown words: repeats become rare, and it is executed after the truth is back', async () => {
  stage = await lyingStage('the only one', { relayers: { one: {} } })
  const staged = stage
  const sender = stage.sender('one')
  refuses(stage)
  const payment = await pay(stage, sender)
  // Pauses that double from half a second: 0.5, 1, 2, 4 s.
  await until(() => staged.liar.lies() >= 5, { what: 'five refusals' })
  const tries = staged.liar.calls('eth_sendRawTransaction').length
  await stage.node.mine(20)
  await until(async () => (await view(staged, payment)).status_reason?.includes('unknown error'), {
    what: 'its reason',
  })
  // A fixed pace would have been a try for each block.
  expect(staged.liar.calls('eth_sendRawTransaction').length - tries, 'tries in twenty blocks').toBeLessThanOrEqual(3)
  expect(await view(stage, payment)).toMatchObject({ status: 'submitted', nonce: 0 })
  stage.liar.repent()
  await mineUntil(stage, 'a confirmation', async () => (await view(staged, payment)).status === 'confirmed')
  await audit(stage, sender)
})

test.each(seats)('%s refuses a no-op in unknown words: the race bids again within its cap, and ends', async (seat) => {
  const cap = 9_000_000_000n
  stage = await lyingStage(seat, {
    relayers: { one: { cancel_gas_price_cap: Number(cap) } },
    anvil: { mining: 'manual', baseFee: 1_000n },
  })
  const staged = stage
  const sender = stage.sender('one')
  refuses(stage)
  const payment = await pay(stage, sender)
  await until(() => staged.rows.attempts(payment.id)[0]?.outcome != null, { what: 'an answer to the payload' })
  await cancel(stage, payment)
  const noOps = () => staged.rows.attempts(payment.id).filter(({ kind }) => kind === 'cancel')
  if (seat === 'the only one') await mineUntil(stage, 'two more bids', () => noOps().length >= 3)
  await until(() => noOps().every(({ outcome }) => outcome !== null) && noOps().length > 0, { what: 'a no-op' })
  const prices = noOps().map(({ raw }) => decode(raw).maxFeePerGas ?? 0n)
  expect(prices.every((price) => price <= cap)).toBe(true)
  expect(prices, 'each bid above the one before').toEqual(
    [...new Set(prices)].sort((one, other) => Number(one - other)),
  )
  stage.liar.repent()
  await mineUntil(stage, 'a final verdict', async () => (await staged.client.cancellation('one', payment.id)).final)
  expect(await verdict(stage, payment, ({ final }) => final)).toMatchObject({ state: 'won', safe_to_retry: true })
  await audit(stage, sender)
})

// A node that names a price of 10^15 wei, one way or another: bids stay small, and transactions end.
import { expect, test } from 'vitest'
import { type Lie, lieAbout } from '../../tooling/lying-node.ts'
import type { RpcReply } from '../../tooling/rpc-server.ts'
import { cancel, inPool, mineUntil, noOpInPool, pay, view } from '../e2e/support/play.ts'
import { lyingStage, seats } from './support/lying-stage.ts'

const gwei = 1_000_000_000n
const lie = 10n ** 15n
const wei = `0x${lie.toString(16)}`
/** Twice the base fee of anvil, and four times the tip floor of a chain on no list. A replacement pays a tenth more. */
const mostOfThree = (16n * gwei * 11n) / 10n
/** A tip counts up to three times twice the believed one, 1.65 gwei here, and bids rise to ten times the market's price. */
const mostOfOne = 10n * (2n + 10n) * gwei
/** A pool's own minimum counts up to 100 gwei, and the ceiling is twice that. A no-op may need a tenth more. */
const mostByMinimum = (2n * (2n + 100n) * gwei * 11n) / 10n

interface History {
  readonly baseFeePerGas: readonly string[]
  readonly gasUsedRatio: readonly number[]
  readonly reward: readonly (readonly string[])[]
}

const rewards = lieAbout('eth_feeHistory', (result) => {
  const history = result as History
  const reward = history.reward.map((each) => each.map(() => wei))
  return { ...history, gasUsedRatio: history.gasUsedRatio.map(() => 0.5), reward }
})
const suggestion = lieAbout('eth_maxPriorityFeePerGas', () => wei)
const noHistory: RpcReply = { error: { code: -32601, message: 'the method does not exist' } }
const refusal: RpcReply = {
  error: { code: -32000, message: `transaction gas price below minimum: gas tip cap 1, minimum needed ${lie}` },
}

const lies: Readonly<Record<string, Lie>> = {
  'a suggestion': suggestion,
  rewards,
  'the next base fee': lieAbout('eth_feeHistory', (result) => {
    const history = result as History
    return { ...history, baseFeePerGas: history.baseFeePerGas.map(() => wei) }
  }),
  'a gas price': (call, honest) => {
    if (call.method === 'eth_feeHistory') return noHistory
    return (
      lieAbout('eth_gasPrice', () => wei)(call, honest) ?? lieAbout('eth_maxPriorityFeePerGas', () => wei)(call, honest)
    )
  },
  'a minimum, in a refusal': (call) => (call.method === 'eth_sendRawTransaction' ? refusal : undefined),
}

test.each(seats.flatMap((seat) => Object.keys(lies).map((what) => ({ seat, what }))))(
  '$seat names 10^15 wei as $what: bids stay small',
  async ({ seat, what }) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    // The first reading of a development chain is believed whole: from then on prices rise slowly.
    const first = await pay(stage, sender)
    await inPool(stage, sender, [0])
    await mineUntil(stage, 'the first payment', async () => (await view(stage, first)).status === 'confirmed')
    stage.liar.lie(lies[what] ?? (() => undefined))
    await stage.node.mine(51)
    if (what === 'a suggestion') {
      // A process keeps the one that it has for more than a minute.
      await stage.service.stop()
      await stage.service.restart()
    }
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [1])
    await cancel(stage, payment)
    await noOpInPool(stage, payment)
    await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
    const offered = (await stage.client.attempts('one', payment.id)).map(({ max_fee_per_gas: wei }) =>
      BigInt(wei ?? lie),
    )
    expect(offered.length).toBeGreaterThan(1)
    const mostOf = what === 'a minimum, in a refusal' ? mostByMinimum : mostOfOne
    const limit = seat === 'the only one' ? mostOf : mostOfThree
    for (const each of offered) expect(each).toBeLessThanOrEqual(limit)
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test('the only one names 10^15 wei in the first reading after a restart: the earlier belief still counts', async () => {
  await using stage = await lyingStage('the only one', { relayers: { one: {} } })
  const sender = stage.sender('one')
  const first = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await mineUntil(stage, 'the first payment', async () => (await view(stage, first)).status === 'confirmed')
  stage.liar.lie((call, honest) => rewards(call, honest) ?? suggestion(call, honest))
  await stage.service.stop()
  await stage.service.restart()
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [1])
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  const offered = (await stage.client.attempts('one', payment.id)).map(({ max_fee_per_gas: wei }) => BigInt(wei ?? lie))
  expect(offered.length).toBeGreaterThan(1)
  for (const each of offered) expect(each).toBeLessThanOrEqual(mostOfOne)
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

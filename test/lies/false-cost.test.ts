// One endpoint's receipts name a false price, gas or L1 fee: the cost of a final verdict is the chain's, or absent.
import { expect, test } from 'vitest'
import { lieAbout } from '../../tooling/lying-node.ts'
import { cancel, inPool, mineUntil, noOpInPool, type Payment, pay, verdict } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, type Seat, seatsAmongOthers } from './support/lying-stage.ts'

const much = `0x${(10n ** 70n).toString(16)}`
/** Members of a receipt, in place of the true ones. */
const falsehoods = [
  ['a price of 1 wei', { effectiveGasPrice: '0x1' }],
  ['a gas of 1', { gasUsed: '0x1' }],
  ['a price of 10^70 wei', { effectiveGasPrice: much }],
  ['an L1 fee of 10^70 wei', { l1Fee: much }],
] as const

interface Won {
  readonly cost: string | undefined
  /** What the chain took for the no-op. */
  readonly burned: string
}

/** A cancellation whose no-op waits, while the liar gives these members for the receipt of each transaction. */
async function noOpBehind(stage: LyingStage, members: object): Promise<Payment> {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  stage.liar.lie(lieAbout('eth_getTransactionReceipt', (honest) => honest && { ...honest, ...members }))
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  return payment
}

/** The final verdict, which the no-op won. */
async function wonBy(stage: LyingStage, payment: Payment): Promise<Won> {
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  const { state, cost, winner } = await verdict(stage, payment, ({ final }) => final)
  expect(state).toBe('won')
  const receipt = await stage.node.rpc<Record<'gasUsed' | 'effectiveGasPrice', string>>('eth_getTransactionReceipt', [
    winner?.hash,
  ])
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  return { cost, burned: (BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)).toString() }
}

const open = (seat: Seat) => lyingStage(seat, { relayers: { one: {} }, requiredConfirmations: 3 })

test.each(seatsAmongOthers.flatMap((seat) => falsehoods.map(([what, members]) => [seat, what, members] as const)))(
  '%s names %s: the cost is absent, and both receipts are kept',
  { timeout: 120_000 },
  async (seat, what, members) => {
    await using stage = await open(seat)
    const { cost } = await wonBy(stage, await noOpBehind(stage, members))
    expect(cost, what).toBeUndefined()
    const { body } = await stage.client.request('GET', '/networks/evm:localhost/contradictions')
    const { data } = body as { data: readonly { answers: readonly { answer: string }[] }[] }
    expect(
      data[0]?.answers.map(({ answer }) => Object.keys(JSON.parse(answer))),
      'two with a price',
    ).toEqual([
      expect.arrayContaining(['gas_used', 'effective_gas_price']),
      expect.arrayContaining(['gas_used', 'effective_gas_price']),
    ])
  },
)

test('one of two names a gas of 1 while the other is silent: only a cost that is not final is false', {
  timeout: 120_000,
}, async () => {
  await using stage = await open('one of two')
  const payment = await noOpBehind(stage, { gasUsed: '0x1' })
  await stage.line.cut()
  await stage.node.mine()
  const { cost: early } = await verdict(stage, payment, ({ state, final }) => state === 'won' && !final)
  await stage.line.mend()
  const { cost, burned } = await wonBy(stage, payment)
  expect(BigInt(early ?? burned)).toBeLessThan(BigInt(burned))
  expect(cost).toBeUndefined()
})

test.each(falsehoods)(
  'the only one names %s: the gas costs at most what the no-op names',
  { timeout: 120_000 },
  async (_what, members) => {
    await using stage = await open('the only one')
    const { cost, burned } = await wonBy(stage, await noOpBehind(stage, members))
    if ('l1Fee' in members) return expect(BigInt(cost ?? 0)).toBeGreaterThanOrEqual(BigInt(much))
    // No signature of ours allows such a price.
    if ('effectiveGasPrice' in members && members.effectiveGasPrice === much) return expect(cost).toBeUndefined()
    expect(BigInt(cost ?? 0)).toBeLessThan(BigInt(burned))
  },
)

test('all are honest: the cost is the chain’s', { timeout: 120_000 }, async () => {
  await using stage = await open('one of three')
  const { cost, burned } = await wonBy(stage, await noOpBehind(stage, {}))
  expect(cost).toBe(burned)
})

// A node that calls the price of valid bytes too low, and keeps none of them. Among others it costs a call: what another provider holds is
// not signed again at a higher price. As the only one it costs bids up to a limit.
import { expect, test } from 'vitest'
import { decode } from '../../tooling/ledger.ts'
import { audit } from '../e2e/support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, pay, verdict, view } from '../e2e/support/play.ts'
import { mineWithout } from './support/left-out.ts'
import { type LyingStage, lyingStage, seatsAmongOthers } from './support/lying-stage.ts'

const gwei = 1_000_000_000n
const words = ['replacement transaction underpriced', 'transaction underpriced: tip needed 25, tip permitted 1']

function refuses({ liar }: LyingStage, message: string): void {
  liar.withhold(({ method }) =>
    method === 'eth_sendRawTransaction' ? { error: { code: -32000, message } } : undefined,
  )
}

const kindsOf = ({ rows }: LyingStage, id: string) => rows.attempts(id).map(({ kind }) => kind)

test.each(seatsAmongOthers.flatMap((seat) => words.map((message) => ({ seat, message }))))(
  '$seat says "$message": nothing is signed at a higher price while another holds it',
  { timeout: 120_000 },
  async ({ seat, message }) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    refuses(stage, message)
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    // In the meantime bytes are repeated, in turn to each provider of the same weight.
    for (let blocks = 0; blocks < 10; blocks += 1) {
      await mineWithout(stage, [payment])
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(kindsOf(stage, payment.id)).toEqual(['execute'])
    await cancel(stage, payment)
    await noOpInPool(stage, payment)
    await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
    expect(await verdict(stage, payment, ({ final }) => final)).toMatchObject({ state: 'won', safe_to_retry: true })
    expect(kindsOf(stage, payment.id)).toEqual(['execute', 'cancel'])
    await audit(stage, sender)
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

/** The limit of prices: ten times the market's, which is a base fee of 1 gwei and a tip of 1.1. */
const mostPaid = 21n * gwei

test.each(words)('the only one says "%s": bids rise up to a limit, and are mined with the truth', async (message) => {
  await using stage = await lyingStage('the only one', { relayers: { one: {} } })
  const sender = stage.sender('one')
  refuses(stage, message)
  const payment = await pay(stage, sender)
  await mineUntil(stage, 'twenty bids', () => kindsOf(stage, payment.id).length >= 20)
  const tips = stage.rows.attempts(payment.id).map(({ raw }) => decode(raw).maxPriorityFeePerGas ?? 0n)
  for (const tip of tips) expect(tip).toBeLessThanOrEqual(mostPaid)
  stage.liar.repent()
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  await audit(stage, sender)
})

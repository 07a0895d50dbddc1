// A node that answers a send with a revert. The words behind it are those of a contract, which may choose those of a pool.
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { minedFrom } from '../../tooling/ledger.ts'
import { audit } from '../e2e/support/audit.ts'
import { cancel, inPool, mineUntil, pay, verdict, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage } from './support/lying-stage.ts'

const spoken = ['already known', 'nonce too low']
/** Where nodes put them. */
const forms = [
  (words: string) => ({ code: 3, message: `execution reverted: ${words}` }),
  (words: string) => ({ code: -32000, message: `Transaction simulation failed: execution reverted: ${words}` }),
  (words: string) => ({ code: 3, message: 'execution reverted', data: words }),
]
const errors = spoken.flatMap((words) => forms.map((form) => form(words)))

const outcomeOf = ({ rows }: LyingStage, id: string) => rows.attempts(id)[0]?.outcome

test.each(errors)('one of three answers $code "$message" ($data): another gets the bytes', async (error) => {
  await using stage = await lyingStage('one of three', { relayers: { one: {} } })
  stage.liar.withhold(({ method }) => (method === 'eth_sendRawTransaction' ? { error } : undefined))
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await until(() => outcomeOf(stage, payment.id) != null, { what: 'an answer' })
  expect(outcomeOf(stage, payment.id)).toBe('accepted')
  await inPool(stage, sender, [0])
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

test.each(errors)(
  'the only one keeps the bytes and answers $code "$message" ($data): a cancellation has a true verdict',
  async (error) => {
    await using stage = await lyingStage('the only one', { relayers: { one: {} } })
    stage.liar.lie(({ method }) => (method === 'eth_sendRawTransaction' ? { error } : undefined))
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await until(() => outcomeOf(stage, payment.id) != null, { what: 'an answer' })
    expect(outcomeOf(stage, payment.id)).toBe('unknown')
    await cancel(stage, payment)
    expect((await stage.client.cancellation('one', payment.id)).state).toBe('racing')
    await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
    const { state, winner } = await verdict(stage, payment, ({ final }) => final)
    const [mined] = await minedFrom(stage.node, sender.address)
    expect({ state, hash: winner?.hash }).toEqual({ state: mined?.value === 0n ? 'won' : 'lost', hash: mined?.hash })
    expect((await view(stage, payment)).status).toBe(state === 'won' ? 'canceled' : 'confirmed')
    await audit(stage, sender)
  },
)

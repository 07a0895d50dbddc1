// A node that says nothing to a send holds up no cancellation: it is raced at once, and once the node speaks again all ends true.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { decode, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, noOpInPool, type Payment, pay, verdict } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

/** One a test. */
const recipients = ['0x0000000000000000000000000000000000051101', '0x0000000000000000000000000000000000051102'] as const

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ requiredConfirmations: 2, relayers: { other: {}, itself: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** The line keeps silent to signed transactions that pay `to`, after it passed them on or before. */
function hushes(to: string, how: 'ignore' | 'swallow'): void {
  stage.line.onRequest(({ calls }) => {
    const raws = calls
      .filter(({ method }) => method === 'eth_sendRawTransaction')
      .map(({ params }) => String(params[0]))
    return raws.some((raw) => same(decode(raw).to ?? '', to)) ? { do: how } : { do: 'forward' }
  })
}

async function isOnItsWay(payment: Payment): Promise<void> {
  const paid = () => stage.line.sent().filter((raw) => same(decode(raw).to ?? '', payment.to))
  await until(() => paid().length > 0, { what: 'the payload to be on its way' })
  expect(stage.rows.attempts(payment.id).map(({ state }) => state)).toEqual(['sending'])
}

/** The no-op waited for no answer: there was none yet, or it came when the no-op had been signed. */
function expectSignedBeforeAnswer(canceled: Payment, hanging: Payment): void {
  const noOp = stage.rows.attempts(canceled.id).find(({ kind }) => kind === 'cancel')
  const [payload] = stage.rows.attempts(hanging.id)
  expect(noOp?.recorded_at).toBeLessThan(payload?.answered_at ?? Number.POSITIVE_INFINITY)
}

test('a no-op for another nonce goes out while a send hangs', async () => {
  const sender = stage.sender('other')
  const first = await pay(stage, sender)
  await inPool(stage, sender, [0])
  hushes(recipients[0], 'ignore')
  const hanging = await pay(stage, sender, { to: recipients[0] })
  await isOnItsWay(hanging)

  await cancel(stage, first)
  await noOpInPool(stage, first)
  expectSignedBeforeAnswer(first, hanging)
  stage.line.open()
  await stage.node.mine()
  expect(await verdict(stage, first, ({ state }) => state !== 'racing')).toMatchObject({ state: 'won' })
  await audit(stage, sender)
})

test('a no-op for the very nonce whose send hangs goes out beside it', async () => {
  const sender = stage.sender('itself')
  hushes(recipients[1], 'swallow')
  const hanging = await pay(stage, sender, { to: recipients[1] })
  await isOnItsWay(hanging)
  await inPool(stage, sender, [0])

  await cancel(stage, hanging)
  await noOpInPool(stage, hanging)
  expectSignedBeforeAnswer(hanging, hanging)
  stage.line.open()
  await stage.node.mine()
  expect(await verdict(stage, hanging, ({ state }) => state !== 'racing')).toMatchObject({ state: 'won' })
  await audit(stage, sender)
})

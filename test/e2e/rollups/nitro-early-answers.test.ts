// Behind a sequencer that answers with a hash before it orders, as Arbitrum announced: an accepted transaction may be lost, and no
// answer shows which of two came first. Verdicts and payments are true all the same.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../../tooling/client.ts'
import { balanceOf } from '../../../tooling/ledger.ts'
import { type NitroSequencer, startNitroSequencer } from '../../../tooling/rollups/nitro-sequencer.ts'
import { audit } from '../support/audit.ts'
import { cancel, mineUntil, type Payment, pay, view } from '../support/play.ts'
import { type Sender, type Stage, stageOn } from '../support/stage.ts'

let stage: Stage<NitroSequencer>
beforeAll(async () => {
  stage = await stageOn(await startNitroSequencer({ blockMsMin: 20 }), {
    requiredConfirmations: 2,
    profile: {
      ...{ pool: 'fcfs', no_op_gas: 'estimated', floor_gas: false, l1_fee: 'in_gas' },
      ...{ keeps_future_nonce_ms: 1_000 },
    },
    relayers: { lost: {}, ordered: {}, replaced: {}, queue: {} },
  })
  await stage.node.mine(3)
})
afterEach(async () => {
  stage.node.answerHashes('afterOrder')
  await stage.node.mine(2)
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const send = (sender: Sender) => pay(stage, sender, { gas_limit: 60_000 })
const attemptsOf = ({ id }: Payment, kind: string) => stage.rows.attempts(id).filter((each) => each.kind === kind)
const cancellation = ({ sender, id }: Payment) => stage.client.cancellation(sender.id, id)

const accepted = (payment: Payment, kind: string) =>
  until(() => attemptsOf(payment, kind).some(({ outcome }) => outcome === 'accepted'), {
    what: () => `a ${kind} to be accepted: ${JSON.stringify(stage.rows.attempts(payment.id))}`,
  })

/** From then on, the sequencer orders what it accepts. */
async function sendAndLose(sender: Sender): Promise<Payment> {
  stage.node.answerHashes('beforeLoss')
  const payment = await send(sender)
  await accepted(payment, 'execute')
  stage.node.answerHashes('beforeOrder')
  return payment
}

test('accepted, lost and canceled: the no-op takes the nonce at once, and the verdict is won', async () => {
  const sender = stage.sender('lost')
  const payment = await sendAndLose(sender)
  await cancel(stage, payment)
  await audit(stage, sender)
  expect(await cancellation(payment)).toMatchObject({ state: 'won', final: true, safe_to_retry: true })
  expect(attemptsOf(payment, 'cancel')).toHaveLength(1)
  expect(await balanceOf(stage.node, payment.to)).toBe(0n)
})

test('accepted, ordered and canceled: lost, and no no-op is mined', async () => {
  const sender = stage.sender('ordered')
  stage.node.answerHashes('beforeOrder')
  const payment = await send(sender)
  await accepted(payment, 'execute')
  await stage.client.request('DELETE', `/relayers/${sender.id}/transactions/${payment.id}`)
  const [mined, second] = await audit(stage, sender)
  expect([mined?.to, second]).toEqual([payment.to.toLowerCase(), undefined])
  expect(await balanceOf(stage.node, payment.to)).toBe(payment.value)
})

test('accepted, lost and replaced: the new payload is mined under the same nonce', async () => {
  const sender = stage.sender('replaced')
  const payment = await sendAndLose(sender)
  const to = '0x00000000000000000000000000000000000000a8'
  const { status } = await stage.client.request('PUT', `/relayers/${sender.id}/transactions/${payment.id}`, {
    body: { to, value: '9', gas_limit: 60_000, speed: 'fast' },
  })
  expect(status).toBe(200)
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  expect(await view(stage, payment)).toMatchObject({ nonce: 0, to, value: '9' })
  expect([await balanceOf(stage.node, to), await balanceOf(stage.node, payment.to)]).toEqual([9n, 0n])
  await audit(stage, sender)
})

test('five accepted, the second lost: it is broadcast again, and each is mined once', async () => {
  const sender = stage.sender('queue')
  stage.node.answerHashes('beforeOrder')
  const first = await send(sender)
  await accepted(first, 'execute')
  const second = await sendAndLose(sender)
  const payments = [first, second, await send(sender), await send(sender), await send(sender)]
  const isConfirmed = async (payment: Payment) => (await view(stage, payment)).status === 'confirmed'
  await mineUntil(stage, 'five confirmations', async () =>
    (await Promise.all(payments.map(isConfirmed))).every((confirmed) => confirmed),
  )
  await audit(stage, sender)
  for (const payment of payments) expect(attemptsOf(payment, 'execute')).toHaveLength(1)
})

// Behind a sequencer like Arbitrum's that answers with receipts: what it ordered can't be canceled, what it refused is free, and where
// nobody knows, one no-op asks.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SendBody, until } from '../../../tooling/client.ts'
import { balanceOf, nonceOf } from '../../../tooling/ledger.ts'
import { type NitroSequencer, startNitroSequencer } from '../../../tooling/rollups/nitro-sequencer.ts'
import { audit } from '../support/audit.ts'
import { cancel, mineUntil, type Payment, pay, reached, verdict, view } from '../support/play.ts'
import { type Sender, type Stage, stageOn } from '../support/stage.ts'

const profile = {
  ...{ pool: 'fcfs', no_op_gas: 'estimated', floor_gas: false, l1_fee: 'in_gas' },
  ...{ keeps_future_nonce_ms: 1_000, send_sync: true },
}
const baseFee = 10_000_000n
const l1WeiPerByte = 500_000_000n

let stage: Stage<NitroSequencer>
beforeAll(async () => {
  stage = await stageOn(await startNitroSequencer({ baseFee, l1WeiPerByte, blockMsMin: 20 }), {
    requiredConfirmations: 2,
    profile,
    relayers: {
      ...{ sent: {}, many: {}, refused: {}, accepted: { max_in_flight: 1_000 }, unheard: {}, unsent: {} },
      ...{ dearer: {}, late: {}, replaced: {}, all: {} },
    },
  })
  // The service prices by blocks that are there.
  await stage.node.mine(3)
})
afterEach(async () => {
  stage.line.open()
  stage.node.faults.always()
  stage.node.setBaseFee(baseFee)
  stage.node.l1Gas.price(l1WeiPerByte)
  await stage.node.mine(2)
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** With room for L1: the service takes a limit that a client names as it is. */
const send = (sender: Sender, body: Partial<SendBody> = {}) => pay(stage, sender, { gas_limit: 60_000, ...body })

const attemptsOf = ({ id }: Payment, kind: string) => stage.rows.attempts(id).filter((each) => each.kind === kind)

type Outcome = 'accepted' | 'rejected' | 'unknown'

async function attempted(payment: Payment, kind: string, ...outcomes: readonly Outcome[]): Promise<void> {
  await until(() => attemptsOf(payment, kind).some((each) => outcomes.some((outcome) => outcome === each.outcome)), {
    what: () =>
      `a ${kind} to be ${outcomes}: ${JSON.stringify(stage.rows.attempts(payment.id))}\n${stage.service.logs().slice(-3000)}`,
  })
}

/** A repeat of an accepted transaction is rejected: its nonce is spent, though the service sees no block. */
const ordered = (payment: Payment) => attempted(payment, 'execute', 'accepted', 'rejected')

/** The service sees no new block from now on; all else goes through. */
async function hideBlocks(): Promise<void> {
  const result = await stage.node.rpc('eth_getBlockByNumber', ['latest', false])
  const hidden = { error: { code: -32000, message: 'header not found' } }
  stage.line.onRequest(() => ({
    do: 'answerSome',
    each: ({ method, params }) => {
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return { result }
      // It would count what the hidden blocks hold. By number it does not.
      return method === 'eth_getTransactionCount' && params[1] === 'latest' ? hidden : undefined
    },
  }))
}

const cancellation = ({ sender, id }: Payment) => stage.client.cancellation(sender.id, id)

test('sent: mined as it is accepted, and its gas pays for L1', async () => {
  const sender = stage.sender('sent')
  const before = await balanceOf(stage.node, sender.address)
  const payment = await pay(stage, sender, {})
  // The limit of 21,000 that the client named is below what L1 needs. A no-op takes the nonce before the service says so.
  await mineUntil(stage, 'its end', async () => (await stage.client.get(sender.id, payment.id)).status === 'failed')
  expect(await stage.client.get(sender.id, payment.id)).toMatchObject({
    status_reason: expect.stringMatching(/^no node takes it as it is \(.+\): the no-op 0x[0-9a-f]{64} took its nonce$/),
  })
  expect(stage.rows.attempts(payment.id)[0]?.outcome_message).toContain('intrinsic gas too low')

  const recipient = '0x00000000000000000000000000000000000000a7'
  const { id } = await stage.client.send(sender.id, { to: recipient, value: '5', speed: 'average' })
  await mineUntil(stage, 'a confirmation', async () => (await stage.client.get(sender.id, id)).status === 'confirmed')
  const [noOp, mined] = await audit(stage, sender)
  expect(await balanceOf(stage.node, sender.address)).toBe(before - 5n - (noOp?.fee ?? 0n) - (mined?.fee ?? 0n))
  expect(mined?.fee).toBeGreaterThan(25_000n * baseFee)
})

test('canceled after a refusal: dropped, at no cost, and the next one takes the nonce', async () => {
  const sender = stage.sender('refused')
  stage.node.setBaseFee(1_000n * baseFee)
  const payment = await send(sender)
  await attempted(payment, 'execute', 'rejected')
  await cancel(stage, payment)
  expect(await verdict(stage, payment, ({ final }) => final)).toMatchObject({
    ...{ state: 'dropped', safe_to_retry: true, cost: '0' },
  })
  expect(attemptsOf(payment, 'cancel')).toEqual([])
  stage.node.setBaseFee(baseFee)
  await stage.node.mine(2)
  expect(await reached(stage, await send(sender), 'submitted', 'mined', 'confirmed')).toMatchObject({ nonce: 0 })
  await audit(stage, sender)
})

test('canceled after it was accepted: lost, and no no-op is paid for', async () => {
  const sender = stage.sender('accepted')
  await hideBlocks()
  const payment = await send(sender)
  await ordered(payment)
  expect(await cancel(stage, payment)).toMatchObject({ status: 'canceled' })
  // A repeat may have been refused since: its nonce is spent.
  const seen = await cancellation(payment)
  const isOrdered = attemptsOf(payment, 'execute').every(({ outcome }) => outcome === 'accepted')
  expect(seen).toMatchObject({ state: isOrdered ? 'lost' : 'racing', final: false, safe_to_retry: false })
  expect(seen.preconfirmed).toBe(isOrdered ? true : undefined)
  stage.line.open()
  await audit(stage, sender)
  expect(attemptsOf(payment, 'cancel')).toEqual([])
  expect(await cancellation(payment)).toMatchObject({ state: 'lost', final: true, safe_to_retry: false, cost: '0' })
  expect(await view(stage, payment)).toMatchObject({ status: 'confirmed' })
})

test('the answer was lost, though it was sequenced: the no-op comes too late, and the verdict is lost', async () => {
  const sender = stage.sender('unheard')
  await hideBlocks()
  stage.node.faults.always('answerLost')
  const payment = await send(sender)
  await attempted(payment, 'execute', 'unknown')
  await cancel(stage, payment)
  expect(await cancellation(payment)).toMatchObject({ final: false, safe_to_retry: false })
  stage.node.faults.always()
  stage.line.open()
  await audit(stage, sender)
  expect(await cancellation(payment)).toMatchObject({ state: 'lost', final: true })
})

test('the send was lost: the no-op takes the nonce, with the gas that L1 needs', async () => {
  const sender = stage.sender('unsent')
  stage.node.faults.always('lost')
  const payment = await send(sender)
  await attempted(payment, 'execute', 'unknown')
  await cancel(stage, payment)
  stage.node.faults.always()
  const [winner] = await audit(stage, sender)
  expect(await cancellation(payment)).toMatchObject({
    ...{ state: 'won', final: true, safe_to_retry: true, cost: String(winner?.fee) },
  })
  expect(attemptsOf(payment, 'cancel')).toHaveLength(1)
})

test('L1 grows dearer after the no-op was signed: another with more gas is', async () => {
  const sender = stage.sender('dearer')
  stage.node.faults.always('lost')
  const payment = await send(sender)
  await attempted(payment, 'execute', 'unknown')
  await cancel(stage, payment)
  await attempted(payment, 'cancel', 'unknown')
  stage.node.l1Gas.price(6n * l1WeiPerByte)
  stage.node.faults.always()
  await mineUntil(stage, 'the nonce to be used', async () => (await nonceOf(stage.node, sender.address)) === 1)
  await audit(stage, sender)
  expect(await cancellation(payment)).toMatchObject({ state: 'won', final: true })
})

test('expired: refused sends are dropped, those that may have been sent are raced', async () => {
  const sender = stage.sender('late')
  const validUntil = () => new Date(Date.now() + 4_000).toISOString()
  stage.node.setBaseFee(1_000n * baseFee)
  const refused = await send(sender, { valid_until: validUntil() })
  await attempted(refused, 'execute', 'rejected')
  // No block comes, from which the service would learn the price that it needs.
  await reached(stage, refused, 'expired')
  expect(await verdict(stage, refused, ({ final }) => final)).toMatchObject({ origin: 'expiry', state: 'dropped' })

  stage.node.setBaseFee(baseFee)
  await stage.node.mine(2)
  stage.node.faults.always('lost')
  const unknown = await send(sender, { valid_until: validUntil() })
  await attempted(unknown, 'execute', 'unknown')
  await reached(stage, unknown, 'expired')
  stage.node.faults.always()
  await audit(stage, sender)
  expect(await cancellation(unknown)).toMatchObject({ origin: 'expiry', state: 'won', final: true })
})

test('replaced: a refused payload never comes back, a lost one gives way, and an accepted one stands', async () => {
  const sender = stage.sender('replaced')
  const put = ({ id }: Payment, to: string) =>
    stage.client.request('PUT', `/relayers/${sender.id}/transactions/${id}`, {
      body: { to, value: '9', gas_limit: 60_000, speed: 'fast' },
    })
  stage.node.setBaseFee(1_000n * baseFee)
  const refused = await send(sender)
  await attempted(refused, 'execute', 'rejected')
  const [first, second] = ['0x00000000000000000000000000000000000000a5', '0x00000000000000000000000000000000000000A6']
  expect((await put(refused, first)).status).toBe(200)
  stage.node.setBaseFee(baseFee)
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, refused)).status === 'confirmed')
  expect(await balanceOf(stage.node, first)).toBe(9n)
  expect(await balanceOf(stage.node, refused.to)).toBe(0n)
  await audit(stage, sender)

  stage.node.faults.always('lost')
  const lost = await send(sender)
  await attempted(lost, 'execute', 'unknown')
  stage.node.faults.always()
  expect((await put(lost, first)).status).toBe(200)
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, lost)).status === 'confirmed')
  expect(await balanceOf(stage.node, first)).toBe(18n)
  expect(await balanceOf(stage.node, lost.to)).toBe(0n)
  const [before, after] = stage.rows.attempts(lost.id)
  expect(after?.kind).toBe('replace')
  // A pool would demand a tenth more.
  expect(Number(after?.max_fee_per_gas)).toBeLessThan(1.1 * Number(before?.max_fee_per_gas))

  await hideBlocks()
  const accepted = await send(sender)
  await ordered(accepted)
  expect(await put(accepted, second)).toMatchObject({
    ...{ status: 400, headers: { 'relayer-error-code': 'TRANSACTION_ALREADY_ORDERED' } },
  })
  stage.line.open()
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, accepted)).status === 'confirmed')
  expect(await view(stage, accepted)).toMatchObject({ to: accepted.to, value: String(accepted.value) })
  expect(await balanceOf(stage.node, accepted.to)).toBe(accepted.value)
  expect(await balanceOf(stage.node, second)).toBe(0n)
})

test('all at once: accepted ones are lost, one with an unknown outcome goes to a no-op, the rest are free', async () => {
  const sender = stage.sender('all')
  await hideBlocks()
  const accepted = [await send(sender), await send(sender)]
  for (const payment of accepted) await ordered(payment)
  stage.node.faults.always('lost')
  const unknown = await send(sender)
  await attempted(unknown, 'execute', 'unknown')
  const behind = [await send(sender), await send(sender)]
  expect(await stage.client.cancelPending(sender.id)).toMatchObject({ total_processed: 5 })
  // A send on its way at that moment has met the fault, too: it would be sequenced, and its cancellation lost.
  await attempted(unknown, 'cancel', 'unknown')
  stage.node.faults.always()
  stage.line.open()
  await audit(stage, sender)
  for (const payment of accepted) expect(await cancellation(payment)).toMatchObject({ state: 'lost', final: true })
  for (const payment of [unknown, ...behind]) {
    expect(await cancellation(payment)).toMatchObject({ final: true, safe_to_retry: true })
    expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  }
  const next = await send(sender)
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, next)).status === 'confirmed')
  await audit(stage, sender)
})

test('a repeat of a sequenced transaction is rejected: it holds up nothing, and its cancellation pays for no no-op', async () => {
  const sender = stage.sender('accepted')
  await hideBlocks()
  const first = await send(sender)
  await ordered(first)
  // Each send brings a step, and the service repeats only after some time.
  const isRepeated = async () => {
    await send(sender)
    return attemptsOf(first, 'execute').some(({ outcome }) => outcome === 'rejected')
  }
  await until(isRepeated, { everyMs: 100, what: 'the first to be repeated' })
  const second = await send(sender)
  await ordered(second)
  await cancel(stage, first)
  const refused = await stage.client.request('PUT', `/relayers/${sender.id}/transactions/${second.id}`, {
    body: { to: second.to, value: '9', gas_limit: 60_000, speed: 'fast' },
  })
  expect(refused).toMatchObject({ status: 400, headers: { 'relayer-error-code': 'TRANSACTION_ALREADY_ORDERED' } })
  stage.line.open()
  await audit(stage, sender)
  expect(await cancellation(first)).toMatchObject({ state: 'lost', final: true, cost: '0' })
  expect(attemptsOf(first, 'cancel')).toEqual([])
  expect(await view(stage, second)).toMatchObject({ status: 'confirmed' })
})

test('killed with an unknown outcome: the next process finds the sequenced transaction, and pays no no-op', async () => {
  const sender = stage.sender('many')
  const nonce = await nonceOf(stage.node, sender.address)
  await hideBlocks()
  stage.node.faults.always('answerLost')
  const payment = await send(sender)
  await until(async () => (await nonceOf(stage.node, sender.address)) > nonce, {
    what: 'it to be sequenced',
  })
  await stage.service.kill9()
  stage.node.faults.always()
  stage.line.open()
  await stage.service.restart()
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  const answer = await stage.client.request('DELETE', `/relayers/${sender.id}/transactions/${payment.id}`)
  expect(answer.status).toBe(400)
  expect(stage.rows.attempts(payment.id).map(({ kind }) => kind)).toEqual(['execute'])
  await audit(stage, sender)
})

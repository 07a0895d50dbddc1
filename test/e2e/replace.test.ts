// A new payload for a transaction: in the queue it takes the old one's place, in the pool it races it for the nonce.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { balanceOf } from '../../tooling/ledger.ts'
import { answered, cancel, inPool, type Payment, pay, reached } from './support/play.ts'
import { type AnyStage, anvilStage, hardhatStage, type Stage } from './support/stage.ts'

const receiver = '0x00000000000000000000000000000000000000a1'
const another = '0x00000000000000000000000000000000000000A2'

async function replace(stage: AnyStage, { sender, id }: Payment, body: Record<string, unknown>) {
  const answer = await stage.client.request('PUT', `/relayers/${sender.id}/transactions/${id}`, { body })
  return { status: answer.status, code: answer.headers['relayer-error-code'], ...(answer.body as { data: Body }) }
}

interface Body {
  readonly to: string
  readonly value: string
  readonly hash?: string
  readonly status: string
}

describe('on anvil', () => {
  let stage: Stage<Anvil>
  beforeAll(async () => {
    stage = await anvilStage({
      requiredConfirmations: 1,
      relayers: { two: {}, three: {}, four: {} },
    })
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  test('in the pool: the new payload takes the nonce, and the old one is never mined', async () => {
    const sender = stage.sender('two')
    const payment = await pay(stage, sender)
    const { hash } = await reached(stage, payment, 'submitted')
    await inPool(stage, sender, [0])
    await replace(stage, payment, { to: another, value: '9', gas_limit: 21_000, speed: 'fast' })
    expect((await answered(stage, payment, 2))[1]).toEqual(['replace', true])
    await stage.node.mine()
    const executed = await reached(stage, payment, 'confirmed')
    expect(executed).toMatchObject({ nonce: 0, value: '9', to: another })
    expect(executed.hash).not.toBe(hash)
    expect(await balanceOf(stage.node, another)).toBe(9n)
    expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  })

  test('the old payload is mined first: it is shown, and the replacement is said to have lost', async () => {
    const sender = stage.sender('three')
    const payment = await pay(stage, sender)
    const { hash } = await reached(stage, payment, 'submitted')
    await inPool(stage, sender, [0])
    stage.line.onSend({ do: 'drop' })
    await replace(stage, payment, { to: receiver, value: '11', gas_limit: 21_000, speed: 'fast' })
    await until(() => stage.rows.attempts(payment.id).some(({ kind }) => kind === 'replace'), { what: 'a replacement' })
    await stage.node.mine()
    stage.line.open()
    expect(await reached(stage, payment, 'confirmed')).toMatchObject({
      hash,
      to: payment.to,
      value: String(payment.value),
      status_reason: 'the replacement lost: the earlier payload was mined first',
    })
    expect(await balanceOf(stage.node, payment.to)).toBe(payment.value)
    const late = await replace(stage, payment, { to: receiver, value: '1', gas_limit: 21_000 })
    expect(late).toMatchObject({ status: 400, code: 'TRANSACTION_ALREADY_CONFIRMED' })
  })

  test('replaced, replaced again with fees of its own, then canceled: none of the three is executed', async () => {
    const sender = stage.sender('four')
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    await replace(stage, payment, { to: receiver, value: '13', gas_limit: 21_000, speed: 'fast' })
    await until(() => stage.rows.attempts(payment.id).some(({ kind }) => kind === 'replace'), { what: 'a replacement' })
    const fees = { max_fee_per_gas: '1', max_priority_fee_per_gas: '1' }
    await replace(stage, payment, { to: another, value: '17', gas_limit: 21_000, ...fees })
    await until(async () => (await stage.client.get(sender.id, payment.id)).status_reason?.includes('it needs'), {
      what: 'a reason that says what the replacement needs',
    })
    expect(await cancel(stage, payment)).toMatchObject({ status: 'canceled' })
    const refused = await replace(stage, payment, { to: another, value: '1', gas_limit: 21_000 })
    expect(refused).toMatchObject({ status: 400, code: 'TRANSACTION_ALREADY_CANCELED' })
    expect((await answered(stage, payment, 3))[2]).toEqual(['cancel', true])
    const before = [await balanceOf(stage.node, receiver), await balanceOf(stage.node, another)]
    await stage.node.mine()
    await until(async () => (await stage.client.cancellation(sender.id, payment.id)).state === 'won', { what: 'won' })
    expect([await balanceOf(stage.node, receiver), await balanceOf(stage.node, another)]).toEqual(before)
    expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  })
})

describe('on a strict pool', () => {
  let stage: Stage<Hardhat>
  beforeAll(async () => {
    stage = await hardhatStage({ requiredConfirmations: 1, relayers: { one: {} } })
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  test('a replacement is accepted at the first try', async () => {
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await reached(stage, payment, 'submitted')
    await replace(stage, payment, { to: receiver, value: '19', gas_limit: 21_000, speed: 'safeLow' })
    expect(await answered(stage, payment, 2)).toEqual([
      ['execute', true],
      ['replace', true],
    ])
    await stage.node.mine()
    expect(await reached(stage, payment, 'confirmed')).toMatchObject({ value: '19' })
    expect(stage.rows.attempts(payment.id)).toHaveLength(2)
  })
})

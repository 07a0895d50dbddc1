// Access lists (EIP-2930): sent to the node in the estimate, signed, and a cancellation goes on.
import { encodeErrorResult, getAddress, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { decode } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { answered, cancel, inPool, noOpInPool, type Payment, pay, reached, verdict, view } from './support/play.ts'
import { type AnyStage, anvilStage, hardhatStage, type Stage } from './support/stage.ts'

const contract = getAddress('0x00000000000000000000000000000000c0ffee11')
const slot = `0x${'0'.repeat(64)}`
const list = [{ address: contract, storage_keys: [slot] }]
const signedList = [{ address: contract.toLowerCase(), storageKeys: [slot] }]

/** Loads slot 0, and reverts with Error(string) where that was cheap: the transaction had announced it. */
function revertingIfAnnounced(reason: string): string {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [reason] })
  const bytes = ((data.length - 2) / 2).toString(16).padStart(2, '0')
  // cost = gas before SLOAD(0) less gas after; 1000 > cost ? revert : stop
  const measure = '5a600054505a90036103e811601057005b'
  return `0x${measure}60${bytes}601d60003960${bytes}6000fd${data.slice(2)}`
}

const estimated = { gas_limit: undefined } as unknown as { gas_limit: number }
const call = { to: contract, value: '0', data: '0x' }

function replace(stage: AnyStage, { sender, id }: Payment, body: Record<string, unknown>) {
  return stage.client.request('PUT', `/relayers/${sender.id}/transactions/${id}`, { body })
}

describe('on anvil', () => {
  let stage: Stage<Anvil>
  beforeAll(async () => {
    stage = await anvilStage({ relayers: { estimate: {}, revert: {} } })
    await stage.node.rpc('anvil_setCode', [contract, revertingIfAnnounced('announced')])
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  test('the estimate is made with the list', async () => {
    const sender = stage.sender('estimate')
    const announced = await pay(stage, sender, { ...call, ...estimated, access_list: list })
    expect(await reached(stage, announced, 'failed')).toMatchObject({ status_reason: 'it would revert: announced' })
    const silent = await pay(stage, sender, { ...call, ...estimated })
    await inPool(stage, sender, [0])
    await stage.node.mine()
    await reached(stage, silent, 'confirmed')
  })

  test('what reverted on chain is run again with the list, so that its reason is found', async () => {
    const sender = stage.sender('revert')
    const payment = await pay(stage, sender, { ...call, gas_limit: 60_000, access_list: list })
    await inPool(stage, sender, [0])
    await stage.node.mine()
    expect((await reached(stage, payment, 'failed')).status_reason).toContain('announced')
  })
})

describe('on a strict pool', () => {
  let stage: Stage<Hardhat>
  beforeAll(async () => {
    stage = await hardhatStage({
      requiredConfirmations: 2,
      relayers: { market: {}, priced: {}, typed: {}, empty: {}, replaced: {} },
    })
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  const signedTransactions = (payment: Payment) => stage.rows.attempts(payment.id).map(({ raw }) => decode(raw))

  test.each([
    ['market', { access_list: list }, 'eip1559', signedList],
    ['priced', { gas_price: '70000000001', access_list: list }, 'eip2930', signedList],
    [
      'typed',
      { max_fee_per_gas: '9000000001', max_priority_fee_per_gas: '7', access_list: list },
      'eip1559',
      signedList,
    ],
    ['empty', { gas_price: '70000000001', access_list: [] }, 'eip2930', undefined],
  ])(
    'canceled in the pool, priced by %s: the first no-op is accepted, and of the same type',
    async (id, body, type, signed) => {
      const sender = stage.sender(id)
      const payment = await pay(stage, sender, { gas_limit: 30_000, ...body })
      await inPool(stage, sender, [0])
      expect(await view(stage, payment)).toMatchObject({ access_list: body.access_list })
      await cancel(stage, payment)
      const hash = await noOpInPool(stage, payment)
      const [original, noOp] = signedTransactions(payment)
      expect([original?.type, noOp?.type]).toEqual([type, type])
      expect([original?.accessList, noOp?.accessList]).toEqual([signed, undefined])
      expect(await answered(stage, payment, 2)).toEqual([
        ['execute', true],
        ['cancel', true],
      ])
      const mined = await audit(stage, sender)
      expect(mined.map((each) => each.hash)).toEqual([hash])
      expect(signedTransactions(payment)).toHaveLength(2)
      expect(await verdict(stage, payment, ({ final }) => final)).toMatchObject({
        state: 'won',
        cost: expect.anything(),
      })
    },
  )

  test('a replacement that only adds a list is accepted at the first try, and is shown', async () => {
    const sender = stage.sender('replaced')
    const payment = await pay(stage, sender, { gas_price: '70000000001' })
    await reached(stage, payment, 'submitted')
    const { to, value } = payment
    const body = { to, value: String(value), gas_limit: 30_000, speed: 'fast', access_list: list }
    expect(await replace(stage, payment, body)).toMatchObject({ status: 200, body: { data: { access_list: list } } })
    expect(await answered(stage, payment, 2)).toEqual([
      ['execute', true],
      ['replace', true],
    ])
    expect(signedTransactions(payment).map(({ type }) => type)).toEqual(['legacy', 'eip2930'])
    await stage.node.mine(2)
    expect(await reached(stage, payment, 'confirmed')).toMatchObject({
      access_list: list,
      gas_price: expect.anything(),
    })
  })
})

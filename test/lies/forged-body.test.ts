// A node that shows a foreign transaction in the place of ours: it proves none, so no payload is sent a second time.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import type { Lie } from '../../tooling/lying-node.ts'
import { inPool, mineUntil, pay, reached, view } from '../e2e/support/play.ts'
import { lyingStage, seats } from './support/lying-stage.ts'

interface Block {
  readonly transactions: readonly ({ readonly from: string } | string)[]
}

/** No receipts, and another transaction of the account in each body. */
function inPlaceOf(sender: string, alter: (transaction: object) => object): Lie {
  return ({ method, params }, honest) => {
    if (method === 'eth_getTransactionReceipt') return { result: null }
    if (method !== 'eth_getBlockByNumber' || params[1] !== true || !('result' in honest)) return undefined
    const block = honest.result as Block | null
    if (!block) return undefined
    const transactions = block.transactions.map((each) =>
      typeof each === 'object' && each.from.toLowerCase() === sender.toLowerCase() ? alter(each) : each,
    )
    return { result: { ...block, transactions } }
  }
}

const hash = `0x${'de'.repeat(32)}`
const to = `0x${'00'.repeat(19)}ff`
const forgeries: readonly (readonly [string, (transaction: object) => object])[] = [
  ['another hash and receiver', (transaction) => ({ ...transaction, hash, to })],
  ['a type that no signature proves', ({ ...it }) => ({ ...it, hash, to, type: '0x7e', r: '0x0', s: '0x0', v: '0x0' })],
]

const cases = seats.flatMap((seat) => forgeries.map(([forgery, alter]) => ({ seat, forgery, alter })))

test.each(cases)('$seat shows $forgery: the payment is executed once, and said so', async ({ seat, alter }) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} } })
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  stage.liar.lie(inPlaceOf(sender.address, alter))
  await stage.node.mine(6)
  if (seat === 'the only one') {
    const bodies = () => stage.liar.calls('eth_getBlockByNumber').filter(({ params: [, isWhole] }) => isWhole).length
    await mineUntil(stage, 'the forged body to be read twice', () => bodies() >= 2)
    const { status, status_reason } = await view(stage, payment)
    expect({ status, reason: status_reason ?? '' }).toMatchObject({ status: expect.stringMatching(/sent|submitted/) })
    stage.liar.repent()
  }
  await mineUntil(stage, 'the payment to be confirmed', async () => (await view(stage, payment)).status === 'confirmed')
  await reached(stage, payment, 'confirmed')
  const mined = await minedFrom(stage.node, sender.address)
  expect(mined.map(({ value }) => value)).toEqual([payment.value])
  expect(stage.rows.attempts(payment.id)).toHaveLength(1)
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

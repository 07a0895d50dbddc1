// A node whose blocks show entries with members missing, as gateways show deposits of rollups: they hide nobody's transaction.
import { expect, test } from 'vitest'
import { minedFrom, same } from '../../tooling/ledger.ts'
import type { Lie } from '../../tooling/lying-node.ts'
import { audit } from '../e2e/support/audit.ts'
import { copyDatabase, putBack } from '../e2e/support/copy.ts'
import { spendBehindItsBack } from '../e2e/support/foreign.ts'
import { cancel, inPool, mineUntil, type Payment, pay, payTimes, verdict, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

interface Entry {
  readonly hash?: string
  readonly [member: string]: unknown
}
type Bodies = (entries: readonly Entry[]) => readonly unknown[]

/** The bodies of blocks, and receipts with further members. */
function shows(bodies: Bodies, inReceipts: object = {}): Lie {
  return ({ method, params }, honest) => {
    if (!('result' in honest) || honest.result === null) return undefined
    const result = honest.result as { readonly transactions?: unknown }
    if (method === 'eth_getTransactionReceipt') return { result: { ...result, ...inReceipts } }
    if (method !== 'eth_getBlockByNumber' || params[1] !== true) return undefined
    return { result: { ...result, transactions: bodies(result.transactions as readonly Entry[]) } }
  }
}

/** A deposit from L1 by the system, as some gateways show it. */
const deposit = {
  hash: `0x${'de'.repeat(32)}`,
  from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
  to: '0x4200000000000000000000000000000000000015',
  type: '0x7e',
  value: '0x0',
  input: '0x',
}
const withDeposit: Bodies = (entries) => [deposit, ...entries]

/** A payment in the pool whose nonce a foreign transaction takes, and the client cancels. */
async function displaced(stage: LyingStage): Promise<{ payment: Payment; spender: string }> {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  // No no-op outbids it.
  const spender = await spendBehindItsBack(stage.node, sender, 0, 5_000_000_000_000n)
  await cancel(stage, payment)
  return { payment, spender }
}

async function endsAsExternal(stage: LyingStage, payment: Payment, spender: string): Promise<void> {
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
  const reported = await verdict(stage, payment, ({ final }) => final)
  expect(reported).toMatchObject({ state: 'external', safe_to_retry: true, winner: { hash: spender } })
  await audit(stage, stage.sender('one'), 1)
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
}

test.each(seats)('%s omits the nonce of a deposit in each block: a foreign spender is found', async (seat) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} } })
  stage.liar.lie(shows(withDeposit))
  const { payment, spender } = await displaced(stage)
  await endsAsExternal(stage, payment, spender)
})

test.each(seats)('%s omits the nonce of our own deposit: its receipt names it', async (seat) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} } })
  const { payment, spender } = await displaced(stage)
  const asDeposit = ({ nonce: _, r: _r, s: _s, v: _v, yParity: _y, ...entry }: Entry) => ({ ...entry, type: '0x7e' })
  const bodies: Bodies = (entries) => entries.map((each) => (each.hash === spender ? asDeposit(each) : each))
  stage.liar.lie(shows(bodies, { depositNonce: '0x0' }))
  await endsAsExternal(stage, payment, spender)
})

test.each(['from', 'nonce', 'hash'])('one of three omits the %s of the spender: another shows it', async (member) => {
  await using stage = await lyingStage('one of three', { relayers: { one: {} } })
  const { payment, spender } = await displaced(stage)
  const bodies: Bodies = (entries) =>
    entries.map((each) => (each.hash === spender ? { ...each, [member]: undefined } : each))
  stage.liar.lie(shows(bodies))
  await endsAsExternal(stage, payment, spender)
})

test.each(seats)('%s omits the nonce of a deposit in each block: a restored copy finds what it lost', async (seat) => {
  await using stage = await lyingStage(seat, {
    requiredConfirmations: 3,
    relayers: { one: { max_in_flight: 1 } },
  })
  const sender = stage.sender('one')
  stage.liar.lie(shows(withDeposit))
  const payments = await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  await mineUntil(stage, 'the first two', async () => (await minedFrom(stage.node, sender.address)).length >= 2)
  await putBack(stage)
  await mineUntil(stage, 'all three', async () => {
    const views = await Promise.all(payments.map((payment) => view(stage, payment)))
    return views.every(({ status }) => status === 'confirmed')
  })
  const mined = await audit(stage, sender)
  expect(payments.map((payment) => mined.filter(({ to }) => same(to, payment.to)).length)).toEqual([1, 1, 1])
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

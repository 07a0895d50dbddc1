// A node that counts far more transactions of the account than it can have: no nonce is bound that the account never reaches,
// and nothing is left of the lie once it is over.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import { lieAbout } from '../../tooling/lying-node.ts'
import { mineUntil as mineUntilFor, type Payment, pay, payTimes, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

const far = [20_000, 10 ** 12, Number.MAX_SAFE_INTEGER] as const
/** A count is kept for a minute. */
const mineUntil = (stage: LyingStage, what: string, isSo: () => Promise<boolean>) =>
  mineUntilFor(stage, what, isSo, 120_000)
const hex = (number: number) => `0x${number.toString(16)}`

/** At a block and in the pool. */
const more = (by: number) =>
  lieAbout('eth_getTransactionCount', (count) => hex(Math.min(Number(count) + by, Number.MAX_SAFE_INTEGER)))

const isConfirmed = (stage: LyingStage, payment: Payment) => async () =>
  (await view(stage, payment)).status === 'confirmed'

/** The service forgets the counts that it remembers. */
async function restart({ service, node }: LyingStage): Promise<void> {
  await service.kill9()
  await service.restart()
  await node.mine(5)
}

async function conditionOf(stage: LyingStage): Promise<string | undefined> {
  const { body } = await stage.client.request('GET', '/overview')
  return JSON.stringify(body)
}

const noncesOf = async (stage: LyingStage) =>
  (await minedFrom(stage.node, stage.sender('one').address)).map(({ nonce }) => nonce)

const gapFillers = ({ rows }: LyingStage) => rows.transactionsOf('one').filter(({ origin }) => origin === 'gap')

/** The second payment: the first is confirmed before the lie begins, and the service starts anew in between. */
async function payOnceItLies(stage: LyingStage, by: number) {
  const sender = stage.sender('one')
  const [first] = await payTimes(stage, sender, 1)
  if (!first) throw new Error('one was paid')
  await mineUntil(stage, 'the first payment', isConfirmed(stage, first))
  stage.liar.lie(more(by))
  await restart(stage)
  return pay(stage, sender)
}

test.each(far)(
  'one of three counts %d too many for as long as it runs: the payment gets the next nonce',
  async (by) => {
    await using stage = await lyingStage('one of three', { relayers: { one: {} } })
    const payment = await payOnceItLies(stage, by)
    await mineUntil(stage, 'the payment', isConfirmed(stage, payment))
    expect(await noncesOf(stage)).toEqual([0, 1])
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test.each(far)('the only one counts %d too many: nothing is bound, and the lie leaves no trace', async (by) => {
  await using stage = await lyingStage('the only one', { relayers: { one: {} } })
  const payment = await payOnceItLies(stage, by)
  const isDoubted = async () => (await view(stage, payment)).status_reason?.includes('a node counts so many') === true
  await mineUntil(stage, 'the doubt', isDoubted)
  await stage.node.mine(5)
  expect((await view(stage, payment)).status).toBe('pending')
  expect(gapFillers(stage)).toEqual([])
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  expect(await conditionOf(stage)).toContain('gap_unconfirmed')

  stage.liar.repent()
  await mineUntil(stage, 'the payment', isConfirmed(stage, payment))
  expect(await noncesOf(stage)).toEqual([0, 1])
  expect(gapFillers(stage)).toEqual([])
})

test.each(seats)('an account that 20,000 transactions moved elsewhere, and %s is honest', async (seat) => {
  await using stage = await lyingStage(seat, { relayers: { one: {} } })
  const sender = stage.sender('one')
  // The first nonce on record needs no confirmation.
  await stage.node.rpc('anvil_setNonce', [sender.address, hex(30_000)])
  await stage.node.mine()
  const first = await pay(stage, sender)
  await mineUntil(stage, 'the first payment', isConfirmed(stage, first))
  await stage.node.rpc('anvil_setNonce', [sender.address, hex(50_000)])
  await restart(stage)
  const payment = await pay(stage, sender)
  if (seat === 'the only one') {
    const isDoubted = async () =>
      (await view(stage, payment)).status_reason?.includes('permit it if it is right') === true
    await mineUntil(stage, 'the doubt', isDoubted)
    const permitted = await stage.client.request('POST', '/relayers/one/gap-fillers', { body: { count: 1 } })
    expect(permitted.status).toBe(200)
  }
  await mineUntil(stage, 'the payment', isConfirmed(stage, payment))
  expect((await view(stage, payment)).nonce).toBe(50_000)
  expect(gapFillers(stage)).toEqual([])
})

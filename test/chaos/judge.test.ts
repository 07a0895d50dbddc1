// The oracle itself: it accepts a world in order, and names the fault of one that was tampered with.
import { expect, test } from 'vitest'
import { devAccount } from '../../tooling/dev-accounts.ts'
import type { Sender } from './replicas/cluster.ts'
import type { AttemptRow, Broadcast, Evidence, Onchain, Row } from './replicas/evidence.ts'
import type { Entry } from './replicas/journal.ts'
import { judge } from './replicas/judge.ts'
import { falseVerdict, type Verdict } from './replicas/judge-verdicts.ts'
import { noTraffic, type Payment, type Traffic } from './replicas/traffic.ts'

const sender: Sender = { id: 'one-0', chain: 'one', ...devAccount(0) }
const from = sender.address.toLowerCase()
const receivers = ['0x00000000000000000000000000000000000000a0', '0x00000000000000000000000000000000000000a1'] as const

interface World extends Evidence {
  readonly traffic: Traffic
  readonly rows: Row[]
  readonly attempts: AttemptRow[]
  readonly onchain: Onchain[]
  readonly broadcasts: Broadcast[]
  readonly journal: Entry[]
}

/** One payment that was made, and one whose cancellation won: nonces 0 and 1. */
function inOrder(): World {
  const payment = (place: 0 | 1): Payment => ({
    ...{ sender, key: `payment-${place}`, to: receivers[place], ids: new Set([`id-${place}`]) },
    ...{ cancelRequested: place === 1, canceled: place === 1, tooLate: false },
  })
  const row = (place: 0 | 1, status: string): Row => ({
    ...{ id: `id-${place}`, relayer: sender.id, origin: 'client', to: receivers[place], status, open: 0 },
    ...{ nonce: place, canceled: place === 1, ends: 1 },
  })
  const sent = (hash: string, nonce: number, to: string, value: bigint) => ({
    chain: 'one',
    hash,
    from,
    to,
    nonce,
    value,
  })
  const noted = { at: 0, replica: 'first', raw: '0x' as const, wasRecorded: true, refused: false }
  const paid = sent('0xpaid', 0, receivers[0], 1_000n)
  const original = sent('0xoriginal', 1, receivers[1], 1_000n)
  const noOp = sent('0xnoop', 1, from, 0n)
  const entry = (id: number, what: Entry['what'], hash: string | null): Entry => ({
    ...{ id, at: id, what, replica: 'first', relayer: sender.id, epoch: 7, hash },
  })
  return {
    traffic: { ...noTraffic(), payments: [payment(0), payment(1)] },
    rows: [row(0, 'confirmed'), row(1, 'canceled')],
    attempts: [
      { transaction: 'id-0', nonce: 0, kind: 'execute', hash: '0xpaid' },
      { transaction: 'id-1', nonce: 1, kind: 'execute', hash: '0xoriginal' },
      { transaction: 'id-1', nonce: 1, kind: 'cancel', hash: '0xnoop' },
    ],
    onchain: [paid, noOp],
    broadcasts: [paid, original, noOp].map((each) => ({ ...noted, ...each })),
    journal: [entry(1, 'acquired', null), entry(2, 'signed', '0xpaid')],
  }
}

const replaceIn = <T>(items: T[], place: number, change: Partial<T>) => {
  items[place] = { ...(items[place] as T), ...change }
}

test('of a world in order it says nothing', () => {
  const world = inOrder()
  expect(judge([sender], world.traffic, world)).toEqual([])
})

test.each<[string, (world: World) => void, RegExp]>([
  [
    'a payment that was made twice',
    (w) => w.onchain.push({ ...(w.onchain[0] as Onchain), hash: '0xagain', nonce: 2 }),
    /on chain 2 times/,
  ],
  ['one that was not made', (w) => w.onchain.shift(), /not on chain, and was not canceled/],
  ['one that was acknowledged and is not stored', (w) => w.rows.shift(), /acknowledged as id-0 and is not stored/],
  ['one name for two', (w) => w.traffic.payments[0]?.ids.add('id-9'), /answered with id-0 and id-9/],
  ['one that is stored twice', (w) => w.rows.push({ ...(w.rows[0] as Row), id: 'id-8' }), /stored 2 times/],
  ['one that nobody sent', (w) => w.rows.push({ ...(w.rows[0] as Row), id: 'id-8', to: '0xelse' }), /nobody sent it/],
  [
    'a DELETE that was forgotten',
    (w) => replaceIn(w.rows, 1, { canceled: false }),
    /DELETE of id-1 was answered and is not/,
  ],
  ['a cancellation out of nowhere', (w) => replaceIn(w.rows, 0, { canceled: true }), /canceled by nobody/],
  ['what stays open', (w) => replaceIn(w.rows, 0, { open: 1 }), /id-0 is open/],
  ['two ends', (w) => replaceIn(w.rows, 0, { ends: 2 }), /2 terminal events/],
  ['no end', (w) => replaceIn(w.rows, 0, { ends: 0 }), /0 terminal events/],
  ['a nonce that was left out', (w) => replaceIn(w.onchain, 1, { nonce: 2 }), /nonce 2 is mined in place 1/],
  ['an end beyond the account', (w) => replaceIn(w.rows, 0, { nonce: 5 }), /ended with nonce 5, which is not on chain/],
  ['bytes that nobody recorded', (w) => w.attempts.pop(), /nonce 1 went to 0xnoop, which no attempt tells/],
  ['bytes that left too early', (w) => replaceIn(w.broadcasts, 0, { wasRecorded: false }), /go before it was recorded/],
  [
    'a nonce of two',
    (w) => replaceIn(w.attempts, 1, { transaction: 'id-0' }),
    /given to id-0 and id-1, and nodes had both/,
  ],
  [
    'a second writer',
    (w) => replaceIn(w.journal, 1, { replica: 'second' }),
    /second recorded 0xpaid of one-0 under epoch 7, which is first's/,
  ],
])('it notices %s', (_, tamper, reported) => {
  const world = inOrder()
  tamper(world)
  expect(judge([sender], world.traffic, world).join('\n')).toMatch(reported)
})

test('what a bulk cancellation took that was carried out unheard is nobody’s fault', () => {
  const world = inOrder()
  replaceIn(world.rows, 0, { canceled: true })
  world.traffic.unheardBulks.add(sender)
  expect(judge([sender], world.traffic, world)).toEqual([])
})

test('a verdict is held against the chain', () => {
  const world = inOrder()
  const [, canceled] = world.rows as [Row, Row]
  const reported = (state: string, final = true): Verdict => ({ state, final })
  expect(falseVerdict(canceled, reported('won'), world)).toBeUndefined()
  expect(falseVerdict(canceled, reported('won', false), world)).toMatch(/not final/)
  expect(falseVerdict(canceled, reported('dropped'), world)).toMatch(/shows won/)
  world.onchain[1] = world.broadcasts[1] as Onchain
  expect(falseVerdict(canceled, reported('won'), world)).toMatch(/shows lost/)
  world.onchain.pop()
  expect(falseVerdict(canceled, reported('dropped'), world)).toMatch(/somebody else/)
})

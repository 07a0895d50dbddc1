// A database that an earlier release wrote is brought to today's schema, and its verdicts are read as they stood.
import { expect, test } from 'vitest'
import { verdictOn } from '../../src/domain/cancel.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { confirmedAtOf, isInPhase, returnsToQueue, statusOf } from '../../src/domain/transaction.ts'
import { hashOf } from '../http/support/rows.ts'
import { send } from './contract.ts'
import { earlierDatabases, schemaBefore } from './earlier-database.ts'

const relayer = 'one' as RelayerId
const address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const [payload, noOp, block] = [hashOf(1), hashOf(2), hashOf(3)]

/** One that was won, and one that was lost. */
const rows: readonly string[] = [
  `INSERT INTO relayers (id, name, network, chain_id, address, signer_id, paused, policies, epoch, last_sequence, spent_below)
    VALUES ('${relayer}', 'one', 'localhost', 31337, '${address}', 's', 0, '{}', 1, 2, 2)`,
  ...[
    { id: 'won', sequence: 1, kind: 'cancel', spender: noOp, status: 'canceled' },
    { id: 'lost', sequence: 2, kind: 'execute', spender: payload, status: 'confirmed' },
  ].flatMap(({ id, sequence, kind, spender, status }) => [
    `INSERT INTO transactions (id, relayer_id, sequence, version, created_at, origin, from_address, to_address, value, data,
      pricing, speed, phase, open, status, nonce, sent_at, canceled_at, cancel_origin, ended_at, included_kind, included_hash,
      included_block, included_block_hash, included_succeeded, gas_used, effective_gas_price)
      VALUES ('${id}', '${relayer}', ${sequence}, 7, 1, 'client', '${address}', '${address}', '1', '0x', 'speed', 'fast',
      'final', 0, '${status}', ${sequence}, 2, 3, 'request', 9, '${kind}', '${spender}', 100, '${block}', 1, 21000, '2000000000')`,
    ...[payload, noOp].map(
      (hash, position) =>
        `INSERT INTO attempts (transaction_id, nonce, position, hash, kind, revision, gas_limit, gas_price, raw, r, s, v,
          recorded_at, recorded_at_block, state) VALUES ('${id}', ${sequence}, ${position}, '${hash}',
          '${position === 0 ? 'execute' : 'cancel'}', 0, 21000, '2000000000', '0x02', '${block}', '${block}', 1, 2, 90, 'sending')`,
    ),
  ]),
]

const mined: readonly string[] = [
  ...rows,
  "UPDATE transactions SET phase = 'mined', open = 1, status = 'mined', ended_at = NULL, canceled_at = NULL, cancel_origin = NULL WHERE id = 'lost'",
  `INSERT INTO tallies (relayer_id, status, count) VALUES ('${relayer}', 'mined', 1)`,
]

test.each(earlierDatabases())(
  'a transaction that was mined before there were two thresholds is not confirmed yet, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('016-finality', dialect), ...mined])
    const [transaction] = (await store.reads.work(relayer))?.open ?? []
    if (!transaction || !isInPhase(transaction, 'mined')) throw new Error('it is not mined')
    expect([statusOf(transaction), transaction.lifecycle.confirmedAt]).toEqual(['mined', undefined])
    const confirmed = { ...transaction, lifecycle: { ...transaction.lifecycle, confirmedAt: 77 } }
    await store.commit((session) => session.saveTransaction(transaction, confirmed, 77))
    const read = await store.reads.transaction(relayer, transaction.id)
    expect(read && [statusOf(read), confirmedAtOf(read)]).toEqual(['confirmed', 77])
    // Transactions final then were confirmed at the same time.
    const won = await store.reads.transaction(relayer, 'won' as TransactionId)
    expect(won?.lifecycle).toMatchObject({ phase: 'final', finalAt: 9 })
  },
)

test.each(earlierDatabases())(
  'verdicts from before L1 fees were kept cost what they did, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('011-l1-fee', dialect), ...rows])
    const read = async (id: string) => {
      const transaction = await store.reads.transaction(relayer, id as TransactionId)
      if (!transaction) throw new Error(`${id} is gone`)
      return { status: statusOf(transaction), ...verdictOn(transaction) }
    }
    const winner = { block: { number: 100, hash: block } }
    expect(await read('won')).toEqual({
      ...{ status: 'canceled', state: 'won', final: true, safeToRetry: true, cost: 42_000_000_000_000n },
      winner: { ...winner, hash: noOp },
    })
    expect(await read('lost')).toEqual({
      ...{ status: 'confirmed', state: 'lost', final: true, safeToRetry: false, cost: 0n },
      winner: { ...winner, hash: payload },
    })
  },
)

test.each(earlierDatabases())(
  'relayers from before history checks were marked begin one at their next owner, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('015-unchecked-through', dialect), ...rows])
    expect((await store.reads.work(relayer))?.uncheckedThrough).toBeUndefined()
    await store.commit((session) => session.acquire(relayer))
    expect((await store.reads.work(relayer))?.uncheckedThrough).toBe(2)
  },
)

test.each(earlierDatabases())(
  'transactions from before their keys were recorded have no known sender, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('017-created-by', dialect), ...rows])
    const found = await store.reads.transaction(relayer, 'won' as TransactionId)
    expect(found).toBeDefined()
    expect(found).not.toHaveProperty('createdBy')
  },
)

test.each(earlierDatabases())(
  'transactions that ended before there was retention are found by their end, and can be removed, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [
      ...schemaBefore('024-retention', dialect),
      ...rows,
      `UPDATE relayers SET explained_below = 2`,
      `INSERT INTO tallies (relayer_id, status, count) VALUES ('${relayer}', 'canceled', 1)`,
    ])
    const ended = await store.reads.endedBefore(10, { endedAt: 0, passed: 0 }, 9)
    const ids = ended.map(({ id }) => id)
    expect(ids.toSorted()).toEqual(['lost', 'won'])
    expect(await store.commit((session) => session.removeEnded(relayer, ids), relayer)).toEqual(['won'])
    expect((await store.reads.counts(relayer)).canceled).toBe(0)
  },
)

test.each(earlierDatabases())(
  'attempts from before they were shrunk shrink, and what is known of them stays, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('025-shrunk-attempts', dialect), ...mined])
    const read = async () => {
      const attempts = await Promise.all(['won', 'lost'].map((id) => store.reads.attempts(id as TransactionId)))
      const won = await store.reads.transaction(relayer, 'won' as TransactionId)
      const lost = await store.reads.transaction(relayer, 'lost' as TransactionId)
      const bound = [won, lost].flatMap((each) => (each && 'attempts' in each.lifecycle ? each.lifecycle.attempts : []))
      return { raws: bound.map(({ raw }) => raw), attempts, verdict: won && verdictOn(won) }
    }
    const before = await read()
    expect(before.raws).toEqual(['0x02', '0x02', '0x02', '0x02'])
    const [account] = await store.reads.shrinkableAccounts()
    expect(account).toMatchObject({ relayerId: relayer, spentBelow: 2 })
    if (!account) throw new Error('nothing can be shrunk')
    await store.commit((session) => session.shrinkAttempts(account, 9))
    expect(await store.reads.shrinkableAccounts()).toEqual([])
    const after = await read()
    // The second transaction is open.
    expect(after.raws).toEqual([undefined, undefined, '0x02', '0x02'])
    expect(after.verdict).toEqual(before.verdict)
    expect(after.attempts).toEqual(before.attempts)
  },
)

test.each(earlierDatabases())(
  'deliveries from before they had a time to be given up have a day from their first try, or from now, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const day = 86_400_000
    const delivery = (id: number, state: string, due: number | null, first: number | null, end: number | null) => [
      `INSERT INTO outbox (relayer_id, transaction_id, status, terminal, occurred_at, notification_id)
        VALUES ('${relayer}', 'won', 'canceled', 1, 1, 'hook')`,
      `INSERT INTO deliveries (notification_id, event_id, transaction_id, state, due_at, tries, first_tried_at, gave_up_at)
        VALUES ('hook', ${id}, 'won', '${state}', ${due}, ${first === null ? 0 : 1}, ${first}, ${end})`,
    ]
    const store = await open(disposal, [
      ...schemaBefore('030-delivery-deadlines', dialect),
      ...rows,
      `INSERT INTO delivery_queues (notification_id, position, waiting, leased_until) VALUES ('hook', 3, 2, 0)`,
      ...delivery(1, 'waiting', 5, 5, null),
      ...delivery(2, 'waiting', null, null, null),
      ...delivery(3, 'dead', null, 5, 9),
    ])
    const keep = { eventsKeptMs: 1, eventsKeptMax: 1, deadLettersKeptMs: 1, deadLettersKeptMax: 9 }
    const giveUp = (at: number) => store.commit((session) => session.giveUpOverdue('hook', keep, at))
    expect(await store.reads.overdueQueues(keep, 1_000)).toEqual(['hook'])
    expect(await giveUp(1_000)).toEqual({ dated: 2, givenUp: 0, dropped: 0 })
    expect(await store.reads.overdueQueues(keep, day + 4)).toEqual([])
    expect(await giveUp(day + 5)).toEqual({ dated: 0, givenUp: 1, dropped: 0 })
    expect(await giveUp(day + 999)).toEqual({ dated: 0, givenUp: 0, dropped: 0 })
    expect(await giveUp(day + 1_000)).toEqual({ dated: 0, givenUp: 1, dropped: 0 })
    expect(await store.reads.deadLetterItems('hook', { page: 1, perPage: 9 })).toMatchObject({ total: 3 })
  },
)

test.each(earlierDatabases())(
  'a database from before believed tips were stored takes them, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('035-tip-marks', dialect), ...rows])
    const network = { name: 'one', chainId: 31_337 }
    expect(await store.reads.tipMarks(network, 0)).toEqual([])
    await store.commit((session) => session.recordTipMark(network, { at: 7, tip: 5n }, 0))
    expect(await store.reads.tipMarks(network, 0)).toEqual([{ at: 7, tip: 5n }])
    expect(await store.reads.transaction(relayer, 'won' as TransactionId)).toBeDefined()
  },
)

test.each(earlierDatabases())(
  'a database from before networks had anchors takes one, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('036-anchors', dialect), ...rows])
    const network = { name: 'one', chainId: 31_337 }
    const anchor = { number: 7, hash: `0x${'a'.repeat(64)}`, minedAt: 5, recordedAt: 6 } as const
    expect(await store.reads.anchor(network)).toBeUndefined()
    await store.commit((session) => session.recordAnchor(network, anchor, undefined))
    expect(await store.reads.anchor(network)).toEqual(anchor)
    expect(await store.reads.transaction(relayer, 'won' as TransactionId)).toBeDefined()
  },
)

test.each(earlierDatabases())(
  'a relayer from before refused payloads were counted has none, and counts the next, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('037-give-ups', dialect), ...rows])
    const key = 'clerk' as ApiKeyId
    const count = () => store.commit((session) => session.giveUps(relayer, key, 8))
    expect(await store.commit((session) => session.reserveSequence(relayer), relayer)).not.toHaveProperty('gaveUpAt')
    expect(await count()).toBe(0)
    const given = { keyId: key, transactionId: 'won' as TransactionId }
    await store.commit((session) => session.recordGiveUp(relayer, given, 7), relayer)
    expect(await count()).toBe(1)
    expect(await store.commit((session) => session.reserveSequence(relayer), relayer)).toMatchObject({ gaveUpAt: 7 })
  },
)

test.each(earlierDatabases())(
  'a payload that an earlier release gave up ends by that, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const givenUp = "UPDATE transactions SET cancel_origin = 'refusal' WHERE id = 'won'"
    const store = await open(disposal, [...schemaBefore('038-returning', dialect), ...rows, givenUp])
    const transaction = await store.reads.transaction(relayer, 'won' as TransactionId)
    expect(transaction?.cancellation).toMatchObject({ origin: 'refusal' })
    expect(transaction && returnsToQueue(transaction)).toBe(false)
  },
)

test.each(earlierDatabases())(
  'a database from before contradictions were kept takes one, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('040-contradictions', dialect), ...rows])
    const network = { name: 'one', chainId: 31_337 }
    const page = { page: 1, perPage: 9 }
    const contradiction = {
      at: 7,
      condition: 'wrong_chain',
      question: { chainId: 31_337 },
      answers: [{ endpoint: 0, host: 'one.example', answer: '{"chain_id":1}' }],
    } as const
    expect(await store.reads.contradictions(network, page)).toEqual({ items: [], total: 0 })
    await store.commit((session) => session.recordContradiction(network, contradiction, 9))
    expect(await store.reads.contradictions(network, page)).toEqual({ items: [contradiction], total: 1 })
    expect(await store.reads.transaction(relayer, 'won' as TransactionId)).toBeDefined()
  },
)

test.each(earlierDatabases())(
  'a database from before the last observations of relayers were stored takes one, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [...schemaBefore('048-owner-reports', dialect), ...rows])
    expect(await store.reads.ownerReport(relayer)).toBeUndefined()
    expect(await store.reads.relayerChange(relayer)).toBeUndefined()
    const report = { observedAt: 7, conditions: [{ condition: 'step_failing', since: 3 }] } as const
    await store.commit((session) => session.recordReport(relayer, report))
    expect(await store.reads.ownerReport(relayer)).toEqual(report)
    expect(await store.reads.transaction(relayer, 'won' as TransactionId)).toBeDefined()
  },
)

test.each(earlierDatabases())(
  'the sequences of a relayer from before its transactions held them go on, also where the newest one is gone, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [
      ...schemaBefore('043-sequences', dialect),
      ...rows,
      'UPDATE relayers SET last_sequence = 7',
    ])
    const { lastSequence, relayer: stored } = (await store.reads.work(relayer)) ?? {}
    expect(lastSequence).toBe(7)
    expect([await send(store, relayer), await send(store, relayer)].map(({ sequence }) => sequence)).toEqual([8, 9])
    expect((await store.reads.work(relayer))?.lastSequence).toBe(9)
    await store.commit((session) => session.acquire(relayer), relayer)
    expect(await store.reads.work(relayer)).toMatchObject({ relayer: stored, uncheckedThrough: 9 })
  },
)

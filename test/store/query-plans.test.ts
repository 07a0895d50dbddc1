// Every query that a step, a client's request or a bulk cancellation runs goes by an index, among any amount of history.
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { administratorId } from '../../src/domain/api-key.ts'
import { cancel } from '../../src/domain/cancel.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import { readsOver } from '../../src/store/reads.ts'
import { sessionOver } from '../../src/store/session.ts'
import { sqliteExecutor } from '../../src/store/sqlite/executor.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import type { Executor } from '../../src/store/statement.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import { by, now, receiver, someAttempt, someBulk, someRelayer } from '../domain/some.ts'
import { someWait } from '../domain/some-reasons.ts'
import { allOf, sendWithin } from './contract.ts'
import { everyFilter, indexesFor } from './lists-model.ts'

/** Runs statements as the store does, and keeps the SQL of each. */
function witnessed() {
  const database = new Database(':memory:')
  migrate(database, now)
  const executor = sqliteExecutor(database)
  const seen = new Set<string>()
  let rows = 0
  const witness: Executor = {
    change(statement, parameters, missing) {
      seen.add(statement.compiled('sqlite').sql)
      executor.change(statement, parameters, missing)
    },
    async all(statement, parameters) {
      seen.add(statement.compiled('sqlite').sql)
      const found = await executor.all(statement, parameters)
      rows += found.length
      return found
    },
  }
  const tallies = openTallies(witness)
  return {
    database,
    witness,
    seen,
    tallies,
    session: sessionOver(witness, tallies, openAuditPad(witness)),
    reads: readsOver(witness),
    rowsOf: async (run: () => Promise<unknown>) => {
      const before = rows
      await run()
      return rows - before
    },
  }
}

function planOf(database: Database.Database, sql: string): string[] {
  const parameters = (sql.match(/\?/g) ?? []).map(() => null)
  return database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map(({ detail }) => detail)
}

test('no query walks transactions, attempts, events, counts or idempotency keys', async () => {
  const { database, seen, tallies, session, reads } = witnessed()
  const relayer = someRelayer()
  await session.saveRelayer(relayer)
  await session.acquire(relayer.id)
  await session.fence(relayer.id, 1n)
  await session.raiseFloor(relayer.id, { spentBelow: 1, explainedBelow: 1 })
  const sent = await sendWithin(session, relayer.id, { validUntil: now })
  const attempts = [someAttempt(1, { transactionId: sent.id })] as const
  const bound = { ...sent, lifecycle: { phase: 'inFlight', nonce: 1, attempts } as const }
  const saved = await session.saveTransaction(sent, bound, now)
  await sendWithin(session, relayer.id)
  await session.current(saved)
  await session.saveTransaction(saved, cancel(saved, now), now)
  await session.cancelPending(relayer.id, now, someBulk())
  await session.pending(relayer.id)
  const claim = { owner: administratorId, key: 'k', digest: 'd' }
  await session.claim(claim, [sent.id], now)
  await session.claim(claim, [sent.id], now)
  await session.insertApiKey(
    { id: 'k' as ApiKeyId, name: 'n', hint: 'h', scopes: ['read'], createdAt: now, createdBy: administratorId },
    'd',
  )
  await session.useApiKey('k' as ApiKeyId, now)
  await session.revokeApiKey('k' as ApiKeyId, administratorId, now)
  await reads.apiKeyOf('d')
  await reads.apiKey('k' as ApiKeyId)
  tallies.keep()
  await tallies.write()
  const work = await reads.work(relayer.id)
  if (!work) throw new Error('the relayer is stored')
  await sendWithin(session, relayer.id)
  await reads.work(relayer.id, undefined, { relayer: work.relayer, transactions: new Map() })
  await reads.transactions(relayer.id, {}, { page: 1, perPage: 10 })
  await reads.transactions(relayer.id, { status: 'pending' }, { page: 1, perPage: 10 })
  for (const filter of everyFilter) await reads.transactions(relayer.id, filter, { page: 1, perPage: 10 })
  await session.insertLabels(sent, { externalId: 'x', tags: ['t'], note: 'n' })
  await session.holderOf(relayer.id, 'x')
  await reads.labels([sent.id])
  await reads.bulksOf([sent.id])
  await session.pruneExternalIds(now, 9)
  await reads.transactionByNonce(relayer.id, 1)
  await reads.attempts(sent.id)
  await reads.queueThrough(relayer.id, 9)
  await reads.queueHead(relayer.id)
  await reads.droppedSince(relayer.id, 9, now)
  await reads.firstSequenceAbove(relayer.id, 1)
  await reads.standing(relayer.id)
  await allOf(await reads.transactionsByNonce(relayer.id, 0, 100))
  await reads.highestNonce(relayer.id)
  await reads.relayerOfTransaction(sent.id)
  await reads.openWithHash(relayer.id, attempts[0].hash)
  await reads.dailySpend(1)
  await reads.spendOf(relayer.id, 1)
  const range = { from: 0, to: 1, stepMs: 1 }
  await reads.figures(range)
  await reads.figures(range, relayer.id)
  await reads.nodeCalls(range)
  await reads.nodeCalls(range, 'one')
  await session.addNodeCalls('one', { at: 0, calls: 1, failed: 0 })
  await session.pruneFigures(1, 1)
  await reads.hasAttempt(relayer.id, 1, attempts[0].hash)
  await reads.counts(relayer.id)
  await session.hasOpen(relayer.id)
  await session.relayerOf(relayer.chainId, relayer.address)
  await reads.wasRelayer(relayer.id)
  await reads.revision()
  await reads.events(0, 10, () => true)
  await reads.searchEvents(0, { rows: 10, limit: 1 }, () => true)
  await reads.event(1)
  await session.saveRelayer({ ...relayer, notificationId: 'hook' })
  const again = await sendWithin(session, relayer.id)
  const reported = await session.saveTransaction(again, { ...again, wait: someWait('paused') }, now)
  await session.saveTransaction(reported, cancel(reported, now), now)
  const turn = {
    notificationId: 'hook',
    owner: 'me',
    leaseMs: 1,
    leaseBelievedMs: 2,
    now,
    busy: new Set<number>(),
    room: 9,
    tried: [],
  }
  const [due] = (await session.advanceQueue(turn)) ?? []
  if (!due) throw new Error('nothing is due')
  await session.advanceQueue({ ...turn, tried: [{ due, result: 'dead', error: 'HTTP 500' }] })
  await session.redeliver('hook', { from: 0, to: due.eventId }, 1, now)
  await session.advanceQueue({ ...turn, tried: [{ due, result: 'delivered' }] })
  const keep = { eventsKeptMs: 1, eventsKeptMax: 1, deadLettersKeptMs: 1, deadLettersKeptMax: 1 }
  for (const hold of ['paused', 'balance_short'] as const) {
    const late = await sendWithin(session, relayer.id)
    await session.saveTransaction(late, { ...late, wait: someWait(hold) }, now)
    await sendWithin(session, relayer.id)
    await session.advanceQueue({ ...turn, room: hold === 'paused' ? 9 : 0 })
  }
  const dayLater = now + 86_400_001
  expect(await reads.overdueQueues(keep, dayLater)).toEqual(['hook'])
  expect(await session.giveUpOverdue('hook', keep, dayLater)).toEqual({ givenUp: 3, dropped: 2 })
  await session.pruneEvents(keep, now + 9)
  await reads.oldestEventAt()
  await reads.endedBefore(now, { endedAt: 0, passed: 0 }, 9)
  await session.pruneClaims(now, now, 9)
  const other = someRelayer({ id: 'other' as RelayerId, address: receiver })
  await session.saveRelayer(other)
  const dropped = await sendWithin(session, other.id)
  await session.saveTransaction(dropped, cancel(dropped, now), now)
  await session.insertLabels(dropped, { externalId: 'y' })
  await session.claim({ ...claim, key: 'of a dropped one' }, [dropped.id], dropped.createdAt)
  const [removed] = await session.removeEnded(other.id, [dropped.id])
  if (!removed) throw new Error('nothing was removed')
  const ending = await sendWithin(session, other.id)
  const own = someAttempt(0, { transactionId: ending.id })
  const final = { phase: 'final', nonce: 0, attempts: [own], inclusion: by(own), finalAt: now, witnesses: 1 } as const
  await session.saveTransaction(ending, { ...ending, lifecycle: final }, now)
  await session.raiseFloor(other.id, { spentBelow: 1, explainedBelow: 1 })
  await reads.queuesToDo(now)
  await reads.moreToDo('hook', new Set(), now)
  await allOf((await reads.deadLetterItems('hook', { page: 1, perPage: 1 }))?.items)
  await reads.queueCounts()
  await reads.failingQueues()

  expect(seen.size).toBeGreaterThan(20)
  const walks = [...seen].flatMap((sql) =>
    planOf(database, sql)
      .filter(
        (detail) =>
          /^SCAN (?!CONSTANT ROW)/.test(detail) &&
          !/SCAN (relayers|account|expiring|ending|oldest|q( USING COVERING INDEX .*)?|bounded|given|\(subquery-\d+\)|json_each VIRTUAL TABLE INDEX 1:)$/.test(
            detail,
          ),
      )
      .map((detail) => `${detail}: ${sql}`),
  )
  expect(walks).toEqual([])
})

test('each filter goes by its index, between the two ends of its window and without a sort', async () => {
  const { database, seen, reads } = witnessed()
  for (const filter of everyFilter) {
    seen.clear()
    await reads.transactionItems(someRelayer().id, filter, { page: 1, perPage: 10 })
    // The ends of a window of labels are in tables of their own.
    for (const sql of [...seen].filter((each) => /"transactions"/.test(each))) {
      const [index = 'none', terms = ''] = planOf(database, sql).flatMap((detail) =>
        (/SEARCH transactions USING .*INDEX (\w+) \((.*)\)/.exec(detail) ?? []).slice(1),
      )
      const expected = indexesFor(filter).map((name) =>
        name === 'transactions_pkey' ? 'sqlite_autoindex_transactions_1' : name,
      )
      expect({ sql, filter, index }).toEqual({ sql, filter, index: expect.toBeOneOf(expected) })
      const ends = {
        transactions_created: 'relayer_id=? AND (created_at,sequence)>(?,?) AND (created_at,sequence)<(?,?)',
        transactions_receiver:
          'relayer_id=? AND (to_address,created_at,sequence)>(?,?,?) AND (to_address,created_at,sequence)<(?,?,?)',
        transactions_queue: 'relayer_id=? AND open=? AND nonce=? AND held_until=? AND sequence>? AND sequence<?',
        transactions_on_hold: 'relayer_id=? AND open=? AND sequence>? AND sequence<?',
        transactions_in_progress: 'relayer_id=? AND open=? AND sequence>? AND sequence<?',
        transactions_status: 'relayer_id=? AND (listed_status,sequence)>(?,?) AND (listed_status,sequence)<(?,?)',
        transactions_too_late: 'relayer_id=? AND (verdict,sequence)>(?,?) AND (verdict,sequence)<(?,?)',
        transactions_sequence: 'relayer_id=? AND sequence>? AND sequence<?',
        transactions_open_nonce: 'relayer_id=? AND open=? AND nonce>? AND nonce<?',
        transactions_nonce: 'relayer_id=? AND open=? AND nonce>? AND nonce<?',
      }[index]
      if (ends !== undefined) expect({ sql, terms }).toEqual({ sql, terms: expect.stringContaining(ends) })
      const isSorted = planOf(database, sql).some((detail) => detail.includes('TEMP B-TREE'))
      const isByKey = filter.nonceFrom !== undefined || index === 'sqlite_autoindex_transactions_1'
      expect(isSorted && !isByKey).toBe(false)
    }
  }
})

test('a history check reads the queue, and not what has ended before it', async () => {
  const { database, seen, reads } = witnessed()
  await reads.queueThrough(someRelayer().id, 9)
  const [sql = ''] = seen
  const indexes = planOf(database, sql).flatMap((detail) =>
    (/SEARCH transactions USING .*INDEX (\w+)/.exec(detail) ?? []).slice(1),
  )
  expect(indexes.sort()).toEqual(['transactions_on_hold', 'transactions_queue'])
})

test('a bulk cancellation goes by the queue, and not by what was canceled before', async () => {
  const { database, seen, session } = witnessed()
  await session.saveRelayer(someRelayer())
  for (let sent = 0; sent < 3; sent += 1) await sendWithin(session, someRelayer().id)
  seen.clear()
  await session.cancelPending(someRelayer().id, now, someBulk())
  const ofQueue = [...seen].filter((sql) =>
    /nonce IS NULL AND held_until IS NULL|open = 1 AND held_until IS NOT NULL/.test(sql),
  )
  const indexes = ofQueue.flatMap((sql) =>
    planOf(database, sql).flatMap((detail) => (/SEARCH transactions USING .*INDEX (\w+)/.exec(detail) ?? []).slice(1)),
  )
  // The last of each, those that end, and none on hold.
  expect(indexes.sort()).toEqual(['transactions_on_hold', ...Array.from({ length: 3 }, () => 'transactions_queue')])
})

test('the rows that wait for finality are read from one end of an index, without a sort', async () => {
  const { database, seen, session, reads } = witnessed()
  await session.saveRelayer(someRelayer())
  seen.clear()
  await reads.confirmedNotFinal(someRelayer().id, { kind: 'takenBack' }, 9)
  await reads.confirmedNotFinal(someRelayer().id, { kind: 'final', through: 9 }, 9)
  await reads.confirmedNotFinal(someRelayer().id, { kind: 'stalled', confirmedBy: 9 }, 9)
  const plans = [...seen].map((sql) => planOf(database, sql))
  const indexes = plans.flat().flatMap((detail) => /transactions USING .*INDEX (\w+)/.exec(detail)?.[1] ?? [])
  expect(indexes.sort()).toEqual([
    ...Array.from({ length: 4 }, () => 'transactions_unsettled'),
    ...Array.from({ length: 2 }, () => 'transactions_unsettled_wait'),
  ])
  // Only the attempts of one page are sorted.
  expect(plans.filter((plan) => plan.some((detail) => detail.includes('TEMP B-TREE')))).toHaveLength(3)
})

test('a step reads no more rows for a thousand transactions that wait for finality than for one', async () => {
  const { session, reads, rowsOf } = witnessed()
  const relayer = someRelayer()
  await session.saveRelayer(relayer)
  const read: number[] = []
  for (let nonce = 0; nonce < 1_000; nonce += 1) {
    const sent = await sendWithin(session, relayer.id)
    const attempt = someAttempt(nonce, { transactionId: sent.id })
    const mined = {
      phase: 'mined',
      nonce,
      attempts: [attempt],
      inclusion: by(attempt, nonce),
      confirmedAt: now,
    } as const
    await session.saveTransaction(sent, { ...sent, lifecycle: mined }, now)
    if (nonce === 0 || nonce === 999) read.push(await rowsOf(() => reads.work(relayer.id)))
  }
  // The relayer's row, and the summary.
  expect(read).toEqual([2, 2])
  expect(await rowsOf(() => reads.confirmedNotFinal(relayer.id, { kind: 'final', through: 900 }, 10))).toBe(20)
})

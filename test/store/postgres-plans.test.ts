// A plan is made once a connection and kept, often while the tables are empty or small: it must be the right one then, too.
import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { administratorId } from '../../src/domain/api-key.ts'
import type { BulkHead } from '../../src/domain/bulk-cancellation.ts'
import type { BulkFilter } from '../../src/domain/bulk-filter.ts'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { earlierOf } from '../../src/engine/earlier-work.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { readsOver } from '../../src/store/reads.ts'
import { lockFreeRelayers, lockRelayer } from '../../src/store/relayers/relayers.ts'
import { sessionOver } from '../../src/store/session.ts'
import type { Executor } from '../../src/store/statement.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import { findMatches } from '../../src/store/transactions/found/find-matches.ts'
import { itemsWith } from '../../src/store/transactions/found/list-transactions.ts'
import { findTransactions } from '../../src/store/transactions/rows/find-transaction.ts'
import { findClaims } from '../../src/store/transactions/written/claim.ts'
import { by, now, someAttempt, someBulk, someReckoning, someRelayer } from '../domain/some.ts'
import { sendWithin } from './contract.ts'
import { everyFilter, indexesFor } from './lists-model.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

test('what names transactions goes by their key, also where PostgreSQL knows nothing of the table or saw it small', async () => {
  await using planner = await openPlanner()
  const { client, seen, witness } = planner
  const session = sessionOver(witness, openTallies(witness), openAuditPad(witness))
  const reads = readsOver(witness)
  const relayer = someRelayer()

  /** Every way to the table, and the condition by which it goes. */
  async function indexesOf(sql: string): Promise<readonly string[]> {
    const plan = await planOf(client, sql)
    expect(plan, sql).not.toContain('Seq Scan on transactions')
    return [...plan.matchAll(/(transactions_\w+).*(?:\n.*Filter.*)?\n *Index Cond: \((?:\w+\.)?id\b/g)].map(
      ([, index]) => index ?? '',
    )
  }

  await session.saveRelayer(relayer)
  const work = await reads.work(relayer.id)
  if (!work) throw new Error('the relayer is stored')
  await reads.work(relayer.id, undefined, earlierOf(work, []))
  await reads.confirmedNotFinal(relayer.id, { kind: 'takenBack' }, 9)
  await reads.confirmedNotFinal(relayer.id, { kind: 'final', through: 9 }, 9)
  await reads.confirmedNotFinal(relayer.id, { kind: 'stalled', confirmedBy: 9 }, 9)
  const ofSteps = [...seen].filter((sql) => /\btransactions\b/.test(sql) && !/valid_until IS/.test(sql))
  for (const sql of ofSteps) {
    const plan = await planOf(client, sql)
    expect(plan, sql).not.toContain('Seq Scan on transactions')
    const indexes = [...plan.matchAll(/ using (transactions_\w+)/g)].map(([, index]) => index)
    expect(indexes.length, sql).toBeGreaterThan(0)
    // The last sequence is one row, at the end of the index.
    const expected = sql.includes('from "relayers"')
      ? /^transactions_sequence$/
      : /^transactions_(queue|in_progress|displaced|unsettled|unsettled_wait)$/
    if (sql.includes('from "relayers"')) expect(plan).toMatch(/Limit.*\n.*Backward/)
    for (const index of indexes) expect(index, plan).toMatch(expected)
  }
  expect(ofSteps).toHaveLength(10)
  const sent = await sendWithin(session, relayer.id)
  await session.transaction(relayer.id, sent.id)
  await reads.transaction(relayer.id, sent.id)
  const attempts = [someAttempt(1, { transactionId: sent.id })] as const
  const bound = { ...sent, lifecycle: { phase: 'inFlight', nonce: 1, attempts } as const }
  const saved = await session.saveTransaction(sent, bound, now)
  await findTransactions(witness, [sent.id])
  await reads.work(relayer.id, undefined, earlierOf(work, []))
  const accepted = { state: 'handed', at: now, outcome: { kind: 'accepted' } } as const
  const answered = { ...bound.lifecycle, attempts: [{ ...attempts[0], broadcast: accepted }] as const }
  const answeredOne = await session.saveTransaction(saved, { ...saved, lifecycle: answered }, now)
  const given = await sendWithin(session, relayer.id)
  const taken = { phase: 'inFlight', nonce: 2, attempts: [someAttempt(2, { transactionId: given.id })] } as const
  const holding = await session.saveTransaction(given, { ...given, lifecycle: taken }, now)
  await session.saveTransaction(holding, { ...holding, lifecycle: { phase: 'queued' } }, now)
  const ofStates = [...seen].filter((sql) => /UPDATE attempts.*given/s.test(sql))
  expect(ofStates).toHaveLength(1)
  await session.saveTransaction(answeredOne, cancel(answeredOne, now), now)
  const queued = await sendWithin(session, relayer.id)
  await session.saveTransaction(queued, cancel(queued, now), now)

  const ending = await sendWithin(session, relayer.id)
  const own = someAttempt(0, { transactionId: ending.id })
  const final = { phase: 'final', nonce: 0, attempts: [own], inclusion: by(own), finalAt: now, witnesses: 1 } as const
  await session.saveTransaction(ending, { ...ending, lifecycle: final }, now)
  await session.raiseFloor(relayer.id, { spentBelow: 1, explainedBelow: 1 })

  expect(await session.removeEnded(relayer.id, [queued.id])).toEqual([queued.id])
  await reads.endedBefore(now, { endedAt: 0, passed: 0 }, 9)
  await session.pruneClaims(now, now, 9)
  const old = [...seen].filter((sql) => /from "transactions".*"ended_at" <|"created_at" </.test(sql))
  const ofAttempts = [...seen].filter((sql) => sql.startsWith('delete from "attempts"'))
  expect([old, ofAttempts].map((each) => each.length)).toEqual([2, 1])

  const claim = { owner: administratorId, key: 'key-0', digest: 'd' }
  await session.claim(claim, [sent.id], now)
  await findClaims(witness, [claim])
  const claims = [...seen].filter((sql) => sql.includes('FROM idempotency_keys'))
  expect(claims).toHaveLength(1)
  await lockRelayer(witness, relayer.id)
  await lockFreeRelayers(witness, [relayer.id, 'another' as RelayerId])
  await reads.backlogs()
  const newest = [...seen].filter((sql) => sql.includes('ORDER BY sequence DESC LIMIT 1'))
  const others = [...seen].filter((sql) => !newest.includes(sql))
  const named = others.filter((sql) => /\btransactions\b.*where (transactions\.)?"?id"? = (\$|any)/is.test(sql))
  expect(named).toHaveLength(17)
  for (const known of ['nothing', 'a small table']) {
    for (const sql of named) {
      expect({ known, sql, indexes: await indexesOf(sql) }).toEqual({ known, sql, indexes: ['transactions_pkey'] })
    }
    expect(newest.length).toBeGreaterThan(5)
    for (const sql of newest) {
      expect(await planOf(client, sql)).toMatch(
        /Limit.*\n.*Scan Backward using transactions_sequence.*\n *Index Cond: \(relayer_id = /,
      )
    }
    for (const sql of old) {
      expect(await planOf(client, sql)).toMatch(/using (transactions_ended|idempotency_keys_created)[^S]*Index Cond/)
    }
    for (const sql of ofStates) {
      expect(await planOf(client, sql)).toMatch(
        /using attempts_pkey[^S]*Index Cond: \(?\(transaction_id = |on attempts_pkey[^S]*Index Cond/,
      )
    }
    for (const sql of ofAttempts)
      expect(await planOf(client, sql)).toMatch(/on attempts_pkey[^S]*Index Cond|using attempts_pkey/)
    for (const sql of claims) {
      expect(await planOf(client, sql)).toContain('Index Cond: ((owner = claimed.owner) AND (key = claimed.key))')
    }
    for (let more = 1; more < 20; more += 1) {
      await sendWithin(session, relayer.id)
      await session.claim({ ...claim, key: `key-${more}` }, [sent.id], now)
    }
    await client.query('ANALYZE transactions, idempotency_keys')
  }
})

test('each filter of a list goes by its index, whatever PostgreSQL knows of the table', async () => {
  await using planner = await openPlanner()
  const { client, seen, witness, planOf } = planner
  const relayer = someRelayer()
  const rows = (from: number, to: number) =>
    client.query(
      `INSERT INTO transactions (id, relayer_id, sequence, version, created_at, origin, from_address, to_address, value, data,
        pricing, speed, phase, open, status, listed_status, nonce, ended_at)
      SELECT gen_random_uuid(), $1, i, 1, i, 'client', '0x', '0x' || i % 9, i, '0x', 'speed', 'fast', 'final', 0, 'confirmed', 'confirmed',
        i, i FROM generate_series($2::bigint, $3) AS i`,
      [relayer.id, from, to],
    )
  for (const known of ['nothing', 'a small table', 'a larger one'] as const) {
    for (const filter of everyFilter) {
      seen.clear()
      const { found } = await findMatches(witness, relayer.id, filter)
      await itemsWith(witness, relayer.id, ['none' as TransactionId, ...found.map(({ id }) => id)])
      const plans: { sql: string; plan: string }[] = []
      for (const sql of seen) {
        plans.push({ sql, plan: await planOf(sql) })
      }
      for (const { sql, plan } of plans) {
        if (/from "(attempts|transaction_labels|transaction_tags)"/.test(sql)) continue
        const isOfItems = sql.includes('json_array_elements_text')
        const indexes = [...plan.matchAll(/ (?:using|on) (transactions_\w+)/g)].map(([, index]) => index)
        const expected = isOfItems ? ['transactions_pkey'] : indexesFor(filter)
        expect(indexes.length).toBeGreaterThan(0)
        const each = indexes.map(() => expect.toBeOneOf([...expected]))
        expect({ known, sql, plan, indexes }).toEqual({ known, sql, plan, indexes: each })
        expect(plan).not.toMatch(/Seq Scan on (transactions|attempts)/)
      }
    }
    if (known === 'nothing') await rows(1, 20)
    else if (known === 'a small table') await rows(21, 20_000)
    if (known !== 'a larger one') await client.query('ANALYZE transactions')
  }
})

test('a walk by a tag goes by the index of the queue, and reads the tags of each row by their key', async () => {
  await using planner = await openPlanner()
  const { client, seen, witness, planOf } = planner
  const session = sessionOver(witness, openTallies(witness), openAuditPad(witness))
  const { id: relayerId } = someRelayer()
  await session.saveRelayer(someRelayer())
  const tagged = async () => session.insertLabels(await sendWithin(session, relayerId), { tags: ['red'] })
  await tagged()
  const filter: BulkFilter = { tags: ['red'] }
  const head: BulkHead = {
    ...{ id: someBulk().id, origin: 'request', filter, pause: false, everyRelayer: false, requestedAt: now },
  }
  const requester = { keyId: administratorId, operation: 'o', requestId: 'r', address: '::1' }
  const claim = { owner: administratorId, key: 'k', digest: 'd' }
  await session.recordBulk({ head, relayers: [relayerId], requester, claim })
  seen.clear()
  await readsOver(witness).bulkMatches(relayerId, { filter, now, oldest: 1 })
  await session.takeBulk({ bulkId: head.id, relayerId }, now, someReckoning)
  const walks = [...seen].filter((sql) => sql.includes('transaction_tags'))
  // It is counted and named for a preview, and then it is dropped; its event is published by its id.
  expect(walks).toHaveLength(3)
  for (const known of ['nothing', 'a small table', 'a larger one'] as const) {
    for (const sql of walks) {
      const plan = await planOf(sql)
      expect(plan).not.toMatch(/Seq Scan on transaction/)
      const indexes = [...plan.matchAll(/ (?:using|Index Scan on) (transactions?_\w+)/g)].map(([, index]) => index)
      expect({ known, sql, plan, indexes: new Set(indexes) }).toEqual({
        ...{ known, sql, plan },
        indexes: new Set([expect.toBeOneOf(['transactions_queue', 'transactions_on_hold']), 'transaction_tags_pkey']),
      })
    }
    const more = { nothing: 20, 'a small table': 500, 'a larger one': 0 }[known]
    for (let each = 0; each < more; each += 1) await tagged()
    await client.query('ANALYZE transactions, transaction_tags')
  }
})

/** A connection whose plans know no parameter, and the statements that ran over it. */
async function openPlanner() {
  await using opened = new AsyncDisposableStack()
  const pool = openPool(secretUrl(new URL(await (await server()).database())), { max: 1, onIdleError: () => undefined })
  opened.defer(() => pool.end())
  const client = await pool.connect()
  opened.defer(() => client.release())
  await migrate(client, now, { clock: systemClock, logger: quiet })
  await client.query('SET plan_cache_mode = force_generic_plan')
  const seen = new Set<string>()
  const witness: Executor = {
    async all(statement, parameters) {
      const { sql, bind } = statement.compiled('postgres')
      seen.add(sql)
      for (const sql of [statement.lists?.sql, statement.lists?.alike?.sql]) if (sql !== undefined) seen.add(sql)
      return (await client.query(sql, [...bind(parameters)])).rows
    },
  }
  const everything = opened.move()
  return {
    ...{ client, seen, witness, planOf: (sql: string) => planOf(client, sql) },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

async function planOf(client: PoolClient, sql: string): Promise<string> {
  const values = (sql.match(/\$\d+/g) ?? []).map((name) => Number(name.slice(1)))
  const given = Array.from({ length: Math.max(0, ...values) }, () => 'NULL').join(', ')
  await client.query(`PREPARE planned AS ${sql}`)
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN EXECUTE planned${given.length > 0 ? `(${given})` : ''}`,
  )
  await client.query('DEALLOCATE planned')
  return rows.map((line) => line['QUERY PLAN']).join('\n')
}

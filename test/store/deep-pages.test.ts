// Pages of lists on SQLite: exact after any writes, and far down.
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import { listDeadLetters } from '../../src/store/deliveries/dead-letters.ts'
import { sessionOver } from '../../src/store/session.ts'
import { sqliteExecutor } from '../../src/store/sqlite/executor.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import { now, someRelayer } from '../domain/some.ts'
import { allOf, sendWithin } from './contract.ts'
import { comparePages } from './pages-model.ts'

test('pages are the rows in their order, after any sequence of writes', async () => {
  using database = openDatabase()
  migrate(database, now)
  const query = async <Row>(sql: string) => database.prepare(sql).all() as Row[]
  await comparePages({ executor: sqliteExecutor(database), query })
})

test('dead letters are counted in slices, and a page may reach over two of them', async () => {
  using database = openDatabase()
  migrate(database, now)
  const executor = sqliteExecutor(database)
  const session = sessionOver(executor, openTallies(executor), openAuditPad(executor))
  const relayer = someRelayer()
  await session.saveRelayer(relayer)
  const { id } = await sendWithin(session, relayer.id)
  const rows = 25_000
  const numbered = `WITH RECURSIVE numbered (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbered WHERE i < ${2 * rows})`
  database.exec(
    `INSERT INTO delivery_queues (notification_id, position, waiting, leased_until) VALUES ('hook', 0, ${rows}, 0)`,
  )
  database.exec(`${numbered} INSERT INTO outbox (id, relayer_id, transaction_id, status, terminal, occurred_at)
    SELECT i, '${relayer.id}', '${id}', 'pending', 0, 1 FROM numbered`)
  // Every second one is dead.
  database.exec(`${numbered} INSERT INTO deliveries (notification_id, event_id, transaction_id, state, tries, first_tried_at, gave_up_at, last_error)
    SELECT 'hook', i, '${id}', CASE i % 2 WHEN 0 THEN 'dead' ELSE 'waiting' END, 1, 1, 1, 'HTTP 500' FROM numbered`)
  for (const page of [1, 1_428, 1_429, 1_430, 2_858, 3_571, 3_572, 3_573]) {
    const found = await listDeadLetters(executor, 'hook', { page, perPage: 7 })
    const first = 7 * (page - 1)
    const expected = Array.from(
      { length: Math.max(0, Math.min(7, rows - first)) },
      (_, index) => 2 * (first + index + 1),
    )
    expect((await allOf(found?.items)).map(({ event }) => event.id)).toEqual(expected)
    expect(found?.total).toBe(rows)
  }
})

function openDatabase(): Database.Database & Disposable {
  const database = new Database(':memory:')
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() })
}

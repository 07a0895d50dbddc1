// Grouped commits on a bare database: one commit for many, and a commit that fails is nobody's success.
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { sqliteExecutor } from '../../src/store/sqlite/executor.ts'
import { groupCommit } from '../../src/store/sqlite/group-commit.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'

function openBare() {
  const database = new Database(':memory:')
  database.pragma('foreign_keys = ON')
  database.exec('CREATE TABLE parents (id INTEGER PRIMARY KEY)')
  // Checked at the commit only: a unit succeeds, and the commit of its group fails.
  database.exec('CREATE TABLE rows (id INTEGER, parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)')
  const insert = database.prepare('INSERT INTO rows (id, parent) VALUES (?, ?)')
  const total = database.prepare<[], number>('SELECT total_changes()').pluck()
  return {
    database,
    changes: () => total.get() ?? 0,
    tallies: openTallies(sqliteExecutor(database)),
    ids: () => database.prepare<[], number>('SELECT id FROM rows ORDER BY id').pluck().all(),
    row:
      (id: number, parent: number | null = null) =>
      async () => {
        insert.run(id, parent)
        return id
      },
  }
}

test('a commit that fails rejects all of its group and leaves no trace; the next group goes through', async () => {
  const { database, changes, tallies, ids, row } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  const outcomes = await Promise.allSettled([1, 2, 3].map((id) => group.commit(row(id, id === 2 ? 99 : null))))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } })
  expect(ids()).toEqual([])
  expect(database.inTransaction).toBe(false)
  expect(await group.commit(row(4))).toBe(4)
  expect(ids()).toEqual([4])
})

test('a group is bounded, so that a bad one takes no more than its own down', async () => {
  const { database, changes, tallies, ids, row } = openBare()
  const group = groupCommit(database, 2, tallies, changes)
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((id) => group.commit(row(id, id === 1 ? 99 : null))))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
  expect(ids()).toEqual([3, 4])
})

test('a database that is closed to writes rejects whoever waits, and no one for ever', async () => {
  const { database, changes, tallies, row } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  const waiting = [group.commit(row(1)), group.commit(row(2))]
  database.pragma('query_only = ON')
  for (const outcome of await Promise.allSettled(waiting)) expect(outcome.status).toBe('rejected')
  database.pragma('query_only = OFF')
  expect(await group.commit(row(3))).toBe(3)
})

test('closing waits for what is under way and refuses the rest', async () => {
  const { database, changes, tallies, ids, row } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  const last = group.commit(row(1))
  await group.close()
  expect(await last).toBe(1)
  expect(ids()).toEqual([1])
  await expect(group.commit(row(2))).rejects.toThrow('closed')
})

test.each([
  ['before it wrote', false, 1],
  ['after it wrote', true, 2],
])('a unit that fails %s fails alone and leaves nothing; the others are durable', async (_, writes, times) => {
  const { database, changes, tallies, ids, row } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  const runs: number[] = []
  const good = (id: number) => () => {
    runs.push(id)
    return row(id)()
  }
  const bad = (id: number) => async () => {
    if (writes) await row(id)()
    throw new Error(`unit ${id} is refused`)
  }
  // The second group follows one that was undone.
  for (const first of [1, 11]) {
    const outcomes = await Promise.allSettled(
      [good(first), bad(first + 1), good(first + 2)].map((unit) => group.commit(unit)),
    )
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: first },
      { status: 'rejected', reason: { message: `unit ${first + 1} is refused` } },
      { status: 'fulfilled', value: first + 2 },
    ])
  }
  expect(ids()).toEqual([1, 3, 11, 13])
  expect(runs.filter((id) => id === 1)).toHaveLength(times)
  expect(runs.filter((id) => id === 13)).toHaveLength(1)
})

test('a long unit has a commit of its own, and takes only itself down', async () => {
  const { database, changes, tallies, ids, row } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  const long = { relayer: 'one' as RelayerId, isLong: true }
  const outcomes = await Promise.allSettled([
    group.commit(row(1)),
    group.commit(row(2, 99), long),
    group.commit(row(3, 99), long),
    group.commit(row(4), long),
    group.commit(row(5)),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'])
  expect(ids()).toEqual([1, 4, 5])
})

test('other relayers come between two long units, also those that ask while the first runs; each relayer keeps its order', async () => {
  const { database, changes, tallies } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  const ran: string[] = []
  const durable: Promise<void>[] = []
  const unit = (name: string, relayer: string | undefined, isLong = false, then?: () => void) => {
    const kind = { isLong, ...(relayer !== undefined && { relayer: relayer as RelayerId }) }
    durable.push(
      group.commit(async () => {
        ran.push(name)
        // Its request arrives with the next turn of the event loop.
        if (then) setImmediate(then)
      }, kind),
    )
  }
  unit('a, before', 'a')
  unit('a, long', 'a', true, () => unit('c, late', 'c'))
  unit('a, after', 'a')
  unit('b', 'b')
  unit('none', undefined)
  unit('b, long', 'b', true)
  unit('a, last', 'a', true)
  await Promise.all(durable)
  await group.close()
  await Promise.all(durable)
  expect(ran).toEqual(['a, before', 'b', 'none', 'a, long', 'c, late', 'a, after', 'b, long', 'a, last'])
})

test('the event loop has a turn between two long units', async () => {
  const { database, changes, tallies } = openBare()
  const group = groupCommit(database, 8, tallies, changes)
  let turns = 0
  const seen: number[] = []
  const count = () => {
    turns += 1
    if (seen.length < 3) setImmediate(count)
  }
  setImmediate(count)
  const long = async () => void seen.push(turns)
  await Promise.all([1, 2, 3].map(() => group.commit(long, { isLong: true })))
  expect(new Set(seen).size).toBe(3)
})

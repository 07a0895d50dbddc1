// The least that makes rows durable: requests that come together share a commit, in SQLite with `synchronous=FULL` or in one
// statement of PostgreSQL.
import Database from 'better-sqlite3'
import pg from 'pg'

export interface BareRow {
  readonly id: string
  readonly to: string
  readonly value: string
  readonly data: string
  readonly gas_limit: number
  readonly speed: string
}

/** Both resolve when it is durable. */
interface BareRows {
  insert(row: BareRow): Promise<void>
  cancel(id: string): Promise<void>
}

const columns = 'id TEXT PRIMARY KEY, status TEXT, target TEXT, value TEXT, data TEXT, gas_limit INTEGER, speed TEXT'

export function openSqliteRows(file: string): BareRows {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec(`CREATE TABLE transactions (${columns}) WITHOUT ROWID`)
  const insert = database.prepare("INSERT INTO transactions VALUES (?, 'pending', ?, ?, ?, ?, ?)")
  const cancel = database.prepare("UPDATE transactions SET status = 'canceled' WHERE id = ?")
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const durably = together((writes: readonly (() => void)[]) => {
    begin.run()
    for (const write of writes) write()
    commit.run()
  })
  return {
    insert: ({ id, to, value, data, gas_limit: gas, speed }) =>
      durably(() => void insert.run(id, to, value, data, gas, speed)),
    cancel: (id) => durably(() => void cancel.run(id)),
  }
}

const insertAll = {
  name: 'insert',
  text: `INSERT INTO transactions SELECT id, 'pending', target, value, data, gas_limit, speed
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[])
    AS given(id, target, value, data, gas_limit, speed)`,
}
const cancelAll = { name: 'cancel', text: "UPDATE transactions SET status = 'canceled' WHERE id = ANY($1::text[])" }

/** In a table that it creates. */
export async function openPostgresRows(url: string): Promise<BareRows> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE TABLE transactions (${columns})`)
  const insert = together(async (rows: readonly BareRow[]) => {
    const of = (column: keyof BareRow) => rows.map((row) => row[column])
    const values = [of('id'), of('to'), of('value'), of('data'), of('gas_limit'), of('speed')]
    await client.query({ ...insertAll, values })
  })
  const cancel = together(async (ids: readonly string[]) => {
    await client.query({ ...cancelAll, values: [ids] })
  })
  return { insert, cancel }
}

/** Units that come in one turn, or during the write before, share a write. */
function together<T>(write: (units: readonly T[]) => Promise<void> | void): (unit: T) => Promise<void> {
  let waiting: { unit: T; done: () => void }[] = []
  let isDraining = false
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting
      waiting = []
      const writing = write(taken.map(({ unit }) => unit))
      if (writing) await writing
      for (const { done } of taken) done()
    }
    isDraining = false
  }
  return (unit) =>
    new Promise((done) => {
      if (!isDraining) setImmediate(drain)
      isDraining = true
      waiting.push({ unit, done })
    })
}

// The least that a durable POST and DELETE can cost on this stack: Fastify, one validation, one row, SQLite with
// `synchronous=FULL`, and concurrent requests that share a commit. The bench measures the service against it in the same run.
// Started as a process of its own: `node bench/bare-service.ts DATABASE_FILE`. It reports its port to its parent.
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { v7 as uuid } from 'uuid'

interface Unit {
  write(): void
  done(): void
}

const body = {
  type: 'object',
  required: ['to', 'value', 'data', 'gas_limit', 'speed'],
  properties: {
    to: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    value: { type: 'string', pattern: '^[0-9]+$' },
    data: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' },
    gas_limit: { type: 'integer', minimum: 1 },
    speed: { type: 'string' },
  },
}
interface Send {
  readonly to: string
  readonly value: string
  readonly data: string
  readonly gas_limit: number
  readonly speed: string
}

const database = new Database(process.argv[2] ?? ':memory:')
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(
  'CREATE TABLE transactions (id TEXT PRIMARY KEY, status TEXT, target TEXT, value TEXT, data TEXT, gas_limit INTEGER, speed TEXT) WITHOUT ROWID',
)
const insert = database.prepare('INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?)')
const cancel = database.prepare("UPDATE transactions SET status = 'canceled' WHERE id = ?")
const begin = database.prepare('BEGIN IMMEDIATE')
const commit = database.prepare('COMMIT')
let waiting: Unit[] = []

/** Resolves when the write is durable. Those that wait together share one commit. */
function durably(write: () => void): Promise<void> {
  return new Promise((done) => {
    if (waiting.length === 0) setImmediate(drain)
    waiting.push({ write, done })
  })
}

function drain(): void {
  const units = waiting
  waiting = []
  begin.run()
  for (const unit of units) unit.write()
  commit.run()
  for (const unit of units) unit.done()
}

const server = Fastify()
server.post<{ Body: Send }>('/api/v1/relayers/:relayer/transactions', { schema: { body } }, async (request) => {
  const { to, value, data, gas_limit: gasLimit, speed } = request.body
  const id = uuid()
  await durably(() => insert.run(id, 'pending', to, value, data, gasLimit, speed))
  return { success: true, data: { id, status: 'pending', to, value, data, gas_limit: gasLimit, speed } }
})
server.delete<{ Params: { id: string } }>('/api/v1/relayers/:relayer/transactions/:id', async (request) => {
  const { id } = request.params
  await durably(() => cancel.run(id))
  return { success: true, data: { id, status: 'canceled' } }
})
const url = await server.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit())
process.send?.({ port: Number(new URL(url).port) })

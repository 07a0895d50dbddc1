// The least that a durable POST and DELETE can cost on this stack: Fastify, one validation, and one row (bare-rows.ts). The
// bench measures the service against it in the same run.
// Started as a process of its own: `node bench/bare-service.ts DATABASE_FILE`, with a PostgreSQL in DATABASE_URL or without
// one. It reports its port to its parent.
import Fastify from 'fastify'
import { v7 as uuid } from 'uuid'
import { type BareRow, openPostgresRows, openSqliteRows } from './bare-rows.ts'

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
type Send = Omit<BareRow, 'id'>

const { DATABASE_URL: databaseUrl } = process.env
const rows = databaseUrl ? await openPostgresRows(databaseUrl) : openSqliteRows(process.argv[2] ?? ':memory:')
const server = Fastify()
server.post<{ Body: Send }>('/api/v1/relayers/:relayer/transactions', { schema: { body } }, async (request) => {
  const { to, value, data, gas_limit, speed } = request.body
  const row = { id: uuid(), to, value, data, gas_limit, speed }
  await rows.insert(row)
  return { success: true, data: { ...row, status: 'pending' } }
})
server.delete<{ Params: { id: string } }>('/api/v1/relayers/:relayer/transactions/:id', async (request) => {
  const { id } = request.params
  await rows.cancel(id)
  return { success: true, data: { id, status: 'canceled' } }
})
const url = await server.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit())
process.send?.({ port: Number(new URL(url).port) })

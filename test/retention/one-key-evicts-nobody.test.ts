// A key that may only cancel makes as many records as its rate permits: no record of another key goes for them.
import { expect, test } from 'vitest'
import { limits } from '../../src/config/limits.ts'
import { type Clock, systemClock } from '../../src/ops/clock.ts'
import { announceBulks } from '../../src/reports/announce-bulks.ts'
import { pruneRecords } from '../../src/retention/prune-records.ts'
import { until } from '../../tooling/client.ts'
import { expectFailure, expectSuccess } from '../http/support/expectations.ts'
import { receiver } from '../http/support/rows.ts'
import { type Serving, serve } from '../http/support/serve.ts'
import { quiet } from '../store/open-store.ts'

const dayMs = 86_400_000
const atOnce = 30
const bulks = '/api/v1/bulk-cancellations'
const json = { 'content-type': 'application/json' }

async function key(server: Serving, scopes: readonly string[]): Promise<{ id: string; key: string }> {
  const made = await server.ask('POST', '/api/v1/api-keys', {
    headers: json,
    body: JSON.stringify({ name: 'n', scopes }),
  })
  expectSuccess(made)
  return made.body.data
}

function cancelAll(server: Serving, token: string, name: string, filter: object = {}) {
  const headers = { ...json, 'idempotency-key': name }
  return server.ask('POST', bulks, { token, headers, body: JSON.stringify({ filter, relayers: ['one'] }) })
}

const statusOf = async (server: Serving, id: string) =>
  (await server.ask('GET', `/api/v1/relayers/one/transactions/${id}`)).body.data.status

interface Entry {
  readonly key_id?: string
  readonly operation?: string
}

async function entries(server: Serving): Promise<readonly Entry[]> {
  return (await server.ask('GET', '/api/v1/audit-log?per_page=1000')).body.data
}

test('600 empty bulk cancellations of one key leave the objects, idempotency keys and audit records of others', async () => {
  let aheadMs = 0
  /** Rounds follow each other at once. */
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    sleep: (_, signal) => systemClock.sleep(5, signal),
  }
  await using server = await serve({ clock })
  const careful = await key(server, ['send', 'cancel'])
  const small = await key(server, ['cancel'])
  const sent = await server.send('one', { to: receiver, value: '1' })
  const first = await cancelAll(server, careful.key, 'end-of-day')
  expect(first.body.data.counts.dropped).toBe(1)
  const later = (await server.send('one', { to: receiver, value: '2', note: 'secret of a client' })).body.data.id

  const made: string[] = []
  for (let round = 0; round < 20; round += 1) {
    const nothing = { ids: [sent.body.data.id] }
    const all = Array.from({ length: atOnce }, (_, number) =>
      cancelAll(server, small.key, `${round}-${number}`, nothing),
    )
    for (const answer of await Promise.all(all)) made.push(answer.body.data.id)
  }
  await using _announcing = announceBulks({ store: server.store, clock, logger: quiet })
  await using _pruning = pruneRecords({
    ...{ store: server.store, clock, logger: quiet },
    limits: { ...limits, bulksMax: 200, auditEntriesMax: 500 },
  })
  const objects = async () => (await server.ask('GET', bulks)).body.pagination.total_items
  await until(async () => (await objects()) <= 200, { what: 'the limit of objects' })
  const total = async () => (await server.ask('GET', '/api/v1/audit-log')).body.pagination.total_items
  // The records of requests that shared a commit go together, or stay.
  const most = 500 + atOnce
  await until(async () => (await total()) <= most + 2, { what: 'the limit of audit records' })

  const replay = await cancelAll(server, careful.key, 'end-of-day')
  expect([replay.status, replay.headers['idempotency-replayed'], replay.body.data.id]).toEqual([
    200,
    'true',
    first.body.data.id,
  ])
  expect(await statusOf(server, later)).toBe('pending')
  const kept = await entries(server)
  const by = (id: string) => kept.filter(({ key_id: each }) => each === id)
  expect(by(careful.id).map(({ operation }) => operation)).toEqual([
    ...['createBulkCancellation', 'createBulkCancellation'],
  ])
  expect(by('administrator').map(({ operation }) => operation)).toEqual([
    ...['sendTransaction', 'sendTransaction', 'createApiKey', 'createApiKey'],
  ])
  expect(by(small.id).length).toBeLessThanOrEqual(most)

  const lines = server.log.filter(({ message }) => message === 'a change is in the audit log')
  expect(
    lines.map(({ facts }) => [facts['operation'], facts['subject_id'], facts['key_id'], facts['address']]),
  ).toEqual([
    ['createApiKey', careful.id, 'administrator', '127.0.0.1'],
    ['createApiKey', small.id, 'administrator', '127.0.0.1'],
  ])
  expect(JSON.stringify(lines)).not.toContain('secret of a client')

  aheadMs = dayMs + 60_000
  await until(async () => (await objects()) <= 2, { what: 'the end of the empty objects' })
  const gone = made.at(0)
  expect((await server.ask('GET', `${bulks}/${gone}`)).status).toBe(404)
  expect((await cancelAll(server, careful.key, 'end-of-day')).headers['idempotency-replayed']).toBe('true')
  expectFailure(
    await cancelAll(server, small.key, '0-0', { ids: [sent.body.data.id] }),
    410,
    `Idempotency-Key: it made bulk cancellation ${gone}, which is no longer kept; nothing is canceled again`,
    'BULK_CANCELLATION_GONE',
  )
  expect(await statusOf(server, later)).toBe('pending')
})

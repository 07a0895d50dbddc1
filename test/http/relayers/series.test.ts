// The series of figures: its steps, its sums, and the relayers that a key may see.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { periodMs, periodOf } from '../../../src/domain/figures.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import { expectSuccess } from '../support/expectations.ts'
import { attempt, inclusion, put, putEveryPhase, relayer, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

interface Point {
  readonly at: string
  readonly [figure: string]: unknown
}

/** In a period that has begun, and may end while the test runs. */
const now = Date.now()
const createdAt = now - 20_000

let server: Serving
beforeAll(async () => {
  server = await serve()
  await putEveryPhase(server.store)
  const { network } = relayer('one')
  await server.store.commit((session) => session.addNodeCalls(network, { at: periodOf(now), calls: 7, failed: 2 }))
  await server.store.commit((session) => session.addNodeCalls('elsewhere', { at: periodOf(now), calls: 9, failed: 0 }))
  const own = attempt('fresh' as TransactionId, 0x7000, 'execute', 41)
  const queued = await put(server.store, { ...transaction('fresh', { phase: 'queued' }), createdAt })
  const attempts = [own] as const
  const flying = { ...queued, lifecycle: { phase: 'inFlight', nonce: 41, attempts } as const, sentAt: now - 10_000 }
  const sent = await server.store.commit((session) => session.saveTransaction(queued, flying, now))
  const lifecycle = {
    ...flying.lifecycle,
    phase: 'final',
    inclusion: inclusion(own),
    finalAt: now,
    witnesses: 1,
  } as const
  await server.store.commit((session) => session.saveTransaction(sent, { ...sent, lifecycle }, now))
})
afterAll(() => server[Symbol.asyncDispose]())

const read = async (query: string, token?: string) => {
  const answer = await server.ask('GET', `/api/v1/series?${query}`, token === undefined ? {} : { token })
  expectSuccess(answer)
  return answer.body.data
}

const sum = (points: readonly Point[], figure: string) =>
  points.reduce((total, point) => total + Number(point[figure]), 0)

test.each([
  ['range=hour', 300, 12],
  ['range=day', 1_800, 48],
  ['', 1_800, 48],
  ['range=week', 7_200, 84],
])('"%s" has steps of %i seconds, without gaps', async (query, seconds, length) => {
  const { from, to, step_seconds, bounds_seconds, points } = await read(query)
  expect([step_seconds, points.length]).toEqual([seconds, length])
  expect(Date.parse(from) + length * seconds * 1_000).toBe(Date.parse(to))
  expect(Date.parse(from) % (seconds * 1_000)).toBe(0)
  expect(points.map(({ at }: Point) => at)).toEqual(
    points.map((_: Point, index: number) => new Date(Date.parse(from) + index * seconds * 1_000).toISOString()),
  )
  expect(bounds_seconds).toEqual([1, 2, 5, 15, 30, 60, 120, 300, 900, 3600])
})

test('the figures of a transaction are in the series of all, and of its relayer', async () => {
  for (const query of ['range=hour', 'range=day', 'range=week', 'range=hour&relayer_id=one']) {
    const { points } = await read(query)
    expect([query, sum(points, 'sent'), sum(points, 'confirmed')]).toEqual([query, 1, 1])
    const point = points.find(({ confirmed }: { confirmed: number }) => confirmed > 0)
    const ofOne = query.includes('relayer_id')
    expect(point).toMatchObject({
      ...{ failed: 0, expired: 0, spent: 1, no_ops: 0, unpriced: 0, gas_used: 21_000 },
      confirmation_seconds: 20,
      confirmation_times: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
      fees: [{ network: relayer('one').network, fees: String(21_000n * 2_000_000_000n) }],
    })
    expect([sum(points, 'calls'), sum(points, 'failed_calls')]).toEqual([ofOne ? 7 : 16, 2])
  }
  const { points } = await read('relayer_id=two')
  expect([sum(points, 'sent'), sum(points, 'spent')]).toEqual([0, 0])
})

test('from and to choose the steps by their distance, and contain both', async () => {
  const at = periodOf(now)
  const iso = (ms: number) => new Date(ms).toISOString()
  const one = await read(`from=${iso(at + 1)}&to=${iso(at + 2)}`)
  expect(one).toMatchObject({ from: iso(at), to: iso(at + periodMs), step_seconds: 300, points: [{ at: iso(at) }] })
  expect(await read(`from=${iso(at - 8 * 86_400_000)}&to=${iso(at)}`)).toMatchObject({ step_seconds: 7_200 })
  const open = await read(`from=${iso(at)}`)
  expect(open.from).toBe(iso(at))
})

test.each([
  ['to=2026-01-02T00:00:00Z', 'to'],
  ['from=yesterday', 'from'],
  ['from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', 'from'],
  ['from=2026-01-02T00:00:00Z&to=2026-01-11T00:00:00Z', 'from'],
  ['from=2026-01-02T00:00:00Z&range=day', 'range'],
  ['range=month', 'range'],
])('"%s" is refused by its name', async (query, name) => {
  const { status, headers, body } = await server.ask('GET', `/api/v1/series?${query}`)
  expect([status, headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  expect(body.message).toContain(name)
})

test('a key for another relayer sees nothing of this one, and a relayer must exist', async () => {
  const body = JSON.stringify({ name: 'two only', scopes: ['read'], relayers: ['two'] })
  const made = await server.ask('POST', '/api/v1/api-keys', { headers: { 'content-type': 'application/json' }, body })
  const { key } = made.body.data
  const { points } = await read('range=hour', key)
  expect([sum(points, 'sent'), sum(points, 'spent')]).toEqual([0, 0])
  // The calls of its network are those of other relayers, too.
  for (const point of [...points, ...(await read('range=hour&relayer_id=two', key)).points]) {
    expect(point).not.toHaveProperty('calls')
    expect(point).not.toHaveProperty('failed_calls')
  }
  const refusalOf = async (id: string, token?: string) => {
    const answer = await server.ask('GET', `/api/v1/series?relayer_id=${id}`, token === undefined ? {} : { token })
    return answer.headers['relayer-error-code']
  }
  expect(await refusalOf('one', key)).toBe('RELAYER_NOT_GRANTED')
  expect(await refusalOf('nobody', key)).toBe('RELAYER_NOT_GRANTED')
  expect(await refusalOf('nobody')).toBe('RELAYER_NOT_FOUND')
})

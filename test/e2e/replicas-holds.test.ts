// Two replicas on one database: a release meets a cancel and a PUT through the other replica, and a bulk cancellation covers relayers
// of both, also if one of them is killed halfway.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { minedFrom, poolOf } from '../../tooling/ledger.ts'
import { openReplicas, type Replica, type Replicas } from '../../tooling/replicas.ts'

const [first, second] = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC']
const ids = ['one', 'two', 'three', 'four']
const limitMs = 180_000

let place: Replicas
let a: Replica
let b: Replica
beforeAll(async () => {
  place = await openReplicas({
    relayers: ids.map((id, index) => ({ id, privateKey: devAccount(index + 4).key, policies: { max_in_flight: 8 } })),
  })
  a = await place.add('a')
  await place.shared({ a: 4 })
  // As while the key is being replaced: neither believes the other's messages, so an owner finds its work by looking.
  b = await place.add('b', { apiKey: randomBytes(24).toString('hex') })
  await place.shared({ a: 2, b: 2 })
}, limitMs)
afterAll(() => place?.[Symbol.asyncDispose]())

const addressOf = (relayer: string) => devAccount(ids.indexOf(relayer) + 4).address
const payment = { to: first, value: '1', gas_limit: 21_000, speed: 'average' }
const path = (relayer: string, id: string, rest = '') => `/relayers/${relayer}/transactions/${id}${rest}`

interface Row {
  readonly id: string
  readonly status: string
  readonly phase: string
  readonly nonce: number | null
  readonly open: number
  readonly canceled_at: number | null
  readonly hold: string | null
  readonly included_kind: string | null
}

async function rowOf(id: string): Promise<Row> {
  const [row] = await place.query<Row>(`SELECT * FROM transactions WHERE id = '${id}'`)
  if (!row) throw new Error(`no row ${id}`)
  return row
}

async function hold(relayer: string, more: object = {}): Promise<string> {
  const { id } = await a.client.send(relayer, { ...payment, hold: true, ...more })
  return id
}

const release = ({ client }: Replica, relayer: string, id: string) =>
  client.request('POST', path(relayer, id, '/release'))

/** Mines until the transaction has ended, and returns its row. */
function ended(id: string): Promise<Row> {
  let last = ''
  return until(
    async () => {
      await place.node.mine()
      const row = await rowOf(id)
      last = JSON.stringify(row)
      return row.open === 0 && row
    },
    { everyMs: 100, limitMs: 60_000, what: () => `an end; it is ${last}` },
  )
}

/** How often its payload was executed: by the account, the receiver and the value, which no other payload has. */
async function executions(relayer: string, to: string, value: string): Promise<number> {
  const mined = await minedFrom(place.node, addressOf(relayer))
  return mined.filter((each) => each.to?.toLowerCase() === to.toLowerCase() && BigInt(each.value) === BigInt(value))
    .length
}

async function nothingMissing(relayer: string): Promise<void> {
  const mined = await minedFrom(place.node, addressOf(relayer))
  expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, nonce) => nonce))
}

const rounds = [1, 2, 3, 4, 5]

test(
  'a release and a DELETE through different replicas: the DELETE holds, and the payload executes only where it lost',
  async () => {
    for (const round of rounds) {
      const value = String(100 + round)
      const id = await hold('one', { value })
      const [released, canceled] = await Promise.all([
        release(a, 'one', id),
        b.client.request('DELETE', path('one', id)),
      ])
      expect(canceled.status).toBe(200)
      expect([200, 400]).toContain(released.status)
      const row = await ended(id)
      expect(row.canceled_at).not.toBe(null)
      expect(row.hold).toBe(null)
      if (released.status === 400) expect(row).toMatchObject({ phase: 'dropped', nonce: null })
      const isLost = row.included_kind === 'execute'
      expect(row.status).toBe(isLost ? 'confirmed' : 'canceled')
      expect(await executions('one', first, value)).toBe(isLost ? 1 : 0)
    }
    await nothingMissing('one')
  },
  limitMs,
)

test(
  'a release and a PUT: one of the two payloads executes, once, and after a PUT that came second the hold begins anew',
  async () => {
    for (const round of rounds) {
      const value = String(400 + round)
      const id = await hold('four', { value })
      const put = { ...payment, to: second, value, hold: true }
      const [released, replaced] = await Promise.all([
        release(a, 'four', id),
        b.client.request('PUT', path('four', id), { body: put }),
      ])
      expect(released.status).toBe(200)
      expect([200, 400]).toContain(replaced.status)
      const row = await rowOf(id)
      // A payload with a hold is refused once there is a nonce.
      if (replaced.status === 400) {
        expect(replaced.headers['relayer-error-code']).toBe('TOO_LATE_TO_HOLD')
        expect(row.phase).not.toBe('held')
      }
      if (row.phase === 'held') expect((await release(b, 'four', id)).status).toBe(200)
      expect(await ended(id)).toMatchObject({ status: 'confirmed', hold: null })
      const counts = [await executions('four', first, value), await executions('four', second, value)]
      expect(counts).toEqual(replaced.status === 200 ? [0, 1] : [1, 0])
    }
    await nothingMissing('four')
  },
  limitMs,
)

interface Bulk {
  readonly id: string
  readonly final: boolean
  readonly max_cost: string
  readonly counts: Readonly<Record<string, unknown>>
  readonly parts: readonly { readonly relayer_id: string; readonly state: string; readonly cost_max: string }[]
}

async function bulk({ client }: Replica, body: object): Promise<Bulk> {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answer = await client.request('POST', '/bulk-cancellations', { body: { filter: {}, ...body }, headers })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return (answer.body as { data: Bulk }).data
}

const read = async ({ client }: Replica, id: string) =>
  ((await client.request('GET', `/bulk-cancellations/${id}`)).body as { data: Bulk }).data

/** Three in a pool at each of them. */
async function fly(relayers: readonly string[]): Promise<void> {
  for (const relayer of relayers) for (let sent = 0; sent < 3; sent += 1) await a.client.send(relayer, payment)
  for (const relayer of relayers) {
    await until(async () => (await poolOf(place.node, addressOf(relayer))).size === 3, {
      what: `${relayer} in the pool`,
    })
  }
}

/** Mines once no-ops have taken the payloads' places, until it is final, and compares its counts with the rows. */
async function settled(replica: Replica, id: string, payloads: ReadonlyMap<string, readonly string[]>): Promise<Bulk> {
  // A bound may hold a race up: a plain DELETE lifts it, and the owner hears of it, whoever recorded the cancellation.
  for (const relayer of ids) await replica.client.cancelPending(relayer)
  // A payload that is mined before its no-op is out is executed, and rightly lost.
  for (const relayer of ids) {
    const isOut = (hash: string) => payloads.get(relayer)?.includes(hash) === false
    await until(async () => [...(await poolOf(place.node, addressOf(relayer))).values()].every(isOut), {
      limitMs: 60_000,
      what: `the no-ops of ${relayer}`,
    })
  }
  const found = await until(
    async () => {
      await place.node.mine()
      const last = await read(replica, id)
      return last.final && last
    },
    { everyMs: 100, limitMs: 60_000, what: 'the object to be final' },
  )
  const rows = await place.query<{ kind: string | null; phase: string }>(
    `SELECT included_kind AS kind, phase FROM transactions JOIN bulk_parts ON bulk_parts.id = bulk_part WHERE bulk_id = '${id}'`,
  )
  const of = (kind: string) => rows.filter((row) => row.phase === 'final' && row.kind === kind).length
  const dropped = rows.filter((row) => row.phase === 'dropped').length
  expect(found.counts).toMatchObject({ dropped, won: of('cancel'), lost: of('execute'), racing: 0, not_final: 0 })
  return found
}

test(
  'the replica that makes an object is killed halfway: the other one ends it',
  async () => {
    await fly(ids)
    const payloads = new Map<string, readonly string[]>()
    for (const relayer of ids) payloads.set(relayer, [...(await poolOf(place.node, addressOf(relayer))).values()])
    // The last relayer's part can't be written until then.
    const locked = place.query("BEGIN; SELECT 1 FROM relayers WHERE id = 'four' FOR UPDATE; SELECT pg_sleep(2); COMMIT")
    const request = bulk(a, { relayers: ids, max_cost: '1000000000000000000' }).catch(() => undefined)
    const parts = () =>
      place.query<{ id: string; state: string; spent: string | null }>(
        'SELECT bulk_id AS id, state, spent FROM bulk_parts WHERE bulk_id = (SELECT max(id) FROM bulks) ORDER BY id',
      )
    const states = async () => (await parts()).map(({ state }) => state)
    await until(async () => (await states()).filter((state) => state === 'written').length >= 2, { what: 'two parts' })
    await a.service.kill9()
    await Promise.all([locked, request])
    await until(async () => (await states()).every((state) => state === 'written'), {
      limitMs: 60_000,
      what: 'every part to be written',
    })
    const [part] = await parts()
    const found = await settled(b, part?.id ?? '', payloads)
    expect(found.parts).toHaveLength(4)
    expect(found.counts).toMatchObject({ safe_to_retry: 'all' })
    const spent = (await parts()).reduce((sum, each) => sum + BigInt(each.spent ?? 0), 0n)
    expect(spent).toBeLessThanOrEqual(BigInt(found.max_cost))
    for (const relayer of ids) await nothingMissing(relayer)
  },
  limitMs,
)

// Two replicas on one database: a token of one replica's preview is used at the other, by one request, whichever of them it comes to.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { type Answer, until } from '../../tooling/client.ts'
import { minedFrom, poolOf } from '../../tooling/ledger.ts'
import { openReplicas, type Replica, type Replicas } from '../../tooling/replicas.ts'

const ids = ['one', 'two']
const limitMs = 180_000
const payment = { to: devAccount(1).address, value: '1', gas_limit: 21_000, speed: 'average' }
const addressOf = (relayer: string) => devAccount(ids.indexOf(relayer) + 4).address

let place: Replicas
let a: Replica
let b: Replica
beforeAll(async () => {
  place = await openReplicas({
    relayers: ids.map((id, index) => ({ id, privateKey: devAccount(index + 4).key, policies: { max_in_flight: 2 } })),
  })
  a = await place.add('a')
  await place.shared({ a: 2 })
  b = await place.add('b')
  await place.shared({ a: 1, b: 1 })
}, limitMs)
afterAll(() => place?.[Symbol.asyncDispose]())

interface Counts {
  readonly won: number
  readonly lost: number
  readonly racing: number
  readonly cost: string
}

interface Bulk {
  readonly id: string
  readonly final: boolean
  readonly counts: Counts
}

/** Three of each relayer: two in flight, and one behind them. */
async function fly(nonces: readonly number[]): Promise<readonly string[]> {
  const sent: string[] = []
  for (const relayer of ids) {
    for (let each = 0; each < 3; each += 1) sent.push((await a.client.send(relayer, payment)).id)
    const pooled = async () => String([...(await poolOf(place.node, addressOf(relayer))).keys()].toSorted())
    await until(async () => (await pooled()) === String(nonces), { what: 'two in the pool', limitMs: 60_000 })
  }
  return sent
}

async function preview({ client }: Replica) {
  const body = { filter: {}, relayers: ids }
  const { status, body: answer } = await client.request('POST', '/bulk-cancellations/preview', { body })
  expect(status, JSON.stringify(answer)).toBe(200)
  type Preview = { token: string; bounds: readonly string[]; counts: object; cost: { max: string } }
  return (answer as { data: Preview }).data
}

const use = ({ client }: Replica, token: string, more: object = {}) =>
  client.request('POST', '/bulk-cancellations', {
    body: { filter: {}, relayers: ids, preview: token, ...more },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })

const bulkOf = ({ status, body }: Answer) => {
  expect(status, JSON.stringify(body)).toBe(200)
  return (body as { data: Bulk }).data
}

/** Mines until the object is final, as the other replica shows it. */
async function settled({ client }: Replica, id: string): Promise<Bulk> {
  const found = await until(
    async () => {
      await place.node.mine()
      const bulk = bulkOf(await client.request('GET', `/bulk-cancellations/${id}`))
      return bulk.final && bulk
    },
    { everyMs: 200, limitMs: 90_000, what: 'the object to be final' },
  )
  for (const relayer of ids) {
    const mined = await minedFrom(place.node, addressOf(relayer))
    expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, nonce) => nonce))
  }
  return found
}

test(
  'a token is used at the other replica, for relayers of both, and takes nothing that was sent since',
  async () => {
    await fly([0, 1])
    const shown = await preview(a)
    expect(shown).toMatchObject({
      bounds: ['transactions', 'no_ops', 'cost'],
      counts: { matches: 6, free: 2, no_ops: 4 },
    })
    const late = await Promise.all(ids.map(async (relayer) => (await b.client.send(relayer, payment)).id))
    const refused = await use(b, shown.token, { exact: true })
    expect(refused.headers['relayer-preview-difference']).toMatch(/^ended=0, added=2, no_ops=0/)
    const bulk = bulkOf(await use(b, shown.token))
    expect(bulk).toMatchObject({
      counts: { dropped: 2, racing: 4 },
      preview: { matches: 6, ended: 0, no_ops: 4, cost_max: shown.cost.max },
    })
    const end = await settled(a, bulk.id)
    expect(BigInt(end.counts.cost)).toBeLessThanOrEqual(BigInt(shown.cost.max))
    for (const [index, id] of late.entries()) {
      const isConfirmed = async () => (await a.client.get(ids[index] ?? '', id)).status === 'confirmed'
      await until(
        async () => {
          await place.node.mine()
          return isConfirmed()
        },
        { everyMs: 200, limitMs: 60_000, what: 'what was sent later' },
      )
    }
  },
  limitMs,
)

test(
  'of two requests at once, through both replicas, one has the token',
  async () => {
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(ids.map((relayer) => a.client.send(relayer, { ...payment, hold: true })))
      const { token } = await preview(round % 2 === 0 ? a : b)
      const answers = await Promise.all([use(a, token), use(b, token)])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
      const taken = answers.filter(({ status }) => status === 200).map(bulkOf)
      expect(taken).toMatchObject([{ counts: { dropped: 2, racing: 0 } }])
    }
  },
  limitMs,
)

// Bulk cancellations with a limit of cost: the taken transactions, their share, the ones left as they are, and why.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../../src/domain/ids.ts'
import type { Store } from '../../../src/store/store.ts'
import { someMarket } from '../../domain/some.ts'
import { attempt, put, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

const path = '/api/v1/bulk-cancellations'
const priceOf = () => ({ market: someMarket, block: 100 })

let keys = 0
function create(server: Serving, body: object) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `key-${++keys}` }
  return server.ask('POST', path, { headers, body: JSON.stringify({ filter: {}, relayers: ['one'], ...body }) })
}

const shown = async (server: Serving, id: string, rest = '', relayer = 'one') =>
  (await server.ask('GET', `/api/v1/relayers/${relayer}/transactions/${id}${rest}`)).body.data

const inFlight = (store: Store, id: string, nonce: number, relayerId = 'one' as RelayerId) =>
  put(
    store,
    transaction(
      id,
      { phase: 'inFlight', nonce, attempts: [attempt(id as never, nonce, 'execute', nonce)] },
      { relayerId },
    ),
  )

/** Two that a node may have, and one in the queue. */
async function three(server: Serving): Promise<void> {
  await inFlight(server.store, 'first', 7)
  await inFlight(server.store, 'second', 8)
  await put(server.store, transaction('queued', { phase: 'queued' }))
}

/** The shares of the two at this price. */
async function sharesOfBoth(): Promise<readonly [bigint, bigint]> {
  await using server = await serve({ priceOf })
  await three(server)
  const { data } = (await create(server, { max_cost: '1000000000000000000' })).body
  const { cost_max: first } = await shown(server, 'first', '/cancellation')
  const { cost_max: second } = await shown(server, 'second', '/cancellation')
  const shares = [BigInt(first), BigInt(second)] as const
  expect(data.parts[0].cost_max).toBe(String(shares[0] + shares[1]))
  return shares
}

test('max_cost takes the cheapest first, and lists the others with the reason', async () => {
  const [first, second] = await sharesOfBoth()
  await using server = await serve({ priceOf })
  await three(server)
  const answer = await create(server, { max_cost: String(first + second - 1n) })
  expect(answer.status, answer.text).toBe(200)
  const { data } = answer.body
  expect(data).toMatchObject({ max_cost: String(first + second - 1n), counts: { dropped: 1, racing: 1, refused: 1 } })
  const refused = {
    transaction_id: 'second',
    reason: 'beyond_max_cost',
    cost: String(second),
    left: String(second - 1n),
  }
  expect(data.parts).toMatchObject([{ cost_max: String(first), refused: [refused] }])
  expect(await shown(server, 'first')).toMatchObject({ status: 'canceled' })
  expect(await shown(server, 'second')).toMatchObject({ status: 'submitted' })
  expect(await shown(server, 'queued')).toMatchObject({ status: 'canceled' })
  expect((await server.ask('GET', `${path}/${data.id}`)).body.data).toEqual(data)
})

test('the relayers share one max_cost, in their order', async () => {
  const [first] = await sharesOfBoth()
  await using server = await serve({ priceOf })
  await inFlight(server.store, 'first', 7)
  await inFlight(server.store, 'other', 3, 'two' as RelayerId)
  const { data } = (await create(server, { relayers: 'all', max_cost: String(first + 1n) })).body
  const spent = data.parts.map((part: { cost_max: string }) => part.cost_max)
  expect(spent).toEqual([String(first), '0'])
  expect(data.counts).toMatchObject({ racing: 1, refused: 1 })
})

test('only free takes what costs nothing, and needs no price', async () => {
  await using server = await serve()
  await three(server)
  const { data, metadata } = (await create(server, { only: 'free' })).body
  expect(data).toMatchObject({ only: 'free', counts: { dropped: 1, racing: 0, refused: 2 } })
  const refused = 'Matches that were not canceled: 2. parts[].refused names each with its reason.'
  expect(metadata.logs.map(({ message }: { message: string }) => message)).toContain(refused)
  expect(data.parts[0].refused).toMatchObject([{ reason: 'costs' }, { reason: 'costs' }])
  expect(await shown(server, 'first')).toMatchObject({ status: 'submitted' })
})

test('a plain DELETE lifts a share, and a later object sets its own', async () => {
  const [first, second] = await sharesOfBoth()
  await using server = await serve({ priceOf })
  await three(server)
  await create(server, { max_cost: String(first + second) })
  const bound = async () => (await shown(server, 'first', '/cancellation')).cost_max
  expect(await bound()).toBe(String(first))
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/first')
  expect(await bound()).toBe(undefined)
  const { data } = (await create(server, { max_cost: String(first + second) })).body
  expect(data.counts).toMatchObject({ dropped: 0, racing: 0, already: 2 })
  expect(await bound()).toBe(String(first))
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/pending')
  expect(await bound()).toBe(undefined)
})

test('without an observed price, and across currencies, a max_cost is refused and nothing changes', async () => {
  await using blind = await serve()
  await three(blind)
  const missing = await create(blind, { max_cost: '1' })
  expect([missing.status, missing.headers['relayer-error-code']]).toEqual([503, 'PRICE_UNOBSERVED'])
  await using mixed = await serve({ priceOf, symbolOf: ({ id }) => (id === 'one' ? 'ETH' : 'POL') })
  await three(mixed)
  const differ = await create(mixed, { relayers: 'all', max_cost: '1' })
  expect([differ.status, differ.headers['relayer-error-code']]).toEqual([400, 'SYMBOLS_DIFFER'])
  for (const server of [blind, mixed]) {
    expect((await server.ask('GET', path)).body.data).toEqual([])
    expect(await shown(server, 'queued')).toMatchObject({ status: 'pending' })
  }
})

// Reading relayers, their status and their balance.
import { expect, test } from 'vitest'
import { type Chain, ChainUnavailable } from '../../../src/chain/chain.ts'
import type { Inquiry, Observation } from '../../../src/domain/observation.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { address, hashOf, put, putEveryPhase, relayer, transaction } from '../support/rows.ts'
import { serve } from '../support/serve.ts'

const balance = 12_345_678_901_234_567_890n
const price = { perGas: 25_001_500_000n, block: 5, readAt: Date.UTC(2026, 0, 2) }
const answering: Partial<Chain> = {
  price: () => price,
  balance: async () => balance,
  observe: async (inquiry: Inquiry): Promise<Observation> => ({
    head: { number: 5, hash: hashOf(5), parentHash: hashOf(4), timestampMs: 0 },
    nonce: 42,
    rule: { measure: 'fields', percent: 10n },
    ...(inquiry.balance && { balance }),
    inclusions: new Map(),
    canonical: new Map(),
    estimates: new Map(),
  }),
}
const unavailable = () => Promise.reject(new ChainUnavailable('https://node/secret-key does not answer'))
const silent: Partial<Chain> = { balance: unavailable, observe: unavailable }

test('all of them, paged', async () => {
  await using server = await serve()
  const answer = await server.ask('GET', '/api/v1/relayers?page=2&per_page=1')
  expectSuccess(answer)
  expect(answer.body.data).toHaveLength(1)
  expect(answer.body.pagination).toEqual({ current_page: 2, per_page: 1, total_items: 2 })
  const both = await server.ask('GET', '/api/v1/relayers')
  expect(both.body.data.map(({ id }: { id: string }) => id).sort()).toEqual(['one', 'two'])
  const wrong = await server.ask('GET', '/api/v1/relayers?per_page=1001')
  expectFailure(wrong, 400, 'per_page: 1001 is not an integer from 1 to 1000', 'INVALID_REQUEST')
})

test('one, with its policies', async () => {
  await using server = await serve()
  const { policies } = relayer('one')
  await server.store.commit((session) =>
    session.saveRelayer(
      relayer('one', { paused: true, notificationId: 'hook', policies: { ...policies, gasPriceCap: 10n ** 20n } }),
    ),
  )
  const answer = await server.ask('GET', '/api/v1/relayers/one')
  expectSuccess(answer)
  expect(answer.body.data).toEqual({
    id: 'one',
    name: 'Relayer one',
    network: 'localhost',
    network_type: 'evm',
    chain_id: 31337,
    address,
    signer_id: 'dev',
    notification_id: 'hook',
    paused: true,
    network_paused: false,
    system_disabled: false,
    policies: {
      min_balance: 0,
      gas_price_cap: 100_000_000_000_000_000_000,
      max_in_flight: 16,
      eip1559_pricing: true,
      gas_limit_estimation: true,
      presign_cancel: 0,
      skip_unfunded: false,
      runway_warning: '24h',
      four_eyes: false,
    },
  })
})

test('status: the account on the chain, and what waits', async () => {
  await using server = await serve({ chain: answering })
  await putEveryPhase(server.store)
  await put(server.store, transaction('one-more', { phase: 'queued' }))
  const answer = await server.ask('GET', '/api/v1/relayers/one/status')
  expectSuccess(answer)
  expect(answer.body.data).toEqual({
    network_type: 'evm',
    balance: balance.toString(),
    nonce: '42',
    pending_transactions_count: 4,
    last_confirmed_transaction_timestamp: '2026-01-02T03:04:14.678Z',
    network_price: { per_gas: '25001500000', block_number: 5, read_at: '2026-01-02T00:00:00.000Z' },
    paused: false,
    system_disabled: false,
  })
  const fresh = await server.ask('GET', '/api/v1/relayers/two/status')
  expect(fresh.body.data).not.toHaveProperty('last_confirmed_transaction_timestamp')
})

test('balance', async () => {
  await using server = await serve({ chain: answering })
  const answer = await server.ask('GET', '/api/v1/relayers/one/balance')
  expectSuccess(answer)
  expect(answer.body.data).toEqual({ balance: Number(balance), unit: 'wei' })
  // The bytes have every digit, for those who read more than doubles.
  expect(answer.text).toContain(`{"balance":${balance},"unit":"wei"}`)
})

test.each(['status', 'balance'])('%s while no node answers: no secret of a URL is shown', async (what) => {
  await using server = await serve({ chain: silent })
  const answer = await server.ask('GET', `/api/v1/relayers/one/${what}`)
  expectFailure(answer, 503, 'no node of network "localhost" answers; try again later', 'NODE_UNAVAILABLE')
})

test.each(['status', 'balance'])('%s at a replica whose file has another network', async (what) => {
  await using server = await serve()
  const answer = await server.ask('GET', `/api/v1/relayers/one/${what}`)
  const reported = 'the configuration of this replica has no network "localhost"; ask another replica, or add it there'
  expectFailure(answer, 503, reported, 'NODE_UNAVAILABLE')
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
})

test('status without a balance is no status', async () => {
  const { observe } = answering
  const withoutBalance = ({ balance: _, ...inquiry }: Inquiry) => (observe as Chain['observe'])(inquiry)
  const chain = { observe: withoutBalance }
  await using server = await serve({ chain })
  expect((await server.ask('GET', '/api/v1/relayers/one/status')).status).toBe(503)
})

test.each(['', '/status', '/balance'])('unknown: /relayers/nobody%s', async (rest) => {
  await using server = await serve({ chain: answering })
  const answer = await server.ask('GET', `/api/v1/relayers/no%2Fbody${rest}`)
  expectFailure(answer, 404, 'Relayer with ID no/body not found', 'RELAYER_NOT_FOUND')
})

// The endpoints of networks as several replicas see them: whose view counts, and who sees which.
import { expect, test } from 'vitest'
import type { NetworkNodes, NodeReport, NodeView } from '../../../src/domain/node-report.ts'
import { someNode } from '../../domain/some-node.ts'
import { expectSuccess } from '../support/expectations.ts'
import { relayer } from '../support/rows.ts'
import { serve } from '../support/serve.ts'

const now = Date.now()
const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const { network } = relayer('one')
const silent = someNode({
  endpoint: 1,
  reasons: [{ condition: 'no_answer', facts: { inRow: 3, restsUntil: now + 500 } }],
  lastFailure: { at: now - 100, method: 'eth_call', kind: 'unsent', words: 'no connection (ECONNREFUSED)' },
  lastRpcError: { at: now - 200, method: 'eth_estimateGas', code: 3, words: 'execution reverted' },
})
const of = (nodes: readonly NodeView[], changes: Partial<NetworkNodes> = {}): NetworkNodes => ({
  ...{ network, chainId: 31_337, nodes },
  ...changes,
})
const report = (replica: string, networks: readonly NetworkNodes[], agoMs = 1_000): NodeReport => ({
  ...{ replica, networks, readAt: now - agoMs },
})

async function serveReports(...reports: readonly NodeReport[]) {
  const server = await serve()
  await server.store.commit(async (session) => {
    for (const each of reports) await session.recordNodes(each)
  })
  return {
    ...server,
    async read(token?: string, query = '') {
      const answer = await server.ask('GET', `/api/v1/nodes${query}`, token === undefined ? {} : { token })
      expectSuccess(answer)
      return answer.body.data
    },
  }
}

test('nothing, before a replica has written', async () => {
  await using server = await serveReports()
  expect(await server.read()).toEqual([])
})

test('each replica with its view; the worst of those that run counts', async () => {
  await using server = await serveReports(report('a', [of([someNode()])]), report('b', [of([someNode(), silent])]))
  const [found] = await server.read()
  expect(found).toMatchObject({ network, network_id: `evm:${network}`, chain_id: 31_337, state: 'degraded' })
  expect(found.replicas).toMatchObject([
    { replica: 'a', stale: false, read_at: new Date(now - 1_000).toISOString(), head: { number: 100, behind: 0 } },
    {
      replica: 'b',
      nodes: [
        { state: 'ok', conditions: [] },
        { endpoint: 1, state: 'impaired' },
      ],
    },
  ])
  const [, node] = found.replicas[1].nodes
  expect(node).toMatchObject({
    conditions: [
      {
        condition: 'no_answer',
        facts: { in_row: 3, rests_until: new Date(now + 500).toISOString() },
        text: 'did not answer the last 3 requests',
        runbook: '/docs/runbook.md#node_unreachable',
      },
    ],
    calls: { total: 10, rpc_errors: 1, unanswered: 0, unsent: 0 },
    latency: { p50_ms: 12, p95_ms: 80, calls: 10 },
    last_failure: { method: 'eth_call', kind: 'unsent', text: 'no connection (ECONNREFUSED)' },
    last_rpc_error: { method: 'eth_estimateGas', code: 3, text: 'execution reverted' },
  })
})

test('a replica that has written nothing for a minute is stale, and its view does not count', async () => {
  await using server = await serveReports(report('gone', [of([silent])], 61_000), report('runs', [of([someNode()])]))
  const [found] = await server.read()
  expect([found.state, found.replicas.map(({ stale }: { stale: boolean }) => stale)]).toEqual(['ok', [true, false]])
})

test('a network whose replicas are all stale is unreported', async () => {
  await using server = await serveReports(report('gone', [of([silent])], 61_000))
  expect((await server.read())[0].state).toBe('unreported')
})

test('a bound key reads states and times of shared endpoints, and no text, method or number of the calls of others', async () => {
  const revealed = 'execution reverted: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 holds 5 ether'
  const failing = someNode({ ...silent, lastRpcError: { at: now - 200, method: 'eth_call', code: 3, words: revealed } })
  const all = [of([failing]), of([failing], { relayer: relayer('one').id })]
  await using server = await serveReports(report('a', all))
  const body = { name: 'bound', scopes: ['read'], relayers: ['one'] }
  const created = await server.ask('POST', '/api/v1/api-keys', json(body))
  const [shared, own] = await server.read(created.body.data.key)
  const [node] = shared.replicas[0].nodes
  expect(node).toMatchObject({ state: 'impaired', head: { number: 100 }, latency: { p50_ms: 12, p95_ms: 80 } })
  expect(node.last_failure).toEqual({ at: new Date(now - 100).toISOString(), kind: 'unsent' })
  expect(node).not.toHaveProperty('calls')
  expect(node).not.toHaveProperty('last_rpc_error')
  expect(node.latency).not.toHaveProperty('calls')
  expect(JSON.stringify(shared)).not.toMatch(/reverted|eth_call|ECONNREFUSED/)
  // The endpoints of its own relayer serve nobody else.
  expect(own.replicas[0].nodes[0]).toMatchObject({ calls: { total: 10 }, last_rpc_error: { text: revealed } })
  const [ofAll] = await server.read()
  expect(ofAll.replicas[0].nodes[0]).toMatchObject({ calls: { total: 10 }, last_rpc_error: { text: revealed } })
})

test('a key sees the networks of its relayers, and the own endpoints of these relayers only', async () => {
  const [one, two] = [relayer('one').id, relayer('two').id]
  const all = [
    of([someNode()]),
    of([someNode()], { network: 'other' }),
    of([silent], { relayer: one }),
    of([silent], { relayer: two }),
  ]
  await using server = await serveReports(report('a', all))
  const created = await server.ask(
    'POST',
    '/api/v1/api-keys',
    json({ name: 'bound', scopes: ['read'], relayers: ['one'] }),
  )
  const shown = (found: readonly { network: string; relayer_id?: string }[]) =>
    found.map((each) => [each.network, each.relayer_id])
  expect(shown(await server.read(created.body.data.key))).toEqual([
    [network, undefined],
    [network, 'one'],
  ])
  expect(shown(await server.read())).toEqual([
    [network, undefined],
    ['other', undefined],
    [network, 'one'],
    [network, 'two'],
  ])
  expect(shown(await server.read(undefined, '?per_page=1&page=2'))).toEqual([['other', undefined]])
})

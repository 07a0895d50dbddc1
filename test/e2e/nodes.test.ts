// What an operator reads of nodes: as the service sees them by its own calls, from the database, and never a URL.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NetworkNodesView } from '../../src/client/client.ts'
import { until } from '../../tooling/client.ts'
import { type NodesScene, seats, setNodesScene } from '../../tooling/dashboard/nodes-scene.ts'
import { databaseIn } from '../../tooling/tested-database.ts'

let scene: NodesScene
beforeAll(async () => {
  scene = await setNodesScene()
})
afterAll(async () => scene?.[Symbol.asyncDispose]())

type Networks = readonly NetworkNodesView[]
type Seat = keyof typeof seats

async function nodes(client = scene.client): Promise<Networks> {
  const { body } = await client.request('GET', '/nodes?per_page=100')
  return (body as { data: Networks }).data
}

const networkOf = (all: Networks, name: string, relayer?: string) =>
  all.find((each) => each.network === name && each.relayer_id === relayer)
const nodesOf = (all: Networks, name: string, relayer?: string) =>
  networkOf(all, name, relayer)?.replicas[0]?.nodes ?? []
const at = (all: Networks, seat: Seat) => nodesOf(all, 'mixed')[seats[seat]]

/** Reads until it is so. */
async function nodesWhere(what: string, isSo: (all: Networks) => boolean): Promise<Networks> {
  let all: Networks = []
  await until(
    async () => {
      all = await nodes()
      return isSo(all)
    },
    { what: () => `${what}: ${JSON.stringify(all)}`, limitMs: 90_000, everyMs: 300 },
  )
  return all
}

const conditionOf = (all: Networks, seat: Seat) => at(all, seat)?.conditions[0]?.condition

test('each endpoint is shown as the service found it, by host and position', async () => {
  const all = await nodesWhere('each in its state', (now) => {
    const found = [conditionOf(now, 'lagging'), conditionOf(now, 'failing'), conditionOf(now, 'wrongChain')]
    const isShown = at(now, 'good')?.head && at(now, 'other')?.head && nodesOf(now, 'calm')[0]?.head
    return String(found) === 'lagging,no_answer,wrong_chain' && isShown !== undefined
  })
  const host = expect.stringMatching(/^127\.0\.0\.1:\d+$/)
  for (const seat of ['good', 'other'] as const) {
    expect(at(all, seat)).toMatchObject({
      ...{ endpoint: seats[seat], host, weight: 100, state: 'ok', conditions: [] },
      client: expect.stringMatching(/^anvil\/v/),
      replacement: { measure: 'fields', percent: 10 },
      chain_id: 31_337,
      head: { number: expect.any(Number), behind: expect.any(Number) },
      latency: { p50_ms: expect.any(Number), p95_ms: expect.any(Number) },
      calls: { unanswered: 0, unsent: 0 },
    })
    expect(at(all, seat)?.calls?.total).toBeGreaterThan(2)
  }
  expect(at(all, 'lagging')).toMatchObject({
    state: 'impaired',
    conditions: [{ condition: 'lagging', text: expect.stringMatching(/^its head is \d+ blocks? behind$/) }],
  })
  expect(at(all, 'failing')).toMatchObject({
    state: 'impaired',
    conditions: [{ condition: 'no_answer', text: expect.stringMatching(/^did not answer the last( \d+)? requests?$/) }],
    last_failure: { kind: 'unanswered', http_status: 503, text: 'HTTP 503' },
  })
  expect(at(all, 'wrongChain')).toMatchObject({
    state: 'distrusted',
    chain_id: 1_337,
    conditions: [
      {
        condition: 'wrong_chain',
        facts: { expected_chain: 31_337, served_chain: 1_337, rests_until: expect.any(String) },
        text: 'serves chain 1337, not 31337',
        runbook: '/docs/runbook.md#wrong_chain',
      },
    ],
  })
  expect(networkOf(all, 'mixed')).toMatchObject({ network_id: 'evm:mixed', chain_id: 31_337, state: 'degraded' })
  // Its relayer has nothing open.
  expect(networkOf(all, 'calm')).toMatchObject({
    state: 'ok',
    replicas: [{ replica: expect.any(String), stale: false }],
  })
  expect(networkOf(all, 'unused')).toMatchObject({
    state: 'unreported',
    endpoints: [{ endpoint: 0, host: 'unused.example', weight: 100 }],
    replicas: [],
  })
  expect(JSON.stringify(all)).not.toContain(scene.secret)
})

test('endpoints of one relayer are shown apart, and to the keys of the relayer only', async () => {
  const [good] = nodesOf(await nodes(), 'mixed')
  const custom = { custom_rpc_urls: [`http://${good?.host}/${scene.secret}`] }
  expect(await scene.client.request('PATCH', '/relayers/busy', { body: custom })).toMatchObject({ status: 200 })
  const all = await nodesWhere('its own endpoint', (now) => nodesOf(now, 'mixed', 'busy')[0]?.head !== undefined)
  expect(networkOf(all, 'mixed', 'busy')).toMatchObject({
    endpoints: [{ endpoint: 0, host: good?.host }],
    replicas: [{ nodes: [{ host: good?.host, state: 'ok' }] }],
  })
  // No relayer is left that uses those of the network.
  expect(networkOf(all, 'mixed')).toMatchObject({ state: 'unreported', replicas: [] })
  expect(JSON.stringify(all)).not.toContain(scene.secret)
  await scene.client.request('PATCH', '/relayers/busy', { body: { custom_rpc_urls: null } })
})

test('an outage is seen while no relayer is active, and survives a restart as long as it lasts', async () => {
  await scene.cutCalm()
  await scene.client.request('GET', '/relayers/quiet/balance')
  await nodesWhere('no answer', (now) => networkOf(now, 'calm')?.state === 'down')
  await scene.service.stop()
  // Read before the restart: the next process reports within seconds.
  expect(databaseIn(scene.service.directory).read('SELECT replica FROM node_reports')).toEqual([])
  await scene.service.restart()
  await nodesWhere('no answer again', (now) => networkOf(now, 'calm')?.state === 'down')
})

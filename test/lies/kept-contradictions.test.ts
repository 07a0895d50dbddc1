// What endpoints say against each other is kept: the question, both answers and the hosts, also after kill -9.
import { expect, test } from 'vitest'
import { startAnvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { startLyingNode } from '../../tooling/lying-node.ts'
import { inPool, mineUntil, pay, view } from '../e2e/support/play.ts'
import { stageOn } from '../e2e/support/stage.ts'
import { manage, refused } from '../manage/support/manager.ts'

const at = '/networks/evm:localhost'
const key = 'a-key-of-a-provider'

interface Listed {
  readonly at: string
  readonly condition: string
  readonly question: Readonly<Record<string, unknown>>
  readonly answers: readonly { readonly endpoint: number; readonly host: string; readonly answer: string }[]
}

test('one of three leaves our payment out of its block: its answer is kept beside the other, once', async () => {
  await using pieces = new AsyncDisposableStack()
  const node = await startAnvil({ mining: 'manual' })
  const liar = pieces.use(await startLyingNode(node.url))
  await using stage = await stageOn(node, {
    relayers: { one: {} },
    requiredConfirmations: 3,
    endpoints: async ({ node: direct, line }) => [
      { url: `${line}/v3/${key}`, weight: 100 },
      { url: `${liar.url}/v3/${key}`, weight: 2 },
      { url: direct, weight: 1 },
    ],
  })
  const { client, service } = stage
  expect((await client.request('GET', `${at}/contradictions`)).body).toMatchObject({
    ...{ success: true, data: [], pagination: { current_page: 1, total_items: 0 } },
  })
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  liar.lie(({ method }, honest) => {
    const { result } = honest as { result?: { transactions?: readonly unknown[] } | null }
    if (method !== 'eth_getBlockByNumber' || !result?.transactions?.length) return undefined
    return { result: { ...result, transactions: [] } }
  })
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  const list = async (query = '') => {
    const { body } = await client.request('GET', `${at}/contradictions${query}`)
    return body as { data: readonly Listed[]; pagination: { total_items: number } }
  }
  await until(async () => (await list()).data.length > 0, { what: () => service.logs().slice(-3000) })
  const { data } = await list()
  const [mined] = stage.rows.attempts(payment.id)
  const [contradiction] = data
  if (!contradiction) throw new Error('none is listed')
  expect(data).toHaveLength(1)
  expect(contradiction).toMatchObject({
    condition: 'witnesses_contradict',
    question: { transaction_hash: mined?.hash, succeeded: true },
  })
  const number = contradiction.question['block_number']
  const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${Number(number).toString(16)}`, false])
  expect(contradiction.question['block_hash']).toBe(hash)
  const of = (url: string) => contradiction.answers.find(({ host }) => host === new URL(url).host)
  expect(of(stage.line.url)?.endpoint).toBe(0)
  expect(JSON.parse(of(stage.line.url)?.answer ?? '')).toMatchObject({ block_hash: hash, lists_spender: true })
  expect(of(liar.url)?.endpoint).toBe(1)
  expect(JSON.parse(of(liar.url)?.answer ?? '')).toMatchObject({ block_hash: hash, lists_spender: false })
  expect(JSON.stringify(data)).not.toContain(key)

  await service.kill9()
  await service.restart()
  expect((await list()).data).toEqual(data)
  expect(await list('?page=2&per_page=1')).toMatchObject({ data: [], pagination: { total_items: 1 } })
  expect(await refused(client, 'GET', '/networks/evm:nowhere/contradictions')).toMatchObject({
    ...{ status: 404, code: 'NETWORK_NOT_FOUND' },
  })
  const reader = await manage(client, 'POST', '/api-keys', { name: 'reader', scopes: ['read'] })
  const denied = await fetch(`${service.url}/api/v1${at}/contradictions`, {
    headers: { authorization: `Bearer ${String(reader.key)}` },
  })
  expect(denied.status).toBe(401)
  expect(liar.lies(), 'false answers').toBeGreaterThan(0)
})

// The report at start: a line for each relayer, whatever its nodes do; the states that readiness shows; and development keys,
// which are refused where they hold anything of worth.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type RpcServer, startRpcServer } from '../../tooling/rpc-server.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { storageKey } from '../manage/support/manager.ts'

interface Body {
  readonly message: string
  readonly data: { readonly relayers: { readonly unobserved: number } }
}

const nobody = 'http://127.0.0.1:9'

let node: Anvil
let line: RpcServer
let wrong: RpcServer
let service: Service
beforeAll(async () => {
  node = await startAnvil({ mining: 'manual' })
  line = await startRpcServer({ forwardTo: node.url })
  wrong = await startRpcServer({ forwardTo: node.url })
  wrong.react({ do: 'answerSome', each: ({ method }) => (method === 'eth_chainId' ? { result: '0x7' } : undefined) })
  service = await startService({
    networks: [
      { name: 'local', rpcUrls: [`${line.url}/v3/a-key`, wrong.url] },
      { name: 'down', rpcUrls: [nobody], chainId: 1_337 },
      { name: 'worth', rpcUrls: [nobody], chainId: 10 },
    ],
    relayers: [
      { id: 'treasury', privateKey: devAccount(0).key, policies: { four_eyes: true } },
      { id: 'stopped', privateKey: devAccount(1).key, paused: true },
      { id: 'alone', privateKey: devAccount(0).key, network: 'down' },
    ],
    env: { STORAGE_ENCRYPTION_KEY: storageKey(1) },
  })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await line?.[Symbol.asyncDispose]()
  await wrong?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
})

async function ask(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, code: answer.headers.get('relayer-error-code'), body: (await answer.json()) as Body }
}

const reported = () =>
  service
    .logs()
    .split('\n')
    .filter((line) => line.includes('"endpoints":["'))

test('a line for each relayer: its account, and what its endpoints answer', async () => {
  await until(async () => reported().length === 3, { what: () => `the report\n${service.logs()}` })
  const lines = reported().map((line) => JSON.parse(line))
  const byId = new Map(lines.map((line) => [line.relayer_id, line]))
  const balance = '10000000000000000000000'
  const ofLocal = [`${line.url} ok`, `${wrong.url} wrong chain`]
  const { address } = devAccount(0)
  expect(byId.get('treasury')).toMatchObject({
    ...{ level: 'warn', network: 'local', chain_id: 31_337, address, balance, endpoints: ofLocal },
  })
  expect(byId.get('stopped')).toMatchObject({ balance, paused: true, endpoints: ofLocal })
  expect(byId.get('alone')).toMatchObject({ level: 'warn', chain_id: 1_337, endpoints: [`${nobody} no answer`] })
  expect(byId.get('alone')).not.toHaveProperty('balance')
  expect(service.logs()).not.toContain('a-key')
})

test('relayers that share an account are named where not all are under four eyes', async () => {
  const { address } = devAccount(0)
  const shared = service
    .logs()
    .split('\n')
    .find((line) => line.includes('not all of them are under four eyes'))
  expect(JSON.parse(shared ?? '{}')).toMatchObject({ level: 'warn', address, relayer_ids: ['alone', 'treasury'] })
})

test('readiness shows everyone how many relayers are in each state, and nothing of them', async () => {
  await until(async () => reported().length === 3, { what: 'the report' })
  const states = async () => (await ask('GET', '/ready')).body.data.relayers
  await until(async () => (await states()).unobserved === 0, { what: 'the states' })
  expect(await states()).toEqual({ ok: 1, waiting: 0, paused: 1, unreachable: 1, unobserved: 0 })
})

test('through the API a published key is refused where the chain is no development chain', async () => {
  const relayer = { name: 'r', signer_id: 'signer-treasury', network_type: 'evm', paused: false }
  const refused = await ask('POST', '/relayers', { ...relayer, network: 'worth' })
  expect(refused).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  expect(refused.body.message).toMatch(/^signer_id: "signer-treasury" signs as 0xf39F.* on chain 10, and the key/)
})

test('the service does not start with one, and names the relayer', async () => {
  const starting = startService({
    networks: [{ name: 'worth', rpcUrls: [nobody], chainId: 10 }],
    relayers: [{ id: 'treasury', privateKey: devAccount(4).key }],
  })
  await expect(starting).rejects.toThrow(
    /relayer "treasury": signs as 0x15d3.* on chain 10, and the key of this development/,
  )
})

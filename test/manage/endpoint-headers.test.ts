// Headers of endpoints, from the file and through the API: nodes see them, and no answer, log, metric or file does.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { openClient } from '../../tooling/client.ts'
import { type RpcServer, startRpcServer } from '../../tooling/rpc-server.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { filesWith, manage, mined, refused, storageKey } from './support/manager.ts'

const at = '/networks/evm:localhost'
const [inFile, givenLater, ofRelayer] = ['S3CRET-in-the-file-1', 'S3CRET-given-later-2', 'S3CRET-of-a-relayer-3']
const payment = { to: devAccount(9).address, value: '1', gas_limit: 21_000 }
/** A name that means an amount in the database, and one that objects have. */
const oddNames = { wei: '7', constructor: 'x' }

let node: Anvil
let line: RpcServer
let service: Service
let directory: string
beforeAll(async () => {
  node = await startAnvil({ mining: 'manual' })
  line = await startRpcServer({ forwardTo: node.url })
  directory = await mkdtemp(join(tmpdir(), 'rescind-headers-'))
  const headers = { 'X-Api-Key': { type: 'env', value: 'NODE_KEY' }, 'x-plan': 'basic' }
  service = await startService({
    directory,
    networks: [{ name: 'localhost', rpcUrls: [{ url: line.url, headers }] }],
    relayers: [{ id: 'one', privateKey: devAccount(0).key }],
    env: { NODE_KEY: inFile, LOG_LEVEL: 'debug', STORAGE_ENCRYPTION_KEY: storageKey(1) },
  })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await line?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const seen = () => new Set(line.requests.map((request) => request.headers['x-api-key']))

test('they go out from the file, from the API, and after a restart; every output masks them', async () => {
  await using client = openClient(service.url, service.apiKey)
  const shown: string[] = []
  const look = async (path: string) => {
    const answer = await manage(client, 'GET', path)
    shown.push(JSON.stringify(answer))
    return answer
  }
  await mined(client, 'one', (await client.send('one', payment)).id, node)
  expect(seen()).toEqual(new Set([inFile]))
  expect((await look(at)).rpc_urls).toEqual([
    { url: line.url, weight: 100, headers: { 'x-api-key': '***', 'x-plan': '***' } },
  ])

  const endpoint = { url: line.url, weight: 3, headers: { 'X-Api-Key': givenLater, ...oddNames } }
  const patched = await manage(client, 'PATCH', at, { rpc_urls: [endpoint] })
  expect(patched.rpc_urls).toEqual([
    { url: line.url, weight: 3, headers: { 'x-api-key': '***', wei: '***', constructor: '***' } },
  ])
  expect(await look(at)).toEqual(patched)
  // A call that began before the PATCH may reach the line after it, and has the headers of then.
  await mined(client, 'one', (await client.send('one', payment)).id, node)
  line.forget()
  await mined(client, 'one', (await client.send('one', payment)).id, node)
  expect(seen()).toEqual(new Set([givenLater]))

  // A restart begins the log anew.
  expect(service.logs()).toContain('network reopened')
  shown.push(service.logs())
  await service.kill9()
  line.forget()
  await service.restart()
  await mined(client, 'one', (await client.send('one', payment)).id, node)
  expect(seen()).toEqual(new Set([givenLater]))
  expect(line.requests[0]?.headers).toMatchObject(oddNames)

  const custom = { custom_rpc_urls: [{ url: line.url, headers: { 'x-api-key': ofRelayer } }] }
  const relayer = await manage(client, 'PATCH', '/relayers/one', custom)
  expect(relayer.custom_rpc_urls).toEqual([{ url: line.url, weight: 100, headers: { 'x-api-key': '***' } }])
  await mined(client, 'one', (await client.send('one', payment)).id, node)
  expect(seen()).toContain(ofRelayer)

  // A gateway that repeats what it was sent.
  const error = { code: -32_001, message: `no ${ofRelayer} here`, data: { sent: [ofRelayer] } }
  line.react({ do: 'answerSome', each: ({ method }) => (method === 'eth_getCode' ? { error } : undefined) })
  const rpc = { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [devAccount(0).address, 'latest'] }
  const repeated = await client.request('POST', '/relayers/one/rpc', { body: rpc })
  expect(JSON.stringify(repeated.body)).toContain('no … here')
  shown.push(JSON.stringify([patched, relayer, repeated.body, await look('/networks'), await look('/relayers')]))
  shown.push(await (await fetch(`${service.metricsUrl}/metrics`)).text(), service.logs())
  for (const output of shown) expect(output).not.toContain('S3CRET')
  for (const value of [inFile, givenLater, ofRelayer]) expect(filesWith(directory, value)).toEqual([])
})

test('an invalid header is refused, and not repeated', async () => {
  await using client = openClient(service.url, service.apiKey)
  const wanted = /^rpc_urls: is not 1 to 32 endpoints, as .*"headers": .*not shown: it may hold a secret/
  const cases: readonly [unknown, RegExp][] = [
    [{ Host: givenLater }, /^rpc_urls\[0\]\.headers\.Host: is set by the service for each request; leave it out/],
    [{ 'content-length': '1' }, /^rpc_urls\[0\]\.headers\.content-length: is set by the service/],
    [{ 'x-key': givenLater, 'X-Key': givenLater }, /^rpc_urls\[0\]\.headers\.X-Key: is there twice/],
    [{ 'x-key': '***' }, /^rpc_urls\[0\]\.headers\.x-key: is the mask that answers show in place of the value/],
    // A variable of the service's environment would be sent to whatever URL a client names.
    [{ 'x-key': { type: 'env', value: givenLater } }, wanted],
    [{ 'x-key': `${givenLater}\n` }, wanted],
    [{ [`${givenLater} `]: 'x' }, wanted],
    [[givenLater], wanted],
    [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`x-${index}`, givenLater])), wanted],
  ]
  for (const [headers, message] of cases) {
    const answer = await refused(client, 'PATCH', at, { rpc_urls: [{ url: line.url, headers }] })
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_REQUEST', message: expect.stringMatching(message) })
    expect(answer.message).not.toContain('S3CRET')
  }
  expect(service.logs()).not.toContain('S3CRET')
})

// A policy that this release does not have: with its row in the table, it goes from the file and from requests into the
// database, and from there into answers, the API reference and the next process. No other list has to name it.
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { type ServiceFiles, writeServiceFiles } from '../../tooling/service-files.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { dereferenced } from '../openapi/support/dereferenced.ts'
import { type Body, storageKey } from './support/manager.ts'

const morePolicies = fileURLToPath(new URL('./support/more-policies.ts', import.meta.url))

const huge = '123456789012345678901234567890'
const token = devAccount(7).address
const flags = {
  eip1559_pricing: true,
  gas_limit_estimation: true,
  skip_unfunded: false,
  four_eyes: false,
}
const defaults = { min_balance: 0, presign_cancel: 0, runway_warning: '24h', ...flags }

// Nobody listens there: relayers that are paused and have nothing open need no node.
const rpcUrls = ['http://127.0.0.1:9']

function filesWith(policies: Readonly<Record<string, unknown>>): ServiceFiles {
  return {
    networks: [
      { name: 'here', rpcUrls },
      { name: 'else', rpcUrls, chainId: 1337 },
    ],
    relayers: [
      { id: 'filed', privateKey: devAccount(0).key, paused: true, policies },
      { id: 'other', privateKey: devAccount(1).key, paused: true, network: 'else' },
    ],
  }
}

const filePolicies = { daily_cap: '5', covered_tokens: [token.toLowerCase()], strict_order: false }

let service: Service
beforeAll(async () => {
  service = await startService({
    ...filesWith(filePolicies),
    env: { STORAGE_ENCRYPTION_KEY: storageKey(1) },
    nodeArguments: ['--import', morePolicies],
  })
})
afterAll(() => service?.[Symbol.asyncDispose]())

async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Body> {
  const answer = await request(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

async function policiesOf(id: string): Promise<Body> {
  return JSON.parse((await ask('GET', `/api/v1/relayers/${id}`)).text).data.policies
}

function stored(id: string): Body {
  const [row] = databaseIn(service.directory).read<{ policies: string }>(
    `SELECT policies FROM relayers WHERE id = '${id}'`,
  )
  return JSON.parse(row?.policies ?? '')
}

test('from the file into the row and the answer', async () => {
  expect(stored('filed')).toMatchObject({ dailyCap: '5', batchMax: 7, strictOrder: false, coveredTokens: [token] })
  expect(await policiesOf('filed')).toEqual({
    ...defaults,
    ...{ daily_cap: 5, batch_max: 7, strict_order: false, covered_tokens: [token] },
  })
})

test('from a request, changed by another, and taken away by null', async () => {
  const made = await ask('POST', '/api/v1/relayers', {
    ...{ id: 'made', name: 'made', network: 'here', network_type: 'evm', signer_id: 'signer-other', paused: true },
    policies: { daily_cap: huge, batch_max: 3 },
  })
  expect(made).toMatchObject({ status: 200, text: expect.stringContaining(`"daily_cap":${huge},"batch_max":3`) })
  expect(stored('made')).toEqual({
    ...{ minBalance: '0', eip1559Pricing: true },
    ...{ dailyCap: huge, batchMax: 3 },
  })

  const patch = { strict_order: false, batch_max: 50, covered_tokens: [token] }
  expect(await ask('PATCH', '/api/v1/relayers/made', { policies: patch })).toMatchObject({ status: 200 })
  expect((await ask('GET', '/api/v1/relayers/made')).text).toContain(
    `"daily_cap":${huge},"batch_max":50,"strict_order":false,"covered_tokens":["${token}"]`,
  )
  const taken = { daily_cap: null, batch_max: null, strict_order: null, covered_tokens: null }
  expect(await ask('PATCH', '/api/v1/relayers/made', { policies: taken })).toMatchObject({ status: 200 })
  expect(await policiesOf('made')).toEqual({ ...defaults, batch_max: 7, strict_order: true })
  expect(stored('made')).not.toHaveProperty('dailyCap')
})

test('under its own bounds, and by its own name alone', async () => {
  const patched = (policies: object) => ask('PATCH', '/api/v1/relayers/made', { policies })
  expect(await patched({ batch_max: 51 })).toMatchObject({
    status: 400,
    text: expect.stringContaining('policies.batch_max: is 51; write a whole number from 2 to 50'),
  })
  expect(await patched({ batch_max: 1 })).toMatchObject({ status: 400 })
  expect(await patched({ dailyCap: '1' })).toMatchObject({ status: 400 })
})

test('laid over the file, by the next process, too', async () => {
  expect(await ask('PATCH', '/api/v1/relayers/filed', { policies: { daily_cap: huge } })).toMatchObject({ status: 200 })
  await service.stop()
  await writeServiceFiles(service.directory, filesWith({ ...filePolicies, daily_cap: '6', batch_max: 9 }))
  await service.restart()
  expect((await ask('GET', '/api/v1/relayers/filed')).text).toContain(`"daily_cap":${huge},"batch_max":9`)
})

test('in a row without it, it is at its default', async () => {
  const { batchMax: _, ...others } = stored('made')
  databaseIn(service.directory).change(`UPDATE relayers SET policies = '${JSON.stringify(others)}' WHERE id = 'made'`)
  expect(await policiesOf('made')).toMatchObject({ batch_max: 7 })
})

test('in the API reference', async () => {
  const { text } = await ask('GET', '/api/v1/openapi.json')
  const { requestBody, responses } = dereferenced(JSON.parse(text)).paths['/api/v1/relayers'].post
  const policiesIn = (content: Body) => content.content['application/json'].schema.properties
  expect(policiesIn(requestBody).policies.anyOf[0].properties.daily_cap.description).toMatch(
    /^wei .*: the most of a day$/,
  )
  expect(policiesIn(responses['200']).data.properties.policies.properties.batch_max).toEqual({
    type: 'integer',
    minimum: 2,
    maximum: 50,
  })
})

// A policy that this release does not have: with its row in the table, it goes from the file and from requests into the
// database, and from there into answers, the API reference and the next process. No other list has to name it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { compose, type Service } from '../../src/compose.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Policy } from '../../src/domain/policy-table.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { openLogger } from '../../src/ops/pino.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { devAccount } from '../support/dev-accounts.ts'
import { type RelayerOptions, serviceEnvironment, writeServiceFiles } from '../support/service-files.ts'
import { databaseIn } from '../support/tested-database.ts'
import { type Body, storageKey } from './support/manager.ts'

vi.mock('../../src/domain/policy-table.ts', async (original) => {
  const module = await original<typeof import('../../src/domain/policy-table.ts')>()
  const added = {
    dailyCap: { kind: 'wei', name: 'daily_cap', meaning: 'the most of a day' },
    batchMax: { kind: 'count', name: 'batch_max', meaning: 'sends of one batch', min: 2, max: 50, default: 7 },
    strictOrder: { kind: 'flag', name: 'strict_order', meaning: 'false lets it be', implied: true },
    coveredTokens: { kind: 'addresses', name: 'covered_tokens', meaning: 'are covered', emptyMeans: 'none is' },
  } as const satisfies Record<string, Policy>
  return { ...module, policyTable: { ...module.policyTable, ...added } }
})

const apiKey = 'a-key-for-tests-of-32-characters-or-more'
const huge = '123456789012345678901234567890'
const token = devAccount(7).address
const defaults = { min_balance: 0, max_in_flight: 16, eip1559_pricing: true, gas_limit_estimation: true }

let directory: string
let service: Service
let url: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rescind-policy-'))
  databaseIn(directory).create()
})
afterAll(async () => {
  databaseIn(directory).drop()
  await rm(directory, { recursive: true })
})
beforeEach(() => begin())
afterEach(() => service?.[Symbol.asyncDispose]())

const filePolicies = { daily_cap: '5', covered_tokens: [token.toLowerCase()], strict_order: false }

async function begin(policies: object = filePolicies): Promise<void> {
  const relayers: RelayerOptions[] = [
    { id: 'filed', privateKey: devAccount(0).key, paused: true, policies: { ...policies } },
    { id: 'other', privateKey: devAccount(1).key, paused: true, network: 'else' },
  ]
  // Nobody listens there: relayers that are paused and have nothing open need no node.
  const rpcUrls = ['http://127.0.0.1:9']
  const networks = [
    { name: 'here', rpcUrls },
    { name: 'else', rpcUrls, chainId: 31338 },
  ] as const
  const files = { networks, relayers }
  await writeServiceFiles(directory, files)
  const env = serviceEnvironment(directory, { ...files, apiKey, port: 0, metricsPort: 0 })
  const config = await loadConfig({ ...env, STORAGE_ENCRYPTION_KEY: storageKey(1) }, directory)
  const logger = openLogger({ level: 'silent' })
  service = await compose(config, { clock: systemClock, random: systemRandom(), logger, version: '0.0.0-test' })
  url = (await service.listen()).url
}

async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Body> {
  const answer = await request(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

async function policiesOf(id: string): Promise<Body> {
  return JSON.parse((await ask('GET', `/api/v1/relayers/${id}`)).text).data.policies
}

function stored(id: string): Body {
  const [row] = databaseIn(directory).read<{ policies: string }>(`SELECT policies FROM relayers WHERE id = '${id}'`)
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
    ...{ minBalance: '0', maxInFlight: 16, eip1559Pricing: true },
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
  await service[Symbol.asyncDispose]()
  await begin({ ...filePolicies, daily_cap: '6', batch_max: 9 })
  expect((await ask('GET', '/api/v1/relayers/filed')).text).toContain(`"daily_cap":${huge},"batch_max":9`)
})

test('in a row of an earlier release it is at its default', async () => {
  const { batchMax: _, ...earlier } = stored('made')
  databaseIn(directory).change(`UPDATE relayers SET policies = '${JSON.stringify(earlier)}' WHERE id = 'made'`)
  expect(await policiesOf('made')).toMatchObject({ batch_max: 7 })
})

test('in the API reference', async () => {
  const { text } = await ask('GET', '/api/v1/openapi.json')
  const { requestBody, responses } = JSON.parse(text).paths['/api/v1/relayers'].post
  const policiesIn = (content: Body) => content.content['application/json'].schema.properties
  expect(policiesIn(requestBody).policies.properties.daily_cap.description).toMatch(/^wei .*: the most of a day$/)
  expect(policiesIn(responses['200']).data.properties.policies.properties.batch_max).toEqual({ type: 'integer' })
})

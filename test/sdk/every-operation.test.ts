// The published SDK of OpenZeppelin Relayer, unmodified, at our base URL: every operation that it has, against a running
// service and a real chain, and what each answers held to the type that the SDK promises.
import * as sdk from '@openzeppelin/relayer-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { type Anvil, devAccount } from '../support/anvil.ts'
import { until } from '../support/client.ts'
import { brokenPromises, promisedAnswers } from './support/sdk-types.ts'

const receiver = devAccount(9).address

let stage: Stage<Anvil>
let apis: ReturnType<typeof openApis>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { evm: {}, queue: { max_in_flight: 1 } } })
  apis = openApis(stage.service.url, stage.service.apiKey)
})
afterAll(() => stage?.[Symbol.asyncDispose]())

function openApis(basePath: string, accessToken: string) {
  const configuration = new sdk.Configuration({ basePath, accessToken })
  return {
    relayers: new sdk.RelayersApi(configuration),
    health: new sdk.HealthApi(configuration),
  }
}

const payment: sdk.EvmTransactionRequest = {
  to: receiver,
  value: 1_500_000_000_000_000_000,
  data: '0x',
  gas_limit: 21_000,
  speed: sdk.Speed.FAST,
}

async function sent(relayer: string): Promise<string> {
  const { data } = await apis.relayers.sendTransaction(relayer, payment)
  const id = (data.data as sdk.EvmTransactionResponse | undefined)?.id
  if (id === undefined) throw new Error(`no transaction: ${JSON.stringify(data)}`)
  return id
}

async function inStatus(relayer: string, id: string, status: sdk.TransactionStatus): Promise<void> {
  const read = async () => (await apis.relayers.getTransactionById(relayer, id)).data.data as sdk.EvmTransactionResponse
  await until(async () => (await read()).status === status, { what: `${status}` })
}

interface Answered {
  readonly status: number
  readonly data: unknown
}

/** What the SDK calls, each with preconditions of its own. */
const served: Readonly<Record<string, () => Promise<Answered>>> = {
  'HealthApi.health': () => apis.health.health(),
  'HealthApi.readiness': () => apis.health.readiness(),
  'RelayersApi.listRelayers': () => apis.relayers.listRelayers(1, 10),
  'RelayersApi.getRelayer': () => apis.relayers.getRelayer('evm'),
  'RelayersApi.getRelayerStatus': () => apis.relayers.getRelayerStatus('evm'),
  'RelayersApi.getRelayerBalance': () => apis.relayers.getRelayerBalance('evm'),
  'RelayersApi.sendTransaction': () => apis.relayers.sendTransaction('evm', payment),
  'RelayersApi.listTransactions': async () => {
    await sent('evm')
    return apis.relayers.listTransactions('evm', 1, 10)
  },
  'RelayersApi.getTransactionById': async () => {
    const id = await sent('evm')
    await inStatus('evm', id, sdk.TransactionStatus.SUBMITTED)
    await stage.node.mine(2)
    await inStatus('evm', id, sdk.TransactionStatus.CONFIRMED)
    return apis.relayers.getTransactionById('evm', id)
  },
  'RelayersApi.getTransactionByNonce': async () => {
    await inStatus('evm', await sent('evm'), sdk.TransactionStatus.SUBMITTED)
    return apis.relayers.getTransactionByNonce('evm', 0)
  },
  'RelayersApi.replaceTransaction': async () => {
    const id = await sent('evm')
    return apis.relayers.replaceTransaction('evm', id, { ...payment, value: 7 })
  },
  'RelayersApi.cancelTransaction': async () => apis.relayers.cancelTransaction('queue', await sent('queue')),
  'RelayersApi.deletePendingTransactions': async () => {
    await sent('queue')
    return apis.relayers.deletePendingTransactions('queue')
  },
}

/** Not built so far. */
const absent = [
  ...['listMetrics', 'metricDetail', 'scrapeMetrics'].map((method) => `MetricsApi.${method}`),
  ...['getNetwork', 'listNetworks', 'updateNetwork'].map((method) => `NetworksApi.${method}`),
  ...['create', 'delete', 'get', 'update'].map((verb) => `NotificationsApi.${verb}Notification`),
  'NotificationsApi.listNotifications',
  ...['callPlugin', 'callPluginGet', 'getPlugin', 'listPlugins', 'updatePlugin'].map(
    (method) => `PluginsApi.${method}`,
  ),
  ...['buildSponsoredTransaction', 'quoteSponsoredTransaction'].map((method) => `RelayersApi.${method}`),
  ...['createRelayer', 'deleteRelayer', 'updateRelayer'].map((method) => `RelayersApi.${method}`),
  ...['rpc', 'sign', 'signTransaction', 'signTypedData'].map((method) => `RelayersApi.${method}`),
  ...['createSigner', 'deleteSigner', 'getSigner', 'listSigners', 'updateSigner'].map(
    (method) => `SignersApi.${method}`,
  ),
]

test('no operation of the SDK is forgotten', () => {
  const classes = Object.entries(sdk).filter(([name]) => name.endsWith('Api') && name !== 'BaseAPI')
  const operations = classes.flatMap(([name, api]) =>
    Object.getOwnPropertyNames((api as { prototype: object }).prototype)
      .filter((method) => method !== 'constructor')
      .map((method) => `${name}.${method}`),
  )
  expect(operations.sort()).toEqual([...promisedAnswers.keys()].sort())
  expect([...Object.keys(served), ...absent].sort()).toEqual(operations)
})

/** Where an answer is ours on purpose, it is held to that, and then seen as the SDK would have it. */
function asTheirs(name: string, answer: unknown): unknown {
  if (name === 'HealthApi.readiness') {
    const { components, ...rest } = answer as sdk.ReadinessResponse
    // The parts that it reports on are those of another service: Redis, and a queue in it.
    expect(components).toEqual({ store: { status: sdk.ComponentStatus.HEALTHY } })
    const none = { status: sdk.ComponentStatus.HEALTHY }
    const pool = { available: 0, connected: true, max_size: 0 }
    const system = { ...none, close_wait_count: 0, fd_count: 0, fd_limit: 0, fd_usage_percent: 0 }
    return { ...rest, components: { queue: none, redis: { ...none, primary_pool: pool, reader_pool: pool }, system } }
  }
  const { data } = answer as { data?: unknown }
  if (Array.isArray(data)) return { ...(answer as object), data: data.map(withSpeedByName) }
  return typeof answer === 'object' ? { ...answer, data: withSpeedByName(data) } : answer
}

/** The interface of a cancellation fixes `speed` as an object, and a transaction is one thing wherever it is shown. */
function withSpeedByName(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('speed' in data)) return data
  expect(data.speed).toEqual({ name: expect.any(String) })
  return { ...data, speed: (data.speed as { name: string }).name }
}

describe('answers keep the promises of the SDK', () => {
  test.each(Object.keys(served))('%s', async (name) => {
    const { status, data } = await (served[name] as () => Promise<Answered>)()
    expect(status).toBe(200)
    expect(brokenPromises(promisedAnswers.get(name) ?? '', asTheirs(name, data))).toEqual([])
  })
})

// The published SDK of OpenZeppelin Relayer, unmodified, at our base URL: every operation that it has, against a running
// service and a real chain, and what each answers held to the type that the SDK promises.
import { randomBytes } from 'node:crypto'
import * as sdk from '@openzeppelin/relayer-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { brokenPromises, promisedAnswers } from './support/sdk-types.ts'

const receiver = devAccount(9).address

let stage: Stage<Anvil>
let apis: ReturnType<typeof openApis>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: { evm: {}, queue: { max_in_flight: 1 } },
    service: { env: { STORAGE_ENCRYPTION_KEY: randomBytes(32).toString('base64') } },
  })
  apis = openApis(stage.service.url, stage.service.apiKey, stage.service.metricsUrl)
})
afterAll(() => stage?.[Symbol.asyncDispose]())

function openApis(basePath: string, accessToken: string, metricsUrl: string) {
  const configuration = new sdk.Configuration({ basePath, accessToken })
  return {
    relayers: new sdk.RelayersApi(configuration),
    health: new sdk.HealthApi(configuration),
    signers: new sdk.SignersApi(configuration),
    notifications: new sdk.NotificationsApi(configuration),
    networks: new sdk.NetworksApi(configuration),
    plugins: new sdk.PluginsApi(configuration),
    // There, too, the metrics have a port of their own.
    metrics: new sdk.MetricsApi(new sdk.Configuration({ basePath: metricsUrl, accessToken })),
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

function privateKey(): string {
  return randomBytes(32).toString('hex')
}

function madeSigner(id: string) {
  return apis.signers.createSigner({ id, type: sdk.SignerTypeRequest.PLAIN, config: { key: privateKey() } })
}

async function madeRelayer(id: string) {
  await madeSigner(`of-${id}`)
  return apis.relayers.createRelayer({
    id,
    name: `Relayer ${id}`,
    network: 'localhost',
    network_type: sdk.RelayerNetworkType.EVM,
    paused: false,
    signer_id: `of-${id}`,
    policies: { min_balance: 1e17, eip1559_pricing: true, whitelist_receivers: [receiver] },
  })
}

function madeNotification(id: string) {
  const url = 'https://hooks.example.org/a'
  return apis.notifications.createNotification({
    id,
    type: sdk.NotificationType.WEBHOOK,
    url,
    signing_key: privateKey(),
  })
}

async function networkId(): Promise<string> {
  const { data } = await apis.networks.listNetworks()
  return data.data?.find(({ name }) => name === 'localhost')?.id ?? ''
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
  'RelayersApi.sign': () => apis.relayers.sign('evm', { message: 'a greeting' }),
  'RelayersApi.signTypedData': () =>
    apis.relayers.signTypedData('evm', { domain_separator: '1f'.repeat(32), hash_struct_message: '2e'.repeat(32) }),
  'RelayersApi.rpc': () => apis.relayers.rpc('evm', { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  'RelayersApi.createRelayer': () => madeRelayer('made'),
  'RelayersApi.updateRelayer': async () => {
    await madeRelayer('updated')
    return apis.relayers.updateRelayer('updated', {
      name: 'Another name',
      paused: true,
      policies: { gas_price_cap: 5e10 },
    })
  },
  'RelayersApi.deleteRelayer': async () => {
    await madeRelayer('deleted')
    return apis.relayers.deleteRelayer('deleted')
  },
  'SignersApi.createSigner': () => madeSigner('made'),
  'SignersApi.listSigners': async () => {
    await madeSigner('listed')
    return apis.signers.listSigners(1, 50)
  },
  'SignersApi.getSigner': async () => {
    await madeSigner('got')
    return apis.signers.getSigner('got')
  },
  'SignersApi.updateSigner': async () => {
    await madeSigner('changed')
    return apis.signers.updateSigner('changed', { config: { key: privateKey() } })
  },
  'SignersApi.deleteSigner': async () => {
    await madeSigner('gone')
    return apis.signers.deleteSigner('gone')
  },
  'NotificationsApi.createNotification': () => madeNotification('made'),
  'NotificationsApi.listNotifications': async () => {
    await madeNotification('listed')
    return apis.notifications.listNotifications(1, 50)
  },
  'NotificationsApi.getNotification': async () => {
    await madeNotification('got')
    return apis.notifications.getNotification('got')
  },
  'NotificationsApi.updateNotification': async () => {
    await madeNotification('changed')
    return apis.notifications.updateNotification('changed', { url: 'https://hooks.example.org/another' })
  },
  'NotificationsApi.deleteNotification': async () => {
    await madeNotification('gone')
    return apis.notifications.deleteNotification('gone')
  },
  'NetworksApi.listNetworks': () => apis.networks.listNetworks(1, 10),
  'NetworksApi.getNetwork': async () => apis.networks.getNetwork(await networkId()),
  'NetworksApi.updateNetwork': async () =>
    apis.networks.updateNetwork(await networkId(), { rpc_urls: [stage.line.url, { url: stage.node.url, weight: 1 }] }),
  'MetricsApi.listMetrics': () => apis.metrics.listMetrics(),
  'MetricsApi.metricDetail': async () => {
    const [name = ''] = (await apis.metrics.listMetrics()).data
    return apis.metrics.metricDetail(name)
  },
  'MetricsApi.scrapeMetrics': () => apis.metrics.scrapeMetrics(),
}

/** What belongs to other chain families, or to what runs inside of the other service. */
const unsupported: Readonly<Record<string, () => Promise<Answered>>> = {
  'RelayersApi.quoteSponsoredTransaction': () =>
    apis.relayers.quoteSponsoredTransaction('evm', { transaction_xdr: '', fee_token: 'native' }),
  'RelayersApi.buildSponsoredTransaction': () =>
    apis.relayers.buildSponsoredTransaction('evm', { transaction_xdr: '', fee_token: 'native' }),
  'RelayersApi.signTransaction': () => apis.relayers.signTransaction('evm', { unsigned_xdr: '' }),
  'PluginsApi.callPlugin': () => apis.plugins.callPlugin('any', { params: {} }),
  'PluginsApi.callPluginGet': () => apis.plugins.callPluginGet('any'),
  'PluginsApi.getPlugin': () => apis.plugins.getPlugin('any'),
  'PluginsApi.listPlugins': () => apis.plugins.listPlugins(),
  'PluginsApi.updatePlugin': () => apis.plugins.updatePlugin('any', {}),
}

test('no operation of the SDK is forgotten', () => {
  const classes = Object.entries(sdk).filter(([name]) => name.endsWith('Api') && name !== 'BaseAPI')
  const operations = classes.flatMap(([name, api]) =>
    Object.getOwnPropertyNames((api as { prototype: object }).prototype)
      .filter((method) => method !== 'constructor')
      .map((method) => `${name}.${method}`),
  )
  expect(operations.sort()).toEqual([...promisedAnswers.keys()].sort())
  expect([...Object.keys(served), ...Object.keys(unsupported)].sort()).toEqual(operations)
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
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return answer
  const { data } = answer
  return { ...answer, data: Array.isArray(data) ? data.map(withSpeedByName) : withSpeedByName(data) }
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

describe('an unsupported operation says so', () => {
  test.each(Object.keys(unsupported))('%s', async (name) => {
    const refused = (unsupported[name] as () => Promise<Answered>)()
    await expect(refused).rejects.toMatchObject({
      response: {
        status: 400,
        headers: { 'relayer-error-code': 'NOT_SUPPORTED' },
        data: { data: null, message: expect.stringContaining('not supported'), success: false },
      },
    })
  })
})

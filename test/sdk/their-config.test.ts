// A configuration as a user of OpenZeppelin Relayer has it, for EVM, taken over without a change: config.json, a directory
// of networks, an encrypted key, and an environment with the variables of a service that we are not.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as sdk from '@openzeppelin/relayer-sdk'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { devAccount, startAnvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { type Service, startService } from '../../tooling/service.ts'

const theirs = fileURLToPath(new URL('their-config', import.meta.url))

test('the service starts from it and sends through it', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'rescind-theirs-'))
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }))
  const node = cleanUp.use(await startAnvil({ mining: 'auto' }))
  await cp(theirs, directory, { recursive: true })
  // The port of the test's node exists only now.
  await writeNetworks(directory, node.url)
  const asWritten = await readFile(join(theirs, 'config/config.json'), 'utf8')

  const service = cleanUp.use(
    await startService({
      directory,
      configuration: 'as it is',
      networks: [{ name: 'unused', rpcUrls: [] }],
      relayers: [],
      env: environment,
    }),
  )
  expect(await readFile(join(directory, 'config/config.json'), 'utf8')).toBe(asWritten)

  const skipped = service
    .logs()
    .split('\n')
    .filter((line) => line.includes('are skipped, as only evm is served'))
  expect(skipped).toEqual([expect.stringContaining('solana'), expect.stringContaining('stellar')])

  expect(service.logs()).toContain('variables without effect on this service: REPOSITORY_STORAGE_TYPE')

  const configuration = new sdk.Configuration({ basePath: service.url, accessToken: service.apiKey })
  const relayers = new sdk.RelayersApi(configuration)
  const { data: relayer } = await relayers.getRelayer('payments-local')
  expect(relayer.data).toMatchObject({
    address: devAccount(1).address,
    network: 'local',
    network_type: 'evm',
    notification_id: 'payments-hook',
    signer_id: 'payments-key',
    policies: { min_balance: 1e18, gas_price_cap: 200e9, whitelist_receivers: [devAccount(9).address] },
  })

  const before = BigInt(await node.rpc('eth_getBalance', [devAccount(9).address, 'latest']))
  const payment = { to: devAccount(9).address, value: 2e18, data: '0x', speed: sdk.Speed.AVERAGE }
  const { data: sent } = await relayers.sendTransaction('payments-local', payment)
  const { id } = sent.data as sdk.EvmTransactionResponse
  await until(
    async () => {
      const { data } = await relayers.getTransactionById('payments-local', id)
      return (data.data as sdk.EvmTransactionResponse).status === sdk.TransactionStatus.CONFIRMED
    },
    { what: () => `confirmed\n${service.logs()}` },
  )
  const after = BigInt(await node.rpc('eth_getBalance', [devAccount(9).address, 'latest']))
  expect(after - before).toBe(2n * 10n ** 18n)

  // What a client in production sends: a quantity of JSON-RPC, and members that have no effect there either.
  const call = { to: devAccount(9).address, data: '0xd0e30db0', value: '0x0', speed: 'fast' }
  const bodies = [call, { ...call, gasLimit: 100_000, from: devAccount(1).address.toLowerCase(), chainId: 31337 }]
  for (const body of bodies) {
    // Its type has a number, and its encoder sends any value.
    const bySdk = await relayers.sendTransaction('payments-local', body as unknown as sdk.NetworkTransactionRequest)
    expect(bySdk.data.data).toMatchObject({ value: '0', data: '0xd0e30db0' })
    const byHttp = await post(service, body)
    expect(byHttp).toMatchObject({ status: 200, body: { success: true, data: { value: '0', data: '0xd0e30db0' } } })
    expect(byHttp.body.metadata.logs).toHaveLength(body === call ? 0 : 3)
  }
  expect(service.logs().split('a send has a member that has no effect').length - 1).toBe(3)
  expect(await post(service, { ...call, validUntil: '2999-01-01T00:00:00Z' })).toMatchObject({
    status: 400,
    body: { message: 'validUntil: is not accepted here; did you mean "valid_until"?' },
  })

  const toAnother = relayers.sendTransaction('payments-local', { ...payment, to: devAccount(8).address })
  await expect(toAnother).rejects.toMatchObject({
    response: { status: 400, headers: { 'relayer-error-code': 'POLICY_VIOLATION' } },
  })
})

async function post(service: Service, body: object) {
  const answer = await request(`${service.url}/api/v1/relayers/payments-local/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.statusCode, body: (await answer.body.json()) as { metadata: { logs: unknown[] } } }
}

const environment = {
  KEYSTORE_PASSPHRASE: 'a passphrase of the example',
  WEBHOOK_SIGNING_KEY: 'a-signing-key-of-thirty-two-characters',
  REDIS_URL: 'redis://127.0.0.1:6379',
  REDIS_KEY_PREFIX: 'payments',
  REPOSITORY_STORAGE_TYPE: 'in_memory',
  RESET_STORAGE_ON_START: 'false',
  METRICS_ENABLED: 'true',
  ENABLE_SWAGGER: 'true',
  LOG_MODE: 'stdout',
  LOG_FORMAT: 'compact',
  RPC_TIMEOUT_MS: '10000',
  PROVIDER_MAX_RETRIES: '3',
  TRANSACTION_EXPIRATION_HOURS: '4',
}

async function writeNetworks(directory: string, rpcUrl: string): Promise<void> {
  const base = {
    network: 'local-base',
    type: 'evm',
    chain_id: 31337,
    required_confirmations: 1,
    symbol: 'ETH',
    rpc_urls: [rpcUrl],
    average_blocktime_ms: 1000,
    is_testnet: true,
    features: ['eip1559'],
    explorer_urls: ['https://explorer.example.org'],
    tags: ['local'],
    gas_price_cache: { enabled: true, stale_after_ms: 20_000, expire_after_ms: 45_000 },
  }
  const local = { from: 'local-base', type: 'evm', network: 'local', tags: ['payments'] }
  const listed = { from: 'local-base', type: 'evm', network: 'binance-smart-chain', chain_id: 56, features: [] }
  const solana = { type: 'solana', network: 'devnet', rpc_urls: ['https://solana.example'], is_testnet: true }
  const stellar = { type: 'stellar', network: 'testnet', rpc_urls: ['https://stellar.example'], passphrase: 'a test' }
  const files = { local: [base, local], listed: [listed], solana: [solana], stellar: [stellar] }
  await mkdir(join(directory, 'config/networks'), { recursive: true })
  for (const [name, networks] of Object.entries(files)) {
    await writeFile(join(directory, `config/networks/${name}.json`), JSON.stringify({ networks }))
  }
}

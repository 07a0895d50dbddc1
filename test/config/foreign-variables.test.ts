// An environment of OpenZeppelin Relayer: what protects somebody counts, and the rest is named in one line.
import { expect, test } from 'vitest'
import { env, loadFile, rightFile } from './workplace.ts'

const foreign = {
  ...{ REDIS_URL: 'redis://127.0.0.1', REPOSITORY_STORAGE_TYPE: 'redis', QUEUE_BACKEND: 'sqs', ENABLE_SWAGGER: 'true' },
  ...{ PROVIDER_MAX_RETRIES: '3', SQS_QUEUE_TYPE: 'auto', STELLAR_MAINNET_SOROSWAP_ROUTER_ADDRESS: 'C' },
}

test('variables without effect are named once, and those of Kubernetes are not', async () => {
  const others = {
    REDIS_KEY_PREFIX: '',
    RABBITMQ_SERVICE_HOST: '10.0.0.1',
    RABBITMQ_PORT_5672_TCP: 'tcp://10.0.0.1',
    X: '1',
  }
  const { warnings } = await loadFile(rightFile(), { ...env, ...foreign, ...others })
  expect(warnings).toEqual([
    'environment: variables without effect on this service: REPOSITORY_STORAGE_TYPE, QUEUE_BACKEND, REDIS_URL, ENABLE_SWAGGER, PROVIDER_MAX_RETRIES, SQS_QUEUE_TYPE, STELLAR_MAINNET_SOROSWAP_ROUTER_ADDRESS',
  ])
})

test.each([
  ['trace', 'trace', 0],
  ['TRACE', 'trace', 0],
  ['warn,hyper=off', 'info', 1],
  ['openzeppelin_relayer=debug', 'info', 1],
  ['info', 'info', 0],
])('LOG_LEVEL=%s is %s', async (LOG_LEVEL, level, count) => {
  const { logLevel, warnings } = await loadFile(rightFile(), { ...env, LOG_LEVEL })
  expect(logLevel).toBe(level)
  expect(warnings.map((warning) => warning.split(':')[0])).toEqual(Array(count).fill('LOG_LEVEL'))
})

test.each([
  ['false', 'sqlite:data/r.db'],
  ['0', 'sqlite:data/r.db'],
  ['', 'sqlite:data/r.db'],
  ['true', 'postgres://rescind:word@db.internal/rescind'],
])('DISTRIBUTED_MODE=%s with %s', async (DISTRIBUTED_MODE, DATABASE_URL) => {
  expect((await loadFile(rightFile(), { ...env, DISTRIBUTED_MODE, DATABASE_URL })).warnings).toEqual([])
})

const withUrl = (url: unknown) => {
  const file = rightFile()
  file.networks[0] = { ...file.networks[0], rpc_urls: [url] }
  return file
}

test.each<[Record<string, string>, string, boolean]>([
  [{}, 'http://10.0.0.1', true],
  [{ RPC_BLOCK_PRIVATE_IPS: 'false' }, 'http://localhost:8545', true],
  [{ RPC_BLOCK_PRIVATE_IPS: '', RPC_ALLOWED_HOSTS: '' }, 'http://localhost:8545', true],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'https://rpc.example', true],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'https://8.8.8.8', true],
  [{ RPC_BLOCK_PRIVATE_IPS: 'TRUE' }, 'http://192.168.1.1:8545', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://LOCALHOST:8545', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://localhost.:8545', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://node.localhost', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://metadata.google.internal', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://169.254.169.254', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://[::1]:8545', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://[::ffff:127.0.0.1]', false],
  [{ RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://2130706433', false],
  [{ RPC_ALLOWED_HOSTS: 'a.example, RPC.example' }, 'https://rpc.EXAMPLE/v2/key', true],
  [{ RPC_ALLOWED_HOSTS: '127.0.0.1,::1' }, 'http://[::1]:8545', true],
  [{ RPC_ALLOWED_HOSTS: 'rpc.example' }, 'https://rpc.example.evil.example', false],
  [{ RPC_ALLOWED_HOSTS: 'rpc.example' }, 'https://user@evil.example/rpc.example', false],
  [{ RPC_ALLOWED_HOSTS: '127.0.0.1', RPC_BLOCK_PRIVATE_IPS: 'true' }, 'http://127.0.0.1', false],
])('%j and a node at %s: %s', async (variables, url, isAllowed) => {
  const given = { ...env, ...variables }
  for (const written of [url, { url, weight: 5 }, { type: 'env', value: 'NODE' }]) {
    const outcome = await loadFile(withUrl(written), { ...given, NODE: url }).catch((error: unknown) => String(error))
    if (isAllowed) expect(outcome).toHaveProperty('networks')
    else expect(outcome).toMatch(/rpc_urls\[0\]: has (an internal host|a host that is not in RPC_ALLOWED_HOSTS)/)
    expect(String(outcome)).not.toContain('/v2/key')
  }
})

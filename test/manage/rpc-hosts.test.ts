// The hosts of nodes that an operator allows: a request can name no other, and a start calls none that was stored before.
import { expect, test } from 'vitest'
import { openClient } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { startService } from '../../tooling/service.ts'
import { manage, refused, storageKey } from './support/manager.ts'

const endpoint = 'http://127.0.0.1:9'
const start = (env: Readonly<Record<string, string>>, directory?: string) =>
  startService({
    networks: [{ name: 'localhost', rpcUrls: [endpoint] }],
    relayers: [{ id: 'one', privateKey: devAccount(1).key }],
    env: { STORAGE_ENCRYPTION_KEY: storageKey(1), ...env },
    ...(directory !== undefined && { directory }),
  })

test('requests for a network or a relayer name no other host, and a start refuses a stored one', async () => {
  const elsewhere = 'http://127.0.0.2:9'
  await using service = await start({ RPC_ALLOWED_HOSTS: '127.0.0.1,127.0.0.2' })
  await using client = openClient(service.url, service.apiKey)
  const refusal = { status: 400, code: 'INVALID_REQUEST' }
  const inside = ['http://10.0.0.1/a-key']
  for (const [method, path, body] of [
    ['PATCH', '/networks/evm:localhost', { rpc_urls: [endpoint, ...inside] }],
    ['PATCH', '/relayers/one', { custom_rpc_urls: [endpoint, ...inside] }],
    [
      'POST',
      '/relayers',
      {
        ...{ name: 'two', network: 'localhost', network_type: 'evm', signer_id: 'signer-one', paused: false },
        custom_rpc_urls: [endpoint, ...inside],
      },
    ],
  ] as const) {
    const answer = await refused(client, method, path, body)
    expect(answer).toMatchObject(refusal)
    expect(answer.message).toMatch(/rpc_urls\[1\]: has a host that is not in RPC_ALLOWED_HOSTS \(10\.0\.0\.1\)/)
    expect(answer.message).not.toContain('a-key')
  }
  await manage(client, 'PATCH', '/relayers/one', { custom_rpc_urls: [elsewhere] })
  await service.stop()

  const again = start({ RPC_ALLOWED_HOSTS: '127.0.0.1' }, service.directory)
  await expect(again).rejects.toThrow(/relayer "one": an endpoint has a host that is not in RPC_ALLOWED_HOSTS/)
})

test('with RPC_BLOCK_PRIVATE_IPS a request names this machine in no spelling', async () => {
  await using service = await startService({
    networks: [{ name: 'localhost', rpcUrls: ['https://node.invalid'] }],
    relayers: [{ id: 'one', privateKey: devAccount(1).key }],
    env: { RPC_BLOCK_PRIVATE_IPS: 'true' },
  })
  await using client = openClient(service.url, service.apiKey)
  for (const host of ['localhost', 'LOCALHOST.', 'node.localhost.', '127.0.0.1.', 'node.internal.']) {
    const answer = await refused(client, 'PATCH', '/relayers/one', { custom_rpc_urls: [`http://${host}:8545`] })
    expect([host, answer.status, answer.code]).toEqual([host, 400, 'INVALID_REQUEST'])
    expect(answer.message).toContain('has an internal host, and RPC_BLOCK_PRIVATE_IPS refuses those')
  }
})

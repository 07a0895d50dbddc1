// What the file has wrong and nobody uses is left out at start. Naming it later is refused with its fault, by a request and by a start.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openClient } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { startService } from '../../tooling/service.ts'
import { manage, refused, storageKey } from './support/manager.ts'

const directory = await mkdtemp(join(tmpdir(), 'rescind-left-out-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

const network = (name: string, chainId: number, members: object = {}) => ({
  ...{ network: name, type: 'evm', chain_id: chainId, rpc_urls: ['http://127.0.0.1:9'], ...members },
})
const plain = (id: string, variable: string) => ({
  id,
  type: 'plain',
  config: { key: { type: 'env', value: variable } },
})

const file = (spare: object) => ({
  relayers: [{ id: 'one', network: 'localhost', signer_id: 'first' }],
  signers: [
    ...[plain('first', 'FIRST_KEY'), plain('second', 'SECOND_KEY'), plain('unset', 'UNSET_KEY')],
    {
      ...{ id: 'missing', type: 'local' },
      config: { path: 'config/keys/none.json', passphrase: { type: 'env', value: 'FIRST_KEY' } },
    },
  ],
  notifications: [{ id: 'hook', type: 'webhook', url: '<the URL of a hook>' }],
  networks: [network('localhost', 31337), network('spare', 1337, spare)],
})

async function start(spare: object) {
  await mkdir(join(directory, 'config'), { recursive: true })
  await writeFile(join(directory, 'config/config.json'), JSON.stringify(file(spare)))
  const keys = { FIRST_KEY: devAccount(0).key, SECOND_KEY: devAccount(1).key, STORAGE_ENCRYPTION_KEY: storageKey(1) }
  return startService({
    directory,
    configuration: 'as it is',
    networks: [{ name: 'unused', rpcUrls: [] }],
    relayers: [],
    env: keys,
  })
}

const bodyWith = (members: object) => ({
  ...{ id: 'two', name: 'Two', network: 'spare', network_type: 'evm', signer_id: 'second', paused: false, ...members },
})

test('a start leaves it out, a request that names it is refused, and so is a start once a stored relayer names it', async () => {
  {
    await using service = await start({ rpc_urls: [] })
    expect(service.logs()).toContain('networks[1].rpc_urls: is empty')
    expect(service.logs()).toContain('a signer that no relayer names does not open, and is left out')
    await using client = openClient(service.url, service.apiKey)
    const refusals: [object, RegExp][] = [
      [
        {},
        /^network: "spare" was left out at start, .*networks\[1\]\.rpc_urls: is empty; .*correct the file, and restart/,
      ],
      [{ network: 'localhost', signer_id: 'unset' }, /^signer_id: "unset" was .*refers to the variable UNSET_KEY/],
      [{ network: 'localhost', signer_id: 'missing' }, /^signer_id: "missing" was .*none\.json/],
      [{ network: 'localhost', notification_id: 'hook' }, /^notification_id: "hook" was .*is no http or https URL/],
    ]
    for (const [members, message] of refusals) {
      const answer = await refused(client, 'POST', '/relayers', bodyWith(members))
      expect(answer).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
      expect(answer.message).toMatch(message)
    }
    expect((await refused(client, 'PATCH', '/relayers/one', { notification_id: 'hook' })).message).toMatch(
      /^notif.*was left/,
    )
    const taken = { status: 400, code: 'ALREADY_EXISTS' }
    const signer = { id: 'unset', type: 'plain', config: { key: devAccount(2).key } }
    const hook = { id: 'hook', url: 'https://hooks.example' }
    expect(await refused(client, 'POST', '/signers', signer)).toMatchObject({ code: taken.code })
    expect(await refused(client, 'POST', '/notifications', hook)).toMatchObject({ code: taken.code })
    expect((await manage(client, 'GET', '/networks')).map(({ name }: { name: string }) => name)).toEqual(['localhost'])
  }
  {
    await using service = await start({})
    await using client = openClient(service.url, service.apiKey)
    await manage(client, 'POST', '/relayers', bodyWith({}))
  }
  await expect(start({ rpc_urls: [] })).rejects.toThrow(
    /networks\[1\]\.rpc_urls: is empty; .*\(relayer "two" of the database names this network\)/,
  )
})

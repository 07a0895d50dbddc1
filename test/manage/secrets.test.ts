// Secrets given through the API: sealed in the database, in no log and no answer, and under keys that rotate.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { openClient, until } from '../../tooling/client.ts'
import { type Service, startService } from '../../tooling/service.ts'
import type { ServiceFiles } from '../../tooling/service-files.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { filesWith, manage, mined, refused, storageKey } from './support/manager.ts'

let node: Anvil
let directory: string
let files: ServiceFiles
beforeAll(async () => {
  node = await startAnvil({ mining: 'manual' })
  directory = await mkdtemp(join(tmpdir(), 'rescind-secrets-'))
  files = {
    networks: [{ name: 'localhost', rpcUrls: [node.url] }],
    relayers: [{ id: 'filed', privateKey: devAccount(0).key }],
  }
})
afterAll(async () => {
  await node?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const { key, address } = devAccount(1)
const hookUrl = 'https://hooks.example/a-token-in-a-path?k=a-token-in-a-query'
const signingKey = 'a-signing-key-that-nobody-may-ever-see'

async function run(env: Record<string, string>, use: (service: Service) => Promise<void>): Promise<void> {
  await using service = await startService({ ...files, directory, env: { LOG_LEVEL: 'debug', ...env } })
  await use(service)
  await service.stop()
  for (const secret of [key, key.slice(2), signingKey, 'a-token-in-a-path', 'a-token-in-a-query']) {
    expect(service.logs()).not.toContain(secret)
  }
}

/** Sealed text by kind and id, as it stands in the database. */
function sealedRows(): ReadonlyMap<string, string> {
  const rows = databaseIn(directory).read<{ kind: string; id: string; sealed: string }>(
    'SELECT * FROM managed ORDER BY kind, id',
  )
  return new Map(rows.map(({ kind, id, sealed }) => [`${kind} ${id}`, sealed]))
}

test('without a key nothing secret is stored, and the refusal says what to set', async () => {
  await run({}, async (service) => {
    await using client = openClient(service.url, service.apiKey)
    const missing = {
      status: 400,
      code: 'STORAGE_KEY_MISSING',
      message: expect.stringContaining('set STORAGE_ENCRYPTION_KEY'),
    }
    expect(await refused(client, 'POST', '/signers', { type: 'plain', config: { key } })).toMatchObject(missing)
    expect(await refused(client, 'POST', '/notifications', { url: hookUrl })).toMatchObject(missing)
    expect(await refused(client, 'PATCH', '/networks/evm:localhost', { rpc_urls: [node.url] })).toMatchObject(missing)
    expect(await refused(client, 'PATCH', '/relayers/filed', { custom_rpc_urls: [node.url] })).toMatchObject(missing)
    const presigning = { policies: { presign_cancel: 1 } }
    expect(await refused(client, 'PATCH', '/relayers/filed', presigning)).toMatchObject(missing)
    await manage(client, 'PATCH', '/relayers/filed', { policies: { presign_cancel: 0 } })
    expect(await manage(client, 'GET', '/signers')).toHaveLength(1)
    // Public settings need no key.
    await manage(client, 'PATCH', '/networks/evm:localhost', { tags: ['mine'] })
    await manage(client, 'PATCH', '/networks/evm:localhost', { tags: null })
  })
})

test('with one, no file holds key, token or signing key, and no answer contains them', async () => {
  await run({ STORAGE_ENCRYPTION_KEY: storageKey(1) }, async (service) => {
    await using client = openClient(service.url, service.apiKey)
    const signer = await manage(client, 'POST', '/signers', { id: 'sealed', type: 'plain', config: { key } })
    expect(signer).toEqual({ id: 'sealed', type: 'local', address, config: {} })
    const reported = { id: 'hook', type: 'webhook', url: 'https://hooks.example/***', has_signing_key: true }
    const hook = { id: 'hook', type: 'webhook', url: hookUrl, signing_key: signingKey }
    expect(await manage(client, 'POST', '/notifications', hook)).toEqual(reported)
    expect(await manage(client, 'GET', '/notifications')).toEqual([reported])
    await manage(client, 'POST', '/relayers', {
      ...{
        id: 'sealed',
        name: 'sealed',
        network: 'localhost',
        network_type: 'evm',
        signer_id: 'sealed',
        paused: false,
      },
      notification_id: 'hook',
    })
    const { id } = await client.send('sealed', { to: devAccount(9).address, value: '1', gas_limit: 21_000 })
    await mined(client, 'sealed', id, node)
    for (const secret of [key, signingKey, hookUrl, 'a-token-in-a-path'])
      expect(filesWith(directory, secret)).toEqual([])
    // The search finds secrets that are there.
    expect(filesWith(directory, address.toLowerCase()).length + filesWith(directory, address).length).toBeGreaterThan(0)
  })
  for (const secret of [key, signingKey, hookUrl]) expect(filesWith(directory, secret)).toEqual([])
})

test('a wrong key, or none, ends the start with the sealed entries and the variable to set', async () => {
  const [, id] = sealedRows().get('signer sealed')?.split('.') ?? []
  const start = (env: Record<string, string>) => startService({ ...files, directory, env })
  await expect(start({})).rejects.toThrow(
    `notification "hook" is sealed in the database under key ${id}, and STORAGE_ENCRYPTION_KEY is not set; set it to that key`,
  )
  await expect(start({ STORAGE_ENCRYPTION_KEY: storageKey(2) })).rejects.toThrow(
    /is sealed in the database under key .*; add that key to STORAGE_ENCRYPTION_KEYS_PREVIOUS, or put it back/,
  )
  await expect(start({ STORAGE_ENCRYPTION_KEY: 'AAAA' })).rejects.toThrow('STORAGE_ENCRYPTION_KEY: is not base64 of 32')
})

test('the key rotates: what the previous one sealed is sealed anew at the start, and the previous one is not needed again', async () => {
  const before = sealedRows()
  const rotated = { STORAGE_ENCRYPTION_KEY: storageKey(2), STORAGE_ENCRYPTION_KEYS_PREVIOUS: storageKey(1) }
  await run(rotated, async (service) => {
    const reported = 'are sealed under the present STORAGE_ENCRYPTION_KEY'
    await until(() => service.logs().includes(reported), { what: () => `the new seals\n${service.logs()}` })
  })
  const after = sealedRows()
  expect([...after.keys()]).toEqual([...before.keys()])
  const keyIds = (rows: ReadonlyMap<string, string>) =>
    new Set([...rows.values()].filter(Boolean).map((sealed) => sealed.split('.')[1]))
  expect(keyIds(before).size).toBe(1)
  expect(keyIds(after).size).toBe(1)
  expect(keyIds(after)).not.toEqual(keyIds(before))
  await run({ STORAGE_ENCRYPTION_KEY: storageKey(2) }, async (service) => {
    await using client = openClient(service.url, service.apiKey)
    const { id } = await client.send('sealed', { to: devAccount(9).address, value: '1', gas_limit: 21_000 })
    await mined(client, 'sealed', id, node)
  })
})

test('a sealed key that was moved to another row does not open there', async () => {
  const database = databaseIn(directory)
  database.change(
    "INSERT INTO managed SELECT kind, 'moved', facts, sealed, revision FROM managed WHERE kind = 'signer'",
  )
  await expect(startService({ ...files, directory, env: { STORAGE_ENCRYPTION_KEY: storageKey(2) } })).rejects.toThrow(
    /signer "moved" does not open with key .*the row was changed or moved/,
  )
  database.change("DELETE FROM managed WHERE id = 'moved'")
})

test('signers: of the file and of the API look alike; an impossible one is refused without a word of the key', async () => {
  await run({ STORAGE_ENCRYPTION_KEY: storageKey(2) }, async (service) => {
    await using client = openClient(service.url, service.apiKey)
    const filed = { id: 'signer-filed', type: 'local', address: devAccount(0).address, config: {} }
    expect(await manage(client, 'GET', '/signers')).toEqual([filed, { ...filed, id: 'sealed', address }])
    expect(await manage(client, 'GET', '/signers?page=2&per_page=1')).toEqual([{ ...filed, id: 'sealed', address }])
    expect(await manage(client, 'GET', '/signers/signer-filed')).toEqual(filed)
    const { id } = await manage(client, 'POST', '/signers', {
      type: 'plain',
      config: { key: devAccount(2).key.slice(2) },
    })
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    const changed = await manage(client, 'PATCH', `/signers/${id}`, { config: { key: devAccount(3).key } })
    expect(changed).toMatchObject({ id, address: devAccount(3).address })
    await manage(client, 'PATCH', '/signers/sealed', { config: { key } })
    await manage(client, 'DELETE', `/signers/${id}`)

    const other = devAccount(4).key
    const cases: readonly [Parameters<typeof refused>[1], string, object | undefined, string, RegExp][] = [
      [
        'POST',
        '/signers',
        { id: 'sealed', type: 'plain', config: { key: other } },
        'ALREADY_EXISTS',
        /a signer "sealed"/,
      ],
      [
        'POST',
        '/signers',
        { type: 'cloud', config: { key_id: 'x', region: 'y' } },
        'NOT_SUPPORTED',
        /"cloud".*there are plain, aws_kms/,
      ],
      ['POST', '/signers', { type: 'local', config: { key: other } }, 'NOT_SUPPORTED', /a keystore file/],
      [
        'POST',
        '/signers',
        { type: 'plain', config: { key: other.slice(0, -1) } },
        'INVALID_REQUEST',
        /config.key: is no private key/,
      ],
      [
        'POST',
        '/signers',
        { type: 'plain', config: { key: 5 } },
        'INVALID_REQUEST',
        /config.key: is not a private key/,
      ],
      ['POST', '/signers', { type: 'plain', config: other }, 'INVALID_REQUEST', /config: is not an object/],
      [
        'POST',
        '/signers',
        { type: 'plain', config: { key: `0x${'0'.repeat(64)}` } },
        'INVALID_REQUEST',
        /zero or not below/,
      ],
      ['PATCH', '/signers/sealed', { config: { key: other } }, 'SIGNER_IN_USE', /used by relayer "sealed"/],
      ['PATCH', '/signers/signer-filed', { config: { key: other } }, 'CONFIGURED_BY_FILE', /change it there/],
      ['DELETE', '/signers/signer-filed', undefined, 'CONFIGURED_BY_FILE', /take it out of the file/],
      ['DELETE', '/signers/sealed', undefined, 'SIGNER_IN_USE', /delete them first/],
      ['DELETE', '/signers/nobody', undefined, 'SIGNER_NOT_FOUND', /nobody/],
    ]
    for (const [method, path, body, code, message] of cases) {
      const answer = await refused(client, method, path, body)
      expect(answer, `${method} ${path}`).toMatchObject({ code, message: expect.stringMatching(message) })
      expect(answer.message).not.toContain(other.slice(4, 20))
    }
    expect(service.logs()).not.toContain(other.slice(4, 20))
  })
})

test('notifications: changed, unsigned, and kept while a relayer names them', async () => {
  await run({ STORAGE_ENCRYPTION_KEY: storageKey(2) }, async (service) => {
    await using client = openClient(service.url, service.apiKey)
    const reported = { id: 'hook', type: 'webhook', url: 'https://hooks.example/***', has_signing_key: true }
    expect(await manage(client, 'GET', '/notifications/hook')).toMatchObject(reported)
    const moved = await manage(client, 'PATCH', '/notifications/hook', { url: 'http://8.8.8.8:9/' })
    expect(moved).toEqual({ ...reported, url: 'http://8.8.8.8:9' })
    // A template that lost its variable leaves no webhook unsigned.
    const empty = { message: expect.stringMatching(/^signing_key: has 0 characters; send 32 or more, /) }
    expect(await refused(client, 'PATCH', '/notifications/hook', { signing_key: '' })).toMatchObject(empty)
    expect(await refused(client, 'POST', '/notifications', { url: hookUrl, signing_key: '' })).toMatchObject(empty)
    expect(await manage(client, 'PATCH', '/notifications/hook', { signing_key: signingKey })).toMatchObject({
      has_signing_key: true,
    })
    expect(await manage(client, 'PATCH', '/notifications/hook', { signing_key: null })).toMatchObject({
      has_signing_key: false,
    })
    expect(await refused(client, 'PATCH', '/notifications/hook', { signing_key: 'short-secret' })).toMatchObject({
      message: 'signing_key: has 12 characters; send 32 or more, for example from "openssl rand -hex 32"',
    })
    expect((await refused(client, 'POST', '/notifications', { url: 'ftp://secret.example' })).message).toMatch(
      /^url: is no http/,
    )
    expect(await refused(client, 'POST', '/notifications', { id: 'hook', url: hookUrl })).toMatchObject({
      code: 'ALREADY_EXISTS',
    })
    expect(await refused(client, 'DELETE', '/notifications/hook')).toMatchObject({ code: 'NOTIFICATION_IN_USE' })
    await manage(client, 'PATCH', '/relayers/sealed', { notification_id: null })
    await manage(client, 'DELETE', '/notifications/hook')
    expect(await refused(client, 'GET', '/notifications/hook')).toMatchObject({ code: 'NOTIFICATION_NOT_FOUND' })
  })
})

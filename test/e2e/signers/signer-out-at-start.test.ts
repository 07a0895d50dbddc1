// A key service that is out when the process starts, while nothing shows the address of its key: the process runs, refuses the
// sends of its relayers with a reason, and stores and advances them once the service answers.
import { PassThrough } from 'node:stream'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import type { Anvil } from '../../../tooling/anvil.ts'
import { until } from '../../../tooling/client.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type FakeWeb3signer, startFakeWeb3signer } from '../../../tooling/key-services/fake-web3signer.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { databaseIn } from '../../../tooling/tested-database.ts'
import { mineUntil, pay, view } from '../support/play.ts'
import { anvilStage, type Stage } from '../support/stage.ts'

let signer: FakeWeb3signer
let stage: Stage<Anvil>
const key = servedKey(devAccount(0).key)

beforeAll(async () => {
  signer = await startFakeWeb3signer()
  const remote = { type: 'web3signer', config: { url: signer.url, public_key: key.publicKey } }
  // It answers, and has loaded no key yet.
  stage = await anvilStage({ relayers: { remote: {}, local: {} }, signers: { remote } })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await signer?.[Symbol.asyncDispose]()
})

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${stage.service.apiKey}`,
    ...(body && { 'content-type': 'application/json' }),
  }
  const answer = await request(`${stage.service.url}/api/v1${path}`, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data, message } = (await answer.body.json()) as { data: Record<string, unknown>; message?: string }
  return { status: answer.statusCode, code: answer.headers['relayer-error-code'], message, data }
}

const stored = () => databaseIn(stage.service.directory).read<{ id: string }>('SELECT id FROM relayers ORDER BY id')
const send = { to: devAccount(5).address, value: 1, data: '0x', gas_limit: 21_000, speed: 'fast' }

test('sends get 503 with a reason, others go on, and the first opening pins the address without a restart', async () => {
  const refused = { status: 503, code: 'SIGNER_UNAVAILABLE' }
  const text = expect.stringMatching(/^signer "signer-remote" of relayer "remote" has not opened .*\(NO_KEYS\)/)
  expect(await call('POST', '/relayers/remote/transactions', send)).toMatchObject({ ...refused, message: text })
  expect(await call('POST', '/relayers/remote/transactions/batch', { transactions: [send] })).toMatchObject(refused)
  expect(await call('GET', '/relayers/remote')).toMatchObject({ ...refused, message: text })
  expect(await call('DELETE', '/relayers/remote/transactions/pending')).toMatchObject({
    ...{ status: 500, code: 'SIGNER_UNAVAILABLE' },
  })
  expect(await call('GET', '/relayers/unknown')).toMatchObject({ status: 404 })
  const another = { name: 'another', network: 'localhost', network_type: 'evm', paused: false }
  expect(await call('POST', '/relayers', { ...another, signer_id: 'signer-remote' })).toMatchObject(refused)
  expect(await call('POST', '/relayers', { ...another, id: 'remote', signer_id: 'signer-local' })).toMatchObject({
    ...{ status: 409, code: 'ALREADY_EXISTS' },
  })
  const runbook = '/docs/runbook.md#signer_unavailable'
  const outage = { condition: 'signer_unavailable', code: 'NO_KEYS', runbook }
  const shown = (await call('GET', '/signers/signer-remote')).data
  expect(shown).toMatchObject({ outage })
  expect(shown).not.toHaveProperty('address')
  expect((await call('GET', '/ready')).data).toMatchObject({ relayers: { waiting: 1 } })
  expect(await call('POST', '/signers/signer-remote/probe')).toMatchObject({
    ...refused,
    message: 'signer "signer-remote" has not opened (NO_KEYS)',
  })
  expect(stored()).toEqual([{ id: 'local' }])
  const other = await pay(stage, stage.sender('local'))
  await mineUntil(stage, 'the payment of another', async () => (await view(stage, other)).status === 'confirmed')

  signer.keys.push(key)
  await until(async () => (await call('GET', '/relayers/remote')).status === 200, { what: 'the relayer' })
  expect(stored()).toEqual([{ id: 'local' }, { id: 'remote' }])
  expect((await call('GET', '/signers/signer-remote')).data).toMatchObject({ address: devAccount(0).address })
  const { status, data: probe } = await call('POST', '/signers/signer-remote/probe')
  expect(status).toBe(200)
  expect(Object.keys(probe).sort()).toEqual(['address', 'clock_ahead_seconds', 'id', 'key_version', 'latency_ms'])
  expect(probe).toMatchObject({ address: devAccount(0).address, key_version: `0x${key.publicKey.slice(4)}` })
  const { clock_ahead_seconds: ahead } = probe
  expect(Math.abs(Number(ahead))).toBeLessThan(5)
  expect(await call('POST', '/signers/signer-local/probe')).toMatchObject({ status: 400, code: 'NOT_SUPPORTED' })
  expect(await call('POST', '/signers/unknown/probe')).toMatchObject({ status: 404, code: 'SIGNER_NOT_FOUND' })
  const stdout = new PassThrough()
  const life = {
    env: { API_KEY: stage.service.apiKey, RESCIND_URL: stage.service.url },
    directory: stage.service.directory,
  }
  const stop = new AbortController().signal
  expect(
    await run(['signers', 'probe', 'signer-remote'], {
      ...life,
      stdout,
      stderr: new PassThrough(),
      stdin: process.stdin,
      stop,
    }),
  ).toBe(0)
  expect(String(stdout.read())).toMatch(
    /^address +0x[0-9a-fA-F]{40}\nkey +0x[0-9a-f]{128}\nlatency +\d+ ms\nclock +-?\d s ahead.*\ntoken +none\n$/,
  )
  const { data: audited } = await call('GET', '/audit-log')
  expect(audited).toContainEqual(
    expect.objectContaining({ operation: 'probeSigner', outcome: 'allowed', subject_id: 'signer-remote' }),
  )
  const paid = await pay(stage, stage.sender('remote'))
  await mineUntil(stage, 'its first payment', async () => (await view(stage, paid)).status === 'confirmed')
  expect((await call('GET', '/ready')).data).toMatchObject({ relayers: { waiting: 0, ok: 2 } })
})

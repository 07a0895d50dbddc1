// Each provider on a real chain: a relayer sends, cancels in the pool, and cancels all that is pending. Behind the signers stand
// fakes that verify each request, and SoftHSM.
import { randomBytes } from 'node:crypto'
import { type Hex, recoverMessageAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../../tooling/anvil.ts'
import { until } from '../../../tooling/client.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type EveryProvider, providers, startEveryProvider } from '../../../tooling/key-services/every-provider.ts'
import type { FakeRequest } from '../../../tooling/key-services/fake-service.ts'
import { whyNoSoftHsm } from '../../../tooling/key-services/soft-hsm.ts'
import { balanceOf } from '../../../tooling/ledger.ts'
import { isSkipped } from '../../support/is-skipped.ts'
import { audit } from '../support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, pay, payTimes, reached, verdict, view } from '../support/play.ts'
import { anvilStage, type Stage } from '../support/stage.ts'

let every: EveryProvider
let stage: Stage<Anvil>

beforeAll(async () => {
  every = await startEveryProvider((type) => devAccount(providers.indexOf(type as (typeof providers)[number])).key)
  const env = { ...every.env, STORAGE_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const { nodeArguments, signers } = every
  const relayers = Object.fromEntries(Object.keys(signers).map((type) => [type, {}]))
  stage = await anvilStage({ relayers, signers, service: { env, nodeArguments } })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await every?.[Symbol.asyncDispose]()
})

const missing = whyNoSoftHsm()

test.for(providers)('%s: sends, cancels in the pool, and cancels all that is pending', async (type, { skip }) => {
  skip(isSkipped(type === 'pkcs11' && missing !== undefined), missing)
  const sender = stage.sender(type)
  const sent = await pay(stage, sender)
  await reached(stage, sent, 'submitted')
  await inPool(stage, sender, [0])
  await mineUntil(stage, 'the payment', async () => (await view(stage, sent)).status === 'confirmed')
  expect(await balanceOf(stage.node, sent.to)).toBe(sent.value)

  const canceled = await pay(stage, sender)
  await inPool(stage, sender, [1])
  await cancel(stage, canceled)
  await noOpInPool(stage, canceled)
  await stage.node.mine()
  expect(await verdict(stage, canceled, ({ state }) => state === 'won')).toMatchObject({ state: 'won' })

  const several = await payTimes(stage, sender, 3)
  await inPool(stage, sender, [2, 3, 4])
  await stage.client.cancelPending(sender.id)
  for (const each of several) await noOpInPool(stage, each)
  await audit(stage, sender)
  for (const { to } of [canceled, ...several]) expect(await balanceOf(stage.node, to)).toBe(0n)
})

test('a message is signed by every provider, and the log and the answers have no secret', async () => {
  for (const type of Object.keys(every.signers)) {
    const { status, body } = await stage.client.request('POST', `/relayers/${type}/sign`, {
      body: { message: 'hello' },
    })
    const { sig: signature } = (body as { data: { sig: Hex } }).data
    expect([type, status]).toEqual([type, 200])
    expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(stage.sender(type).address)
  }
  const listed = (await stage.client.request('GET', '/signers?per_page=100')).body as { data: readonly Shown[] }
  expect(listed.data.map(({ type, address }) => [type, address])).toEqual(
    Object.keys(every.signers).map((type) => [type, stage.sender(type).address]),
  )
  expect(listed.data.find(({ type }) => type === 'google_cloud_kms')?.config).toEqual({
    service_account: { project_id: 'project-1', client_id: '1', universe_domain: 'googleapis.com' },
    key: { location: 'global', key_ring_id: 'relayers', key_id: 'payouts', key_version: 1 },
  })
  expect(secretsIn(JSON.stringify(listed))).toEqual([])
  expect(stage.service.logs()).toContain('signer opened')
  expect(secretsIn(stage.service.logs())).toEqual([])
})

interface Shown {
  readonly id: string
  readonly type: string
  readonly address?: string
  readonly config: Readonly<Record<string, unknown>>
}

function secretsIn(text: string): readonly string[] {
  const secrets = Object.entries(every.env).filter(([name]) => !/^REDIRECTED|URL|ROLE|SOFTHSM|DISABLED/.test(name))
  return secrets.filter(([, value]) => text.includes(value) && value.length > 8).map(([name]) => name)
}

test('every provider is created through the API, too, with secrets as texts; a restart opens them again', async () => {
  const created: string[] = []
  for (const [type, { config }] of Object.entries(every.signers)) {
    if (type === 'pkcs11') continue
    const body = { id: `api-${type}`, type, config: revealed(config), address: stage.sender(type).address }
    const answer = await stage.client.request('POST', '/signers', { body })
    expect(answer).toMatchObject({ status: 200, body: { data: { type, address: stage.sender(type).address } } })
    expect(secretsIn(JSON.stringify(answer.body))).toEqual([])
    created.push(`api-${type}`)
  }
  const fake = every.vault
  fake.roles.set('role-2', 'vault-secret-2')
  const second = { ...revealed(configOf('vault')), role_id: 'role-2', secret_id: 'vault-secret-2' }
  expect(
    await stage.client.request('POST', '/signers', { body: { id: 'shut-out', type: 'vault', config: second } }),
  ).toMatchObject({
    status: 200,
  })
  fake.roles.delete('role-2')
  await stage.service.kill9()
  await stage.service.restart()
  // The API works, although this signer does not, so it can be corrected there.
  expect(await stage.client.request('GET', '/signers/shut-out')).toMatchObject({ status: 200 })
  const corrected = { config: revealed(configOf('vault')) }
  expect(await stage.client.request('PATCH', '/signers/shut-out', { body: corrected })).toMatchObject({ status: 200 })
  const listed = (await stage.client.request('GET', '/signers?per_page=100')).body as { data: readonly Shown[] }
  expect(listed.data.filter(({ id }) => created.includes(id))).toHaveLength(created.length)

  const vault = { ...revealed(configOf('vault')), namespace: 'team' }
  const changed = await stage.client.request('PATCH', '/signers/api-vault', { body: { config: vault } })
  expect(changed).toMatchObject({
    status: 200,
    body: { data: { config: { namespace: 'team', mount_point: 'secret' } } },
  })
})

function configOf(type: string): object {
  return every.signers[type]?.config ?? {}
}

function revealed(config: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(config), (_, value) => (value?.type === 'env' ? every.env[value.value] : value))
}

test('what a provider refuses, and what no relayer can use, is refused with a fix', async () => {
  const post = async (path: string, body: object) => {
    const answer = await stage.client.request('POST', path, { body })
    return [answer.status, answer.headers['relayer-error-code'], JSON.stringify(answer.body)]
  }
  const vault = revealed(configOf('vault'))
  expect(await post('/signers', { type: 'vault', config: { ...vault, secret_id: 'wrong-one' } })).toEqual([
    ...[400, 'INVALID_REQUEST'],
    expect.stringMatching(/^(?!.*wrong-one).*login HTTP_400/),
  ])
  const other = { type: 'vault', config: vault, address: devAccount(9).address }
  expect(await post('/signers', other)).toMatchObject([400, 'INVALID_REQUEST', expect.stringMatching(/is of 0x/)])
  const library = { module: '/tmp/any.so', token_label: 't', key_label: 'k', pin: '1' }
  const named = expect.stringMatching(/config\.module: is a library that requests may not name/)
  expect(await post('/signers', { type: 'pkcs11', config: library })).toEqual([400, 'INVALID_REQUEST', named])
  const transit = { id: 'transit', type: 'vault_transit', config: { ...vault, pubkey: 'AAAA' } }
  expect((await post('/signers', transit))[0]).toBe(200)
  const relayer = { id: 'r', name: 'r', network: 'localhost', network_type: 'evm', signer_id: 'transit', paused: false }
  expect(await post('/relayers', relayer)).toEqual([
    400,
    'NOT_SUPPORTED',
    expect.stringMatching(/signer_id: .*vault_transit/),
  ])
})

/** What a request proves itself with, as far as it is in the request. */
function credentialsOf({ headers, body }: FakeRequest): readonly string[] {
  const named = ['authorization', 'x-vault-token', 'x-amz-security-token', 'x-stamp', 'x-wallet-auth']
  const sent = named.flatMap((name) => [headers[name] ?? []].flat())
  const form = new URLSearchParams(body.toString())
  return [...sent.map((text) => text.replace(/^Bearer /, '')), ...form.getAll('client_secret')]
}

const statuses = [400, 401, 403, 404, 429, 500] as const

test('providers that refuse, and quote all credentials: no log, answer or condition has any', async () => {
  const seen = new Set<string>()
  const answers: string[] = []
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await stage.client.request(method, path, body && { body })
    answers.push(JSON.stringify(answer.body))
    return answer
  }
  const failing = (status: number, env: Readonly<Record<string, string>>) => (request: FakeRequest) => {
    for (const each of credentialsOf(request)) seen.add(each)
    const message = [
      ...Object.values(env),
      ...credentialsOf(request),
      JSON.stringify(request.headers),
      String(request.body),
    ].join(' ')
    const error = {
      code: 'Forbidden',
      status: 'PERMISSION_DENIED',
      message,
      innererror: { code: 'AccessDenied', message },
    }
    const body = { __type: 'AccessDeniedException', message, error, errors: [message], errorMessage: message }
    return { status, body: { ...body, errorType: 'forbidden', details: [{ message }], error_description: message } }
  }
  for (const status of statuses) {
    for (const [type, { fake, env }] of Object.entries(every.fakes)) {
      fake.failAll('', failing(status, env))
      const entry = { id: `refused-${type}-${status}`, type, config: revealed(configOf(type)) }
      await ask('POST', '/signers', { ...entry, address: stage.sender(type).address })
    }
  }
  // A key of Vault is in the process by now.
  const refused = Object.keys(every.fakes).filter((type) => type !== 'vault')
  for (const type of refused) {
    await ask('POST', `/signers/signer-${type}/probe`)
    await ask('POST', `/relayers/${type}/sign`, { message: 'hello' })
    const { id } = await pay(stage, stage.sender(type))
    await until(
      async () => {
        const { body } = await ask('GET', `/relayers/${type}/transactions/${id}`)
        return JSON.stringify(body).includes('does not sign now')
      },
      { what: `the condition of ${type}` },
    )
  }
  for (const path of ['/signers?per_page=100', '/audit-log', '/ready']) await ask('GET', path)
  const everything = [...answers, stage.service.logs()].join('\n')
  expect(everything).toMatch(/does not sign now/)
  expect(seen.size).toBeGreaterThan(refused.length)
  expect([...seen].filter((credential) => everything.includes(credential))).toEqual([])
  expect(secretsIn(everything)).toEqual([])
})

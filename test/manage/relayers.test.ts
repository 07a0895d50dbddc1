// Relayers made, changed and taken away through the API, against a real process and a real chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { audit } from '../e2e/support/audit.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { manage, mined, refused, storageKey } from './support/manager.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1) }
  stage = await anvilStage({ relayers: { filed: { gas_price_cap: 300_000_000_000 } }, service: { env } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const receiver = devAccount(9).address
const payment = { to: receiver, value: '1', gas_limit: 21_000 }

async function made(index: number, more: object = {}): Promise<string> {
  const { id: signer } = await manage(stage.client, 'POST', '/signers', {
    type: 'plain',
    config: { key: devAccount(index).key },
  })
  const relayer = await manage(stage.client, 'POST', '/relayers', {
    ...{ name: `made ${index}`, network: 'localhost', network_type: 'evm', signer_id: signer, paused: false },
    ...more,
  })
  return relayer.id
}

test('a relayer made through the API sends at once, and does so after kill -9, without a word in the file', async () => {
  const { client, service, node } = stage
  const id = await made(1, { id: 'made', policies: { gas_price_cap: '900000000000', max_in_flight: 3 } })
  const reported = await manage(client, 'GET', '/relayers/made')
  expect(reported).toMatchObject({ id, name: 'made 1', address: devAccount(1).address, chain_id: 31337, paused: false })
  expect(reported.policies).toMatchObject({ min_balance: 0, gas_price_cap: 900_000_000_000, max_in_flight: 3 })
  const first = await client.send(id, payment)
  await mined(client, id, first.id, node)

  const flying = await client.send(id, { ...payment, to: devAccount(8).address })
  await service.kill9()
  await service.restart()
  expect(await manage(client, 'GET', '/relayers/made')).toEqual(reported)
  await mined(client, id, flying.id, node)
  const after = await client.send(id, { ...payment, to: devAccount(7).address })
  await mined(client, id, after.id, node)
  await audit(stage, { id, ...devAccount(1) })
})

test('where the chain has no native token, nothing can be kept of a balance, and nothing is short', async () => {
  const { client, node } = stage
  const { address, key } = devAccount(7)
  await node.rpc('anvil_setBalance', [address, `0x${(42n * 10n ** 74n).toString(16)}`])
  const refusal = (policy: string) => ({
    ...{ status: 400, code: 'INVALID_REQUEST' },
    message: `policies.${policy}: this chain has no balance of its native token, so nothing can be kept of it; remove the policy`,
  })
  const { id: signer } = await manage(client, 'POST', '/signers', { type: 'plain', config: { key } })
  const ofTempo = { name: 'tempo', network: 'localhost', network_type: 'evm', signer_id: signer, paused: false }
  const keeps = (policy: string) => ({ policies: { [policy]: '1' } })
  expect(await refused(client, 'POST', '/relayers', { ...ofTempo, ...keeps('min_balance') })).toMatchObject(
    refusal('min_balance'),
  )
  const { id } = await manage(client, 'POST', '/relayers', ofTempo)
  expect(await refused(client, 'PATCH', `/relayers/${id}`, keeps('cancel_reserve'))).toMatchObject(
    refusal('cancel_reserve'),
  )
  await manage(client, 'PATCH', `/relayers/${id}`, { policies: { min_balance: '0' } })
  const { id: sent } = await client.send(id, payment)
  await mined(client, id, sent, node)
})

test('a pause binds no more nonces and follows transactions in flight; a policy counts from the next step', async () => {
  const { client, node } = stage
  const id = await made(2, { policies: { max_in_flight: 1 } })
  const flying = await client.send(id, payment)
  const waiting = await client.send(id, payment)
  await until(async () => (await client.get(id, flying.id)).status === 'submitted', { what: 'it to be in flight' })
  await manage(client, 'PATCH', `/relayers/${id}`, { paused: true })
  expect(await refused(client, 'POST', `/relayers/${id}/transactions`, payment)).toMatchObject({
    code: 'RELAYER_PAUSED',
  })
  await mined(client, id, flying.id, node)
  expect((await client.get(id, waiting.id)).nonce).toBeUndefined()

  const whitelist = { policies: { whitelist_receivers: [devAccount(8).address], value_cap: 5 } }
  const patched = await manage(client, 'PATCH', `/relayers/${id}`, { ...whitelist, paused: false, name: 'other' })
  expect(patched).toMatchObject({ name: 'other', policies: { max_in_flight: 1, value_cap: 5 } })
  const changed = async () => (await manage(client, 'GET', `/relayers/${id}/overview`)).changed
  const members = ['name', 'paused', 'policies.whitelist_receivers', 'policies.value_cap']
  expect(await changed()).toMatchObject({ operation: 'updateRelayer', by: expect.any(String), members })
  // What waits is held to the new policy, and no nonce is spent on it.
  await until(async () => (await client.get(id, waiting.id)).status === 'failed', { what: 'it to be refused' })
  expect(await refused(client, 'POST', `/relayers/${id}/transactions`, payment)).toMatchObject({
    code: 'POLICY_VIOLATION',
  })
  const free = await manage(client, 'PATCH', `/relayers/${id}`, { policies: { whitelist_receivers: null } })
  expect(free.policies).toEqual({ ...patched.policies, whitelist_receivers: undefined })
  const next = await client.send(id, payment)
  await mined(client, id, next.id, node)
  const emptied = await client.request('PATCH', `/relayers/${id}`, { body: { policies: { whitelist_receivers: [] } } })
  expect(emptied.body).toMatchObject({
    metadata: { logs: [{ message: 'policies.whitelist_receivers: is empty, so sends may go to nobody' }] },
  })
  expect((await manage(client, 'PATCH', `/relayers/${id}`, { policies: null })).policies).toMatchObject({})
  expect(await changed()).toMatchObject({ members: ['policies'] })
})

test('a change to a relayer of the file is applied over it at each start, until the file has the same value', async () => {
  const { client, service } = stage
  const before = await manage(client, 'GET', '/relayers/filed')
  const patch = { paused: true, policies: { gas_price_cap: null, value_cap: '1000000000000000000' } }
  const patched = await manage(client, 'PATCH', '/relayers/filed', patch)
  expect(patched.policies).toMatchObject({ value_cap: 1_000_000_000_000_000_000 })
  expect(patched.policies).not.toHaveProperty('gas_price_cap')
  await service.kill9()
  await service.restart()
  expect(await manage(client, 'GET', '/relayers/filed')).toEqual(patched)
  // The log comes by a pipe of its own, and perhaps after the answer.
  const reported = '"members":["paused","policies.gasPriceCap","policies.valueCap"]'
  await until(() => service.logs().includes(reported), { what: () => `the changes over the file\n${service.logs()}` })

  const back = { paused: false, policies: { gas_price_cap: 300_000_000_000, value_cap: null } }
  expect(await manage(client, 'PATCH', '/relayers/filed', back)).toEqual(before)
  await service.kill9()
  await service.restart()
  expect(await manage(client, 'GET', '/relayers/filed')).toEqual(before)
  expect(service.logs()).not.toContain('these are not as in the file')
})

test('it is deleted once nothing of it is open, its transactions stay, and its id goes on where it ended', async () => {
  const { client, node, service } = stage
  const id = await made(3, { id: 'brief' })
  const { signer_id: signer } = await manage(client, 'GET', `/relayers/${id}`)
  const sent = await client.send(id, payment)
  expect(await refused(client, 'DELETE', `/relayers/${id}`)).toMatchObject({
    status: 409,
    code: 'RELAYER_HAS_OPEN_TRANSACTIONS',
  })
  await mined(client, id, sent.id, node)
  expect(await refused(client, 'DELETE', `/signers/${signer}`)).toMatchObject({ status: 409, code: 'SIGNER_IN_USE' })
  await manage(client, 'DELETE', `/relayers/${id}`)
  expect(await refused(client, 'GET', `/relayers/${id}`)).toMatchObject({ status: 404, code: 'RELAYER_NOT_FOUND' })
  expect(await refused(client, 'POST', `/relayers/${id}/transactions`, payment)).toMatchObject({ status: 404 })
  expect((await client.list(id)).map((each) => each.id)).toEqual([sent.id])
  expect((await client.get(id, sent.id)).status).toBe('confirmed')
  await service.kill9()
  await service.restart()
  expect((await client.list(id)).map((each) => each.id)).toEqual([sent.id])

  await manage(client, 'POST', '/relayers', {
    ...{ id, name: 'again', network: 'localhost', network_type: 'evm', signer_id: signer, paused: false },
  })
  const again = await client.send(id, payment)
  await mined(client, id, again.id, node)
  expect((await client.list(id)).map((each) => each.id)).toEqual([again.id, sent.id])
  await manage(client, 'DELETE', `/relayers/${id}`)
  await manage(client, 'DELETE', `/signers/${signer}`)
  expect(await refused(client, 'GET', `/signers/${signer}`)).toMatchObject({ status: 404, code: 'SIGNER_NOT_FOUND' })
})

test('one of a hundred sends that race with its deletion is either refused or there to the end', async () => {
  const { client, node } = stage
  const id = await made(4)
  const sends = Array.from({ length: 100 }, () =>
    client.request('POST', `/relayers/${id}/transactions`, { body: payment }),
  )
  const deletion = client.request('DELETE', `/relayers/${id}`)
  const answers = await Promise.all(sends)
  const { status } = await deletion
  const taken = answers.filter((answer) => answer.status === 200).length
  // Deleted, and none was taken; or one was taken before, and it stands.
  expect([status, taken > 0]).toEqual(status === 200 ? [200, false] : [409, true])
  if (status === 409) await manage(client, 'DELETE', `/relayers/${id}/transactions/pending`)
  await until(
    async () => {
      await node.mine()
      return (await client.request('DELETE', `/relayers/${id}`)).status !== 409
    },
    { everyMs: 100, what: 'it to be deleted' },
  )
})

test('an impossible relayer is refused, with the reason', async () => {
  const { client } = stage
  const id = await made(5)
  const { signer_id: signer } = await manage(client, 'GET', `/relayers/${id}`)
  const body = { name: 'x', network: 'localhost', network_type: 'evm', signer_id: signer, paused: false }
  const cases: readonly [object, string, RegExp][] = [
    [{ ...body, id: 'filed' }, 'ALREADY_EXISTS', /there is a relayer "filed"/],
    [body, 'ACCOUNT_IN_USE', new RegExp(`is relayer "${id}", and two relayers would compete`)],
    [
      { ...body, signer_id: 'nobody' },
      'INVALID_REQUEST',
      /signer_id: "nobody" does not exist; there are: signer-filed/,
    ],
    [{ ...body, network: 'nowhere' }, 'INVALID_REQUEST', /network: "nowhere" does not exist; there are: localhost/],
    [{ ...body, notification_id: 'none' }, 'INVALID_REQUEST', /notification_id: "none" does not exist; there are none/],
    [{ ...body, network_type: 'solana' }, 'NOT_SUPPORTED', /"solana" is not supported/],
    [{ ...body, name: 'a\u0000b' }, 'INVALID_REQUEST', /name: "a\\u0000b" is not a text of 1 to 256 .* U\+0000/],
    [{ ...body, id: 'a/b' }, 'INVALID_REQUEST', /id: "a\/b" is not at most 36 letters/],
    [{ ...body, custom_rpc_urls: ['ftp://secret.example/k'] }, 'INVALID_REQUEST', /custom_rpc_urls\[0\]: is no http/],
  ]
  for (const [requested, code, message] of cases) {
    const answer = await refused(client, 'POST', '/relayers', requested)
    expect(answer).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(answer.message).not.toContain('secret.example')
  }
  const changes: [object, RegExp][] = [
    [{ signer_id: 'x' }, /^signer_id: is not accepted here; send only name/],
    [
      { policies: { gas_price_cpa: 1 } },
      /^policies.gas_price_cpa: is not accepted here; did you mean "gas_price_cap"\?/,
    ],
    [{ policies: { gas_price_cap: '100 gwei' } }, /^policies.gas_price_cap: "100 gwei" is not wei as an integer/],
    [{ policies: { whitelist_receivers: [5] } }, /^policies.whitelist_receivers: \[5\] is not a list of addresses/],
    [{ policies: 5 }, /^policies: 5 is not an object of policies, or null/],
    [{ custom_rpc_urls: [] }, /^custom_rpc_urls: is not 1 to 32 endpoints, as .*, or null/],
    [{ custom_rpc_urls: [{ url: 'https://secret.example', wieght: 1 }] }, /^custom_rpc_urls: is not 1 to 32 endpoints/],
  ]
  for (const [requested, message] of changes) {
    const answer = await refused(client, 'PATCH', `/relayers/${id}`, requested)
    expect(answer).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })
    expect(answer.message).not.toContain('secret.example')
  }
  expect(await refused(client, 'PATCH', '/relayers/nobody', {})).toMatchObject({ code: 'RELAYER_NOT_FOUND' })
  expect(await refused(client, 'DELETE', '/relayers/nobody')).toMatchObject({ code: 'RELAYER_NOT_FOUND' })
  expect(await refused(client, 'DELETE', '/relayers/filed')).toMatchObject({
    status: 409,
    code: 'CONFIGURED_BY_FILE',
    message: 'relayer "filed" is in the configuration file; take it out of the file and restart, then delete it',
  })
})

test('every change is in the audit log with its key, in the commit of the change, with nothing of a key', async () => {
  const { client } = stage
  const id = await made(6)
  const { signer_id: signer } = await manage(client, 'GET', `/relayers/${id}`)
  await manage(client, 'PATCH', `/relayers/${id}`, { paused: true })
  await manage(client, 'PATCH', '/networks/evm:localhost', { tags: ['audited'] })
  await manage(client, 'DELETE', `/relayers/${id}`)
  await manage(client, 'DELETE', `/signers/${signer}`)
  const entries = (await manage(client, 'GET', '/audit-log?per_page=100')) as Record<string, unknown>[]
  // Refusals of the tests before are logged later, and may come in between.
  const changes = entries.filter(({ outcome }) => outcome === 'allowed').slice(0, 6)
  const reported = changes.map(({ operation, outcome, relayer_id: relayer, subject_id: subject }) => {
    return [operation, outcome, relayer ?? subject]
  })
  expect(reported.reverse()).toEqual([
    ['createSigner', 'allowed', signer],
    ['createRelayer', 'allowed', id],
    ['updateRelayer', 'allowed', id],
    ['updateNetwork', 'allowed', 'localhost'],
    ['deleteRelayer', 'allowed', id],
    ['deleteSigner', 'allowed', signer],
  ])
  expect(JSON.stringify(entries)).not.toContain(devAccount(6).key.slice(4, 20))
})

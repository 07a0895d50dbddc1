// A key with the scope pause alone: it pauses its relayers, resumes none, and sees nothing else.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { type Client, openClient } from '../../tooling/client.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { manage } from './support/manager.ts'

let service: Service
let administrator: Client
let pauser: Client
let bound: Client
beforeAll(async () => {
  service = await startService({
    networks: [{ name: 'ours', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: ['one', 'two'].map((id, index) => ({ id, privateKey: devAccount(index).key, network: 'ours' })),
  })
  administrator = openClient(service.url, service.apiKey)
  const keyWith = async (rights: object) =>
    openClient(
      service.url,
      (await manage(administrator, 'POST', '/api-keys', { name: 'p', scopes: ['pause'], ...rights })).key,
    )
  pauser = await keyWith({})
  bound = await keyWith({ relayers: ['two'] })
})
afterAll(async () => {
  for (const each of [bound, pauser, administrator, service]) await each?.[Symbol.asyncDispose]()
})

const patch = async (client: Client, relayer: string, body: object) => {
  const { status, headers } = await client.request('PATCH', `/relayers/${relayer}`, { body })
  return [status, headers['relayer-error-code']]
}

async function isPaused(relayer: string): Promise<boolean> {
  const { body } = await administrator.request('GET', `/relayers/${relayer}`)
  return (body as { data: { paused: boolean } }).data.paused
}

test('it pauses one relayer, and neither resumes it nor changes anything else of it', async () => {
  expect(await patch(pauser, 'one', { paused: true })).toEqual([200, undefined])
  expect([await isPaused('one'), await isPaused('two')]).toEqual([true, false])
  expect(await patch(pauser, 'one', { paused: true })).toEqual([200, undefined])
  for (const body of [{ paused: false }, { paused: true, name: 'x' }, { policies: { min_balance: '1' } }, {}]) {
    expect([body, await patch(pauser, 'one', body)]).toEqual([body, [401, 'SCOPE_MISSING']])
  }
  expect(await isPaused('one')).toBe(true)
  const { body } = await administrator.request('GET', '/audit-log')
  expect((body as { data: object[] }).data).toContainEqual(
    expect.objectContaining({ operation: 'updateRelayer', relayer_id: 'one', outcome: 'allowed' }),
  )
  expect(await patch(administrator, 'one', { paused: false })).toEqual([200, undefined])
})

test('bound to a relayer it pauses this one, and the others are answered like one that does not exist', async () => {
  for (const relayer of ['one', 'nobody']) {
    expect(await patch(bound, relayer, { paused: true })).toEqual([401, 'RELAYER_NOT_GRANTED'])
  }
  expect(await patch(bound, 'two', { paused: true })).toEqual([200, undefined])
  expect(await patch(bound, 'two', { paused: false })).toEqual([401, 'SCOPE_MISSING'])
  expect([await isPaused('one'), await isPaused('two')]).toEqual([false, true])
})

test('it reads nothing, and cancels nothing', async () => {
  for (const client of [pauser, bound]) {
    for (const path of [
      '/relayers',
      '/relayers/two',
      '/relayers/two/transactions',
      '/bulk-cancellations',
      '/audit-log',
    ]) {
      const { status, headers } = await client.request('GET', path)
      expect([path, status, headers['relayer-error-code']]).toEqual([path, 401, 'SCOPE_MISSING'])
    }
    const body = { filter: {}, relayers: ['two'], pause: true }
    const made = await client.request('POST', '/bulk-cancellations', { body, headers: { 'idempotency-key': 'k' } })
    expect([made.status, made.headers['relayer-error-code']]).toEqual([401, 'SCOPE_MISSING'])
  }
})

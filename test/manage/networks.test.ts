// Networks read and changed through the API: nodes are exchanged under transactions in flight, and nothing is lost.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { type Line, openLine } from '../../tooling/line.ts'
import { payTimes, reached } from '../e2e/support/play.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { manage, mined, refused, storageKey } from './support/manager.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  const env = { STORAGE_ENCRYPTION_KEY: storageKey(1) }
  stage = await anvilStage({ relayers: { one: {} }, service: { env } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const at = '/networks/evm:localhost'

/** Of a chain that is on no list. */
const profile = {
  ...{ pool: 'public', no_op_gas: 'constant', floor_gas: true, l1_fee: 'none', price_source: 'fee_history' },
  ...{ charges: 'gas_used', tip_floor: '3000000000', send_sync: false, send_conditional: false },
  ...{ max_transaction_bytes: 131_072, witness: 'block_hash' },
}

/** How many transactions came by this line: one that has waited in the pool for some blocks' time is broadcast again. */
const sentBy = (line: Line) => new Set(line.sent()).size

test('they are listed and presented, with possible secrets of an endpoint masked', async () => {
  const { client, line } = stage
  const network = await manage(client, 'GET', at)
  expect(network).toEqual({
    ...{ id: 'evm:localhost', name: 'localhost', network_type: 'evm', chain_id: 31337 },
    rpc_urls: [{ url: line.url, weight: 100 }],
    ...{ required_confirmations: 1, average_blocktime_ms: 100, symbol: 'ETH', is_testnet: true, features: ['eip1559'] },
    ...{ tags: [], explorer_urls: [], profile, profile_basis: 'none', second_witness: 'prefer', conditions: [] },
    gas_rules: {},
  })
  expect(await manage(client, 'GET', '/networks')).toEqual([network])
  expect(await refused(client, 'GET', '/networks/evm:nowhere')).toMatchObject({
    status: 404,
    code: 'NETWORK_NOT_FOUND',
  })
  expect(await refused(client, 'PATCH', '/networks/solana:devnet', {})).toMatchObject({ code: 'NETWORK_NOT_FOUND' })
  expect(await refused(client, 'GET', '/networks/localhost')).toMatchObject({
    message: 'Network with ID localhost not found; ids of networks begin with "evm:", such as "evm:sepolia"',
  })
})

test('new endpoints take over at once, transactions in flight are followed over them, and they stay after kill -9', async () => {
  const { client, node, service } = stage
  const sender = stage.sender('one')
  await using other = await openLine(node.url)
  const payments = await payTimes(stage, sender, 5)
  for (const payment of payments) await reached(stage, payment, 'submitted')

  const url = `${other.url}/v3/a-key-of-a-provider`
  const patched = await manage(client, 'PATCH', at, {
    rpc_urls: [{ url, weight: 7, provider: 'one' }],
    required_confirmations: 2,
  })
  expect(patched.rpc_urls).toEqual([{ url: `${other.url}/***`, weight: 7, provider: 'one' }])
  expect(patched.required_confirmations).toBe(2)
  await until(() => other.calls('eth_getTransactionCount').length > 0, { what: 'the new endpoint to be called' })
  const requested = stage.line.calls('eth_getBlockByNumber').length
  for (const { id } of payments) await mined(client, 'one', id, node)
  expect(stage.line.calls('eth_getBlockByNumber').length).toBe(requested)

  await service.kill9()
  await service.restart()
  expect(await manage(client, 'GET', at)).toEqual(patched)
  const [next] = await payTimes(stage, sender, 1)
  await mined(client, 'one', next?.id ?? '', node)
  expect(sentBy(stage.line)).toBe(5)
  expect(service.logs()).not.toContain('a-key-of-a-provider')

  const back = await manage(client, 'PATCH', at, { rpc_urls: null, required_confirmations: null })
  expect(back).toMatchObject({ rpc_urls: [{ url: stage.line.url, weight: 100 }], required_confirmations: 1 })
  const [last] = await payTimes(stage, sender, 1)
  await mined(client, 'one', last?.id ?? '', node)
  expect(sentBy(stage.line)).toBe(6)
})

test('the fields of a profile are patched one by one, stay after a restart, and null gives them back', async () => {
  const { client, service } = stage
  const replacement = { measure: 'effective_price', percent: 25 }
  const first = { tip_floor: '1000000000000000000000', replacement, finality: 'safe' }
  expect((await manage(client, 'PATCH', at, { profile: first })).profile).toEqual({ ...profile, ...first })
  const second = { finality: 3, keeps_future_nonce_ms: 1_000, tip_floor: null }
  const patched = { ...profile, replacement, finality: 3, keeps_future_nonce_ms: 1_000 }
  expect((await manage(client, 'PATCH', at, { profile: second })).profile).toEqual(patched)
  await service.kill9()
  await service.restart()
  expect((await manage(client, 'GET', at)).profile).toEqual(patched)
  expect((await manage(client, 'PATCH', at, { profile: null })).profile).toEqual(profile)
  expect(await refused(client, 'PATCH', at, { profile: { pool: 'hidden' } })).toMatchObject({
    ...{ status: 400, code: 'INVALID_REQUEST' },
    message: expect.stringMatching(/^profile\.pool: "hidden" is not public or private or fcfs, or null/),
  })
})

test('patched tags derive the profile anew, under the fields that the file and the API set', async () => {
  const { client, service } = stage
  await manage(client, 'PATCH', at, { profile: { keeps_future_nonce_ms: 5 } })
  const { profile: ofNitro } = await manage(client, 'PATCH', at, { tags: ['arbitrum-based'] })
  const inGas = { no_op_gas: 'estimated', l1_fee: 'in_gas', floor_gas: false }
  const nitro = { ...inGas, pool: 'fcfs', finality: 'finalized', send_sync: true }
  expect(ofNitro).toEqual({ ...profile, ...nitro, keeps_future_nonce_ms: 5 })
  await service.kill9()
  await service.restart()
  expect(await manage(client, 'GET', at)).toMatchObject({ tags: ['arbitrum-based'], profile: ofNitro })
  expect(await manage(client, 'PATCH', at, { tags: null, profile: null })).toMatchObject({ tags: [], profile })
})

test('transactions may not pass one that has to go alone: a reserve and skip_unfunded exclude each other', async () => {
  const { client, service } = stage
  const reserve = { profile: { reserve_balance: '10' } }
  const skips = { policies: { skip_unfunded: true } }
  await manage(client, 'PATCH', '/relayers/one', skips)
  expect(await refused(client, 'PATCH', at, reserve)).toMatchObject({
    ...{ status: 400, code: 'INVALID_REQUEST' },
    message: expect.stringMatching(/^profile\.reserve_balance: the policy skip_unfunded of relayer "one" is true, and/),
  })
  await manage(client, 'PATCH', '/relayers/one', { policies: { skip_unfunded: null } })
  await manage(client, 'PATCH', at, reserve)
  const message = expect.stringMatching(/^policies\.skip_unfunded: is true, and network "localhost" has a reserve/)
  expect(await refused(client, 'PATCH', '/relayers/one', skips)).toMatchObject({ status: 400, message })
  const { id: signer } = await manage(client, 'POST', '/signers', { type: 'plain', config: { key: devAccount(4).key } })
  const more = { name: 'more', network: 'localhost', network_type: 'evm', signer_id: signer, paused: false }
  expect(await refused(client, 'POST', '/relayers', { ...more, ...skips })).toMatchObject({ status: 400, message })
  await manage(client, 'PATCH', at, { profile: null })

  // The file gives the network a reserve where the API has stored the policy.
  await manage(client, 'PATCH', '/relayers/one', skips)
  const file = join(service.directory, 'config', 'config.json')
  const before = await readFile(file, 'utf8')
  const { networks, ...rest } = JSON.parse(before)
  await service.stop()
  await writeFile(file, JSON.stringify({ ...rest, networks: [{ ...networks[0], ...reserve }] }))
  await service.restart()
  expect(service.logs()).toContain('the policy skip_unfunded is true, and network \\"localhost\\" has a reserve')
  await manage(client, 'PATCH', '/relayers/one', { policies: { skip_unfunded: null } })
  await service.stop()
  await writeFile(file, before)
  await service.restart()
})

test('a relayer with endpoints of its own calls those and no others, until it is patched back', async () => {
  const { client, node, line } = stage
  await using own = await openLine(node.url)
  const { id: signer } = await manage(client, 'POST', '/signers', {
    type: 'plain',
    config: { key: devAccount(3).key },
  })
  const { id, custom_rpc_urls: urls } = await manage(client, 'POST', '/relayers', {
    ...{ name: 'own', network: 'localhost', network_type: 'evm', signer_id: signer, paused: false },
    custom_rpc_urls: [`${own.url}/secret-path`],
  })
  expect(urls).toEqual([{ url: `${own.url}/***`, weight: 100 }])
  const before = sentBy(line)
  const body = { to: devAccount(9).address, value: '1', gas_limit: 21_000 }
  await mined(client, id, (await client.send(id, body)).id, node)
  expect(sentBy(own)).toBe(1)
  expect(await manage(client, 'PATCH', `/relayers/${id}`, { custom_rpc_urls: null })).not.toHaveProperty(
    'custom_rpc_urls',
  )
  await mined(client, id, (await client.send(id, body)).id, node)
  expect(sentBy(own)).toBe(1)
  expect(sentBy(line)).toBe(before + 1)
})

test('an invalid endpoint is refused, and not repeated', async () => {
  const { client } = stage
  const cases: readonly [object, RegExp][] = [
    [{ rpc_urls: [] }, /^rpc_urls: is not 1 to 32 endpoints, as/],
    [
      { rpc_urls: ['wss://secret.example'] },
      /^rpc_urls\[0\]: is a WebSocket URL .*send the http or https URL of the same provider/,
    ],
    [{ rpc_urls: [{ url: 'https://secret.example', weight: 101 }] }, /^rpc_urls: is not 1 to 32 endpoints, as/],
    [{ rpc_urls: [{ url: 'https://secret.example', weight: 0 }] }, /^rpc_urls: every endpoint has weight 0/],
    [{ chain_id: 1 }, /^chain_id: is not accepted here/],
    [{ required_confirmations: 0 }, /^required_confirmations: 0 is not an integer from 1/],
  ]
  for (const [body, message] of cases) {
    const answer = await refused(client, 'PATCH', at, body)
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_REQUEST', message: expect.stringMatching(message) })
    expect(answer.message).not.toContain('secret.example')
  }
})

test('a paused network binds nothing, also after kill -9 and for new relayers, and resumes none that was paused itself', async () => {
  const { client, node, service } = stage
  const body = { to: devAccount(9).address, value: '1', gas_limit: 21_000 }
  const signer = async (index: number) =>
    (await manage(client, 'POST', '/signers', { type: 'plain', config: { key: devAccount(index).key } })).id
  const made = async (index: number, id: string) =>
    manage(client, 'POST', '/relayers', {
      ...{ id, name: id, network: 'localhost', network_type: 'evm', signer_id: await signer(index), paused: false },
      policies: { max_in_flight: 1 },
    })
  await made(4, 'two')
  await made(5, 'own')
  await manage(client, 'PATCH', '/relayers/own', { paused: true })
  const [flying, waiting, canceled] = [
    await client.send('two', body),
    await client.send('two', body),
    await client.send('two', body),
  ]
  await until(async () => (await client.get('two', flying.id)).status === 'submitted', { what: 'it to be in flight' })

  const pause = `${at}/pause`
  const note = { note: 'the chain has halted' }
  const paused = await manage(client, 'PUT', pause, note)
  expect(paused.pause).toEqual({ at: expect.stringMatching(/Z$/), by: expect.any(String), ...note })
  expect(await manage(client, 'GET', at)).toEqual(paused)
  expect(await manage(client, 'GET', '/networks')).toEqual([paused])
  const answer = { code: 'RELAYER_PAUSED', message: expect.stringMatching(/^network "localhost" is paused: relayer "/) }
  for (const id of ['one', 'two'])
    expect(await refused(client, 'POST', `/relayers/${id}/transactions`, body)).toMatchObject(answer)
  expect(await manage(client, 'GET', '/relayers/two')).toMatchObject({ paused: false, network_paused: true })
  expect(await manage(client, 'GET', '/relayers/two/status')).toMatchObject({ paused: true })
  await mined(client, 'two', flying.id, node)
  const wait = async () => (await manage(client, 'GET', `/relayers/two/transactions/${waiting.id}/trace`)).wait
  await until(async () => (await wait())?.condition === 'paused', { what: 'the wait' })
  expect(await wait()).toMatchObject({ facts: { by: 'network', network: 'localhost' } })

  await service.kill9()
  await service.restart()
  const later = await made(6, 'later')
  expect(later).toMatchObject({ paused: false, network_paused: true })
  expect(await refused(client, 'POST', '/relayers/later/transactions', body)).toMatchObject(answer)
  const overview = await manage(client, 'GET', '/overview?per_page=100')
  for (const each of overview) expect(each).toMatchObject({ state: 'paused', network_pause: paused.pause })
  await until(
    async () => {
      const { conditions } = await manage(client, 'GET', '/relayers/own/overview')
      return conditions.some(({ facts }: { facts?: { by: string } }) => facts?.by === 'both')
    },
    { what: 'both pauses' },
  )
  // A change of the relayer itself is no end of it.
  await manage(client, 'PATCH', '/relayers/two', { name: 'another', paused: false })
  expect((await client.get('two', waiting.id)).nonce).toBeUndefined()
  expect((await client.cancel('two', canceled.id)).status).toBe('canceled')

  const resumed = await manage(client, 'DELETE', pause)
  expect(resumed).not.toHaveProperty('pause')
  expect(await manage(client, 'DELETE', pause)).toEqual(resumed)
  await mined(client, 'two', waiting.id, node)
  await mined(client, 'later', (await client.send('later', body)).id, node)
  expect(await manage(client, 'GET', '/relayers/own')).toMatchObject({ paused: true, network_paused: false })
  expect(await refused(client, 'POST', '/relayers/own/transactions', body)).toMatchObject({
    message: 'relayer "own" is paused and takes no new transactions',
  })
  const audited = await manage(client, 'GET', '/audit-log?per_page=100')
  const operations = audited.filter(({ subject_id: subject }: { subject_id?: string }) => subject === 'localhost')
  expect(operations.map(({ operation }: { operation: string }) => operation).slice(0, 3)).toEqual([
    ...['resumeNetwork', 'resumeNetwork', 'pauseNetwork'],
  ])
  expect(await refused(client, 'PUT', '/networks/evm:nowhere/pause', {})).toMatchObject({ code: 'NETWORK_NOT_FOUND' })
  expect(await refused(client, 'PUT', pause, { note: 'x'.repeat(1_001) })).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(await refused(client, 'PUT', pause, { note: 'a\0b' })).toMatchObject({ code: 'INVALID_REQUEST' })
})

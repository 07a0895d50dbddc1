// The check calls the networks that relayers use, all endpoints at once, and shows each relayer's balance.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAll } from '../../src/cli/check/check-all.ts'
import { accountsOf } from '../../src/cli/check/check-networks.ts'
import type { Address } from '../../src/domain/ids.ts'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../../tooling/rpc-server.ts'
import { env } from '../config/workplace.ts'

let anvil: Anvil
let used: readonly RpcServer[]
let unused: RpcServer
beforeAll(async () => {
  anvil = await startAnvil({ mining: { intervalMs: 1_000 } })
  const servers = [1, 2, 3, 4].map(() => startRpcServer({ forwardTo: anvil.url }))
  const [last, ...others] = await Promise.all(servers)
  if (!last) throw new Error('no server was started')
  used = others
  unused = last
})
afterAll(async () => {
  for (const each of [...(used ?? []), ...(unused ? [unused] : [])]) await each.stop()
  await anvil?.stop()
})

const networkAt = (network: string, servers: readonly RpcServer[]) => ({
  ...{ network, type: 'evm', chain_id: 31_337, rpc_urls: servers.map(({ url }) => url), symbol: 'ETH' },
  ...{ required_confirmations: 1, average_blocktime_ms: 1_000, is_testnet: true, features: ['eip1559'] },
})

async function check(options: { readonly allNetworks?: boolean } = {}, policies: object = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-networks-'))
  const ids = ['rich', 'poor']
  const file = {
    relayers: ids.map((id) => ({
      ...{ id, name: id, network: 'used', network_type: 'evm', paused: false, signer_id: id },
      ...(id === 'rich' && { policies }),
    })),
    signers: ids.map((id) => ({
      id,
      type: 'plain',
      config: { key: { type: 'env', value: `KEY_${id.toUpperCase()}` } },
    })),
    notifications: [],
    networks: [networkAt('used', used), networkAt('unused', [unused])],
  }
  const keys = { KEY_RICH: devAccount(0).key, KEY_POOR: devAccount(1).key, APP_PORT: '0', METRICS_PORT: '0' }
  try {
    await mkdir(join(directory, 'config'))
    await writeFile(join(directory, 'config/config.json'), JSON.stringify(file))
    return await checkAll({ env: { ...env, ...keys }, directory }, () => undefined, options)
  } finally {
    await rm(directory, { recursive: true })
  }
}

test('of the networks, only those that a relayer uses are called, unless all are wanted', async () => {
  unused.forget()
  const findings = await check()
  expect(unused.requests).toEqual([])
  expect(findings).toContainEqual({
    ...{ level: 'ok', place: 'networks', check: 'unused' },
    text: '1 of 2 networks are used by no relayer, and not called; --all-networks calls them',
  })
  const every = await check({ allNetworks: true })
  expect(every).toContainEqual(expect.objectContaining({ place: 'unused, endpoint 1', check: 'chain id', level: 'ok' }))
  expect(every.filter(({ place }) => place === 'networks')).toEqual([])
})

test('endpoints are read side by side, and listed in the order of the file', async () => {
  // No endpoint answers before each was called: read one after the other, the first would be silent.
  const called = new Set<RpcServer>()
  const all = Promise.withResolvers<void>()
  const answer = async ({ method, params }: RpcCall): Promise<RpcReply> => {
    await all.promise
    return { result: await anvil.rpc(method, params) }
  }
  for (const server of used) {
    server.react(() => {
      called.add(server)
      if (called.size === used.length) all.resolve()
      return called.size < used.length ? { do: 'handle', each: answer } : { do: 'forward' }
    })
  }
  const findings = await check()
  for (const server of used) server.react({ do: 'forward' })
  expect(findings.filter((each) => each.check === 'chain id').map(({ level, place }) => [level, place])).toEqual(
    ['used, endpoint 1', 'used, endpoint 2', 'used, endpoint 3'].map((place) => ['ok', place]),
  )
})

test('each relayer has its balance, in ether, from an endpoint that answers', async () => {
  await anvil.rpc('anvil_setBalance', [devAccount(0).address, `0x${(1_500_000_000_000_000_000n).toString(16)}`])
  await anvil.rpc('anvil_setBalance', [devAccount(1).address, '0x0'])
  used[0]?.react({ do: 'drop' })
  const findings = await check()
  used[0]?.react({ do: 'forward' })
  expect(findings.filter((each) => each.check === 'balance')).toEqual([
    { level: 'ok', place: 'relayer rich', check: 'balance', text: `1.5 ether at ${devAccount(0).address}` },
    {
      ...{ level: 'warning', place: 'relayer poor', check: 'balance' },
      text: `${devAccount(1).address} holds nothing: it pays for gas, so send it some`,
    },
  ])
  expect(findings.filter(({ level }) => level === 'error')).toMatchObject([{ place: 'used, endpoint 1' }])
  for (const server of used) server.react({ do: 'drop' })
  const silent = await check()
  for (const server of used) server.react({ do: 'forward' })
  expect(silent.filter((each) => each.check === 'balance')).toMatchObject([
    { level: 'warning', text: 'not read: no endpoint of used with its chain returned it' },
    { level: 'warning' },
  ])
})

test('a chain without a native token has no balance: that is said, and no policy keeps a part of it', async () => {
  const everyAccount = `0x${(42n * 10n ** 74n).toString(16)}`
  for (const index of [0, 1]) await anvil.rpc('anvil_setBalance', [devAccount(index).address, everyAccount])
  const text = 'this chain has no balance of its native token'
  const balances = async (policies: object = {}) =>
    (await check({}, policies)).filter((each) => each.check === 'balance')
  expect(await balances()).toMatchObject([
    { level: 'ok', text },
    { level: 'ok', text },
  ])
  expect(await balances({ min_balance: '1' })).toMatchObject([
    { level: 'error', text: `policies.min_balance: ${text}, so nothing can be kept of it; remove the policy` },
    { level: 'ok', text },
  ])
})

test('relayers that the API made count, and those that are gone from the file do not', () => {
  const address = devAccount(3).address as Address
  const row = (id: string) => ({ id, network: `of-${id}`, address, policies: '{}' })
  const file = [
    { id: 'kept', network: 'of-kept', signerId: 'open' },
    { id: 'out', network: 'of-out', signerId: 'no answer' },
  ]
  const stored = {
    relayers: ['kept', 'out', 'made', 'gone'].map(row),
    entities: [
      { id: 'made', facts: '{"origin":"api"}' },
      { id: 'kept', facts: '{"origin":"file","overlay":{}}' },
    ],
  }
  const opened = devAccount(4).address as Address
  expect(accountsOf(file, new Map([['open', opened]]), stored)).toEqual([
    { relayer: 'kept', network: 'of-kept', address: opened },
    { relayer: 'out', network: 'of-out', address },
    { relayer: 'made', network: 'of-made', address },
  ])
})

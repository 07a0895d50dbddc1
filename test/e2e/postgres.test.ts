// Sends and cancels on PostgreSQL while its server is killed, read-only, or a standby.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type Client, openClient, until } from '../../tooling/client.ts'
import { poolOf } from '../../tooling/ledger.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { type Service, startService } from '../../tooling/service.ts'

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let pieces: AsyncDisposableStack
let node: Anvil
let postgres: Postgres
let service: Service
let client: Client
beforeAll(async () => {
  pieces = new AsyncDisposableStack()
  node = pieces.use(await startAnvil({ mining: 'manual' }))
  postgres = pieces.use(await startPostgres())
  service = pieces.use(
    await startService({
      networks: [{ name: 'localhost', rpcUrls: [node.url], averageBlocktimeMs: 100 }],
      relayers: ['three', 'four', 'five'].map((id, index) => ({
        id,
        privateKey: devAccount(index + 2).key,
        policies: { max_in_flight: 2 },
      })),
      env: { DATABASE_URL: await postgres.database() },
    }),
  )
  client = pieces.use(openClient(service.url, service.apiKey))
})
afterAll(() => pieces?.disposeAsync())

const pay = (relayer: string) => client.send(relayer, { to: receiver, value: '1', gas_limit: 21_000, speed: 'average' })

/** Mines until it has this status. */
function mineUntil(relayer: string, id: string, status: string) {
  let last = ''
  return until(
    async () => {
      await node.mine()
      last = JSON.stringify(await client.get(relayer, id))
      return last.includes(`"status":"${status}"`)
    },
    { everyMs: 100, what: () => `${status}; it is ${last}\n${service.logs().slice(-3_000)}` },
  )
}

async function inPool(account: number, nonces: readonly number[]): Promise<void> {
  const { address } = devAccount(account)
  const isThere = async () => {
    const pool = await poolOf(node, address)
    return nonces.every((nonce) => pool.has(nonce))
  }
  await until(isThere, { what: `nonces ${nonces} in the pool` })
}

test('while the server is down nothing is promised and the service is not ready; once it is back all goes on by itself', async () => {
  const before = await pay('three')
  await inPool(2, [0])
  await postgres.kill9()
  const refused = await client.request('POST', '/relayers/three/transactions', {
    body: { to: receiver, value: '1', gas_limit: 21_000, speed: 'average' },
  })
  expect(refused.status).toBe(503)
  await until(async () => (await client.request('GET', '/ready')).status === 503, { what: 'not ready' })
  await postgres.restart()
  await until(async () => (await client.request('GET', '/ready')).status === 200, { what: 'ready again' })
  await mineUntil('three', before.id, 'confirmed')
  const after = await pay('three')
  await mineUntil('three', after.id, 'confirmed')
  expect(await client.list('three')).toHaveLength(2)
})

const reload = () => postgres.query('SELECT pg_reload_conf()')

test.each([
  [
    'four',
    3,
    'told to be read-only',
    async () => {
      await postgres.query('ALTER SYSTEM SET default_transaction_read_only = on')
      await reload()
    },
    async () => {
      await postgres.query('ALTER SYSTEM RESET default_transaction_read_only')
      await reload()
    },
  ],
  [
    'five',
    4,
    'a standby that waits to be promoted',
    async () => {
      await postgres.stop()
      await writeFile(join(postgres.data, 'standby.signal'), '')
      await postgres.restart()
    },
    () => postgres.query('SELECT pg_promote()'),
  ],
] as const)(
  'relayer %s (%i), while the server is %s: nothing is promised, and all goes on by itself afterwards',
  async (relayer, account, _, lose, regain) => {
    const before = await pay(relayer)
    await inPool(account, [0])
    await lose()
    const readiness = () => client.request('GET', '/ready')
    const isReadOnly = async () =>
      /the database is (read-only|a standby)/.test(JSON.stringify((await readiness()).body))
    await until(isReadOnly, { what: 'not ready' })
    expect((await client.request('DELETE', `/relayers/${relayer}/transactions/${before.id}`)).status).toBe(500)
    await node.mine()
    await regain()
    await until(async () => (await readiness()).status === 200, { what: 'ready again' })
    await mineUntil(relayer, before.id, 'confirmed')
    const after = await pay(relayer)
    await mineUntil(relayer, after.id, 'confirmed')
  },
)

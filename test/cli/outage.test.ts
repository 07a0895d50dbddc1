// An outage from the command line: one command shows which relayers are stuck, why and since when, and others end it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type Client, openClient, until } from '../../tooling/client.ts'
import { type Line, openLine } from '../../tooling/line.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { type Ran, start } from './support/packed.ts'

const gwei = 1_000_000_000n
const ether = 10n ** 18n
const to = devAccount(5).address
const main = join(inject('packed'), 'dist/main.js')
const names = ['capped', 'down', 'poor', 'well'] as const
let anvil: Anvil
/** Of the relayer `down`: it mines nothing during the outage. */
let apart: Anvil
let service: Service
let client: Client
let folder: string
/** To the node of the relayer `down`. */
let line: Line

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-outage-'))
  anvil = await startAnvil({ mining: 'manual', baseFee: gwei })
  apart = await startAnvil({ mining: 'manual', chainId: 1_337 })
  line = await openLine(apart.url)
  service = await startService({
    main: [main, 'start'],
    networks: [
      { name: 'local', rpcUrls: [anvil.url], averageBlocktimeMs: 200 },
      { name: 'apart', chainId: 1_337, rpcUrls: [line.url], averageBlocktimeMs: 200 },
    ],
    relayers: names.map((id, index) => ({
      id,
      privateKey: devAccount(index).key,
      ...(id === 'down' && { network: 'apart' }),
      ...(id === 'capped' && { policies: { gas_price_cap: Number(3n * gwei) } }),
    })),
  })
  client = openClient(service.url, service.apiKey)
})
afterAll(async () => {
  await client?.close()
  await service?.[Symbol.asyncDispose]()
  await line?.[Symbol.asyncDispose]()
  await anvil?.stop()
  await apart?.stop()
  await rm(folder, { recursive: true, force: true })
})

const rescind = (...args: string[]): Promise<Ran> =>
  start(main, args, { cwd: folder, env: { API_KEY: service.apiKey, RESCIND_URL: service.url } }).ended

/** A block whose base fee is so many gwei. */
async function mineAt(price: bigint): Promise<void> {
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(price * gwei).toString(16)}`])
  await anvil.mine()
}

const send = async (relayer: string, value: bigint) =>
  (await client.send(relayer, { to, value: String(value), gas_limit: 21_000, speed: 'fast' })).id
const addressOf = (relayer: (typeof names)[number]) => devAccount(names.indexOf(relayer)).address
const setBalance = (relayer: (typeof names)[number], wei: bigint) =>
  anvil.rpc('anvil_setBalance', [addressOf(relayer), `0x${wei.toString(16)}`])

test('three relayers are stuck for three reasons, and each is helped by a command', async () => {
  await setBalance('poor', ether / 2n)
  await mineAt(40n)
  const inFlight = [await send('down', 1n), await send('down', 2n)]
  for (const id of inFlight)
    await until(async () => (await client.get('down', id)).status === 'submitted', { what: 'the bytes in the pool' })
  await line.cut()
  const queued = { poor: await send('poor', ether), capped: await send('capped', 1n) }

  const stuck =
    /\ncapped: gas_price_cap for \d+ s: waits: .*\n[\s\S]*\ndown: node_unreachable for \d+ s.*\n[\s\S]*\npoor: balance_short for \d+ s: waits: the balance \(500000000000000000 wei\)/
  let status = await rescind('status')
  await until(
    async () => {
      await mineAt(40n)
      status = await rescind('status')
      return stuck.test(status.stdout)
    },
    { what: () => `three conditions\n${status.stdout}`, limitMs: 120_000, everyMs: 200 },
  )
  expect(status.exit).toBe(6)
  expect(status.stdout).toMatch(/\ndown +apart +0x\w+ +unreachable +0 +2 /)
  expect(status.stdout).toMatch(/\nwell +local +0x\w+ +ok +0 +0 +10,000 ether /)
  expect(status.stdout).not.toContain('\nwell:')

  // Without a node: recorded now, and raced for as soon as one answers.
  const canceled = await rescind('cancel', '--all', '-r', 'down', '--yes', '--json')
  expect(canceled.exit).toBe(5)
  expect(JSON.parse(canceled.stdout)).toMatchObject({ total_processed: 2 })
  await setBalance('poor', 3n * ether)
  expect(await rescind('policies', 'set', 'gas_price_cap', '500gwei', '-r', 'capped')).toMatchObject({ exit: 0 })
  await line.mend()
  // The no-ops are in the pool before a block is made.
  for (const id of inFlight) {
    const noOp = async () => (await client.attempts('down', id)).find(({ kind }) => kind === 'cancel')
    const isPooled = async () => (await apart.rpc('eth_getTransactionByHash', [(await noOp())?.hash ?? '0x'])) !== null
    await until(async () => (await noOp()) !== undefined && (await isPooled()), {
      what: 'a no-op in the pool',
      limitMs: 90_000,
    })
  }

  const ended = async () => {
    const verdicts = await Promise.all(inFlight.map((id) => client.cancellation('down', id)))
    const sent = await Promise.all([client.get('poor', queued.poor), client.get('capped', queued.capped)])
    return verdicts.every(({ final }) => final) && sent.every((each) => each.status === 'confirmed')
  }
  await until(
    async () => {
      await Promise.all([mineAt(40n), apart.mine()])
      return ended()
    },
    { what: 'the end of all', limitMs: 90_000, everyMs: 200 },
  )
  for (const id of inFlight)
    expect((await rescind('tx', 'get', id, '-r', 'down')).stdout).toMatch(/\nverdict +won, final\nsafe to retry +yes\n/)
  await until(
    async () => {
      await Promise.all([mineAt(40n), apart.mine()])
      status = await rescind('status')
      return status.exit === 0
    },
    { what: () => `no condition\n${status.stdout}`, limitMs: 90_000, everyMs: 200 },
  )
})

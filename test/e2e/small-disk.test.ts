// A full queue on a disk that ends, while a reader of the file keeps its snapshot open: then no page of the log is used again, and each
// cancellation writes its row anew. Sends are refused as long as it takes to keep room for all cancellations.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../src/config/limits.ts'
import { startAnvil } from '../../tooling/anvil.ts'
import { type Client, openClient, type TransactionView, until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { databasePath } from '../../tooling/service-files.ts'
import { parseExposition, readingOf } from '../support/exposition.ts'

const rows = limits.queueMaxOnSqlite
const batch = 500
const aloneCount = 300
/** Memory is used for what is written only. */
const wide = 16 * 2 ** 30
const data = `0x${'ab'.repeat(2_000)}`

const folder = mkdtempSync(join(tmpdir(), 'rescind-disk-'))
const disk = join(folder, 'disk')
/** Why this machine has no small disk: some containers may mount none. test/http/transactions/queue-bytes.test.ts passes a free space. */
const whyNot = mountDisk()

function mountDisk(): string | undefined {
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${wide}`, 'rescind', disk], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}

function resize(bytes: number): void {
  execFileSync('mount', ['-o', `remount,size=${Math.ceil(bytes)}`, disk])
}

/** As the newest commit has it. */
function pagesOf(path: string): number {
  const eyes = new Database(path, { readonly: true })
  try {
    return Number(eyes.pragma('page_count', { simple: true }))
  } finally {
    eyes.close()
  }
}

function spaceOf(): { used: number; free: number } {
  const { blocks, bavail, bsize } = statfsSync(disk)
  return { used: (blocks - bavail) * bsize, free: bavail * bsize }
}

const pieces = new AsyncDisposableStack()
let service: Service
let client: Client
let node: Awaited<ReturnType<typeof startAnvil>>
beforeAll(async () => {
  if (whyNot !== undefined) return
  node = pieces.use(await startAnvil({ mining: 'manual' }))
  service = pieces.use(
    await startService({
      directory: disk,
      networks: [{ name: 'localhost', rpcUrls: [node.url], requiredConfirmations: 1, averageBlocktimeMs: 100 }],
      relayers: ['one', 'two'].map((id, index) => ({ id, privateKey: devAccount(index).key })),
      // One key fills the queue within seconds.
      env: { RATE_LIMIT_REQUESTS_PER_SECOND: '100000', RATE_LIMIT_BURST: '1000000' },
    }),
  )
  client = pieces.use(openClient(service.url, service.apiKey))
})
afterAll(async () => {
  await pieces.disposeAsync()
  if (whyNot === undefined) execFileSync('umount', [disk])
  rmSync(folder, { recursive: true, force: true })
})

const at = (relayer: string, rest = '') => `/relayers/${relayer}/transactions${rest}`
const held = { to: devAccount(2).address, value: '1', data, gas_limit: 150_000, speed: 'average', hold: true }

async function fill(): Promise<string[]> {
  const ids: string[] = []
  for (let sent = 0; sent < rows; sent += batch) {
    const { status, body } = await client.request('POST', at('one', '/batch'), {
      body: { transactions: Array(batch).fill(held) },
    })
    expect(status, JSON.stringify(body)).toBe(200)
    ids.push(...(body as { data: TransactionView[] }).data.map(({ id }) => id))
  }
  return ids
}

async function conditions(): Promise<readonly string[]> {
  const { status, body } = await client.request('GET', '/ready')
  expect(status).toBe(200)
  return (body as { data: { conditions: { condition: string }[] } }).data.conditions.map(({ condition }) => condition)
}

async function cancel(id: string): Promise<void> {
  expect((await client.cancel('one', id)).status).toBe('canceled')
}

test('every transaction of a full queue can be canceled on what is kept free', async ({ skip }) => {
  skip(whyNot !== undefined, `this machine mounts no disk: ${whyNot}`)
  const path = databasePath(disk)
  const snapshot = pieces.adopt(new Database(path, { readonly: true }), async (opened) => void opened.close())
  snapshot.exec('BEGIN')
  snapshot.prepare('SELECT count(*) FROM transactions').get()
  const ids = await fill()
  const payment = { to: devAccount(2).address, value: '1', gas_limit: 21_000, speed: 'average' }
  const inFlight = await client.send('two', payment)
  await until(async () => (await client.get('two', inFlight.id)).status === 'submitted', { what: 'the broadcast' })

  const metric = async (name: string, labels: Readonly<Record<string, string>>) =>
    readingOf(parseExposition(await (await fetch(`${service.metricsUrl}/metrics`)).text()), name, labels)
  expect(await metric('rescind_relayer_pending_bytes', { relayer: 'one' })).toBe(rows * data.length)
  const kept = limits.diskKeptBytes + rows * (data.length + limits.cancelBytesMax)
  // Once the snapshot ends, all that is in the log is copied into the file.
  const growth = Number(snapshot.pragma('page_size', { simple: true })) * pagesOf(path) - statSync(path).size
  expect(growth).toBeGreaterThan(rows * data.length)
  resize(spaceOf().used + growth + kept - 2 ** 20)
  await until(async () => String(await conditions()) === 'disk_low', { what: 'the condition' })
  expect(await metric('rescind_process_condition', { condition: 'disk_low' })).toBe(1)

  const refused = { status: 503, headers: { 'relayer-error-code': 'STORAGE_LOW' } }
  expect(await client.request('POST', at('two'), { body: payment })).toMatchObject(refused)
  const [first = ''] = ids
  expect(await client.request('PUT', at('one', `/${first}`), { body: held })).toMatchObject(refused)
  // The owner of the other relayer goes on.
  await node.mine(2)
  await until(async () => (await client.get('two', inFlight.id)).status === 'confirmed', { what: 'the confirmation' })

  const logBytes = () => statSync(`${path}-wal`).size
  const before = logBytes()
  // Spread over the queue: each in a commit of its own changes other pages.
  const alone = ids.filter((_, index) => index % Math.floor(rows / aloneCount) === 0)
  for (const id of alone) await cancel(id)
  const each = (logBytes() - before) / alone.length
  expect(each).toBeGreaterThan(data.length)
  expect(each).toBeLessThan(data.length + limits.cancelBytesMax)

  const left = ids.filter((id) => !alone.includes(id))
  // As many at once as the client has connections.
  const lines = Array.from({ length: 8 }, async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) await cancel(id)
  })
  await Promise.all(lines)
  const grown = logBytes() - before
  expect(grown).toBeLessThan(kept)
  expect(spaceOf().free).toBeGreaterThan(growth)

  snapshot.exec('COMMIT')
  await until(async () => (await conditions()).length === 0, { what: 'the end of the condition' })
  expect((await client.send('two', payment)).status).toBe('pending')
  expect(statSync(path).size).toBeGreaterThan(rows * data.length)
})

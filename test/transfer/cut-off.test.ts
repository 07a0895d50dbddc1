// A move that is killed at any of its steps has moved nothing or all, no service starts on both sides, and the next run
// brings it to its end.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { until } from '../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { startTcpProxy, type TcpProxy, type Weather } from '../chaos/support/tcp-proxy.ts'
import { alter, type FilledFile, fillFile, openFile } from './support/filled-file.ts'
import { startRescind, transfer, transferArguments } from './support/run-transfer.ts'

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000 })

let filled: FilledFile
let postgres: Postgres
let proxy: TcpProxy
beforeAll(async () => {
  ;[filled, postgres] = await Promise.all([fillFile(2_500), startPostgres()])
  proxy = await startTcpProxy(`http://127.0.0.1:${postgres.port}`)
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
  filled?.[Symbol.dispose]()
})

const throughProxy = (url: string) => Object.assign(new URL(url), { port: new URL(proxy.url).port }).href
const rowsOf = async (url: string) => {
  const database = new URL(url).pathname.slice(1)
  const [there] = await postgres.query<{ there: boolean }>(
    "SELECT to_regclass('public.transactions') IS NOT NULL AS there",
    database,
  )
  if (!there?.there) return 0
  const [counted] = await postgres.query<{ count: number }>('SELECT count(*) FROM transactions', database)
  return counted?.count
}
const rowsIn = (folder: string) =>
  alter<{ count: number }>(folder, 'SELECT count(*) AS count FROM transactions')[0]?.count

/** As it stands on the line, apart from READ COMMITTED. */
const commit = 'COMMIT\0'

/** Lets nothing through any more from the n-th request on that holds this text, or from its answer on. */
function stallAt(text: string, nth: number, way: 'request' | 'answer'): Weather {
  let seen = 0
  return (passing, bytes) => {
    if (passing === 'request' && bytes.includes(text)) seen += 1
    return seen >= nth && passing === way ? { do: 'stall' } : { do: 'pass' }
  }
}

async function killedAt(folder: string, url: string, weather: Weather): Promise<void> {
  proxy.change(weather)
  const before = proxy.fates.stall
  const moved = startRescind(transferArguments(), folder, { DATABASE_URL: throughProxy(url) })
  await until(() => proxy.fates.stall > before, { limitMs: 60_000, what: () => `the step\n${moved.logs()}` })
  moved.signal('SIGKILL')
  await moved.exited
}

test.each([
  ['before the schema', 'CREATE TABLE relayers', 1, 'request'],
  ['before the schema is durable', commit, 1, 'request'],
  ['once the schema is durable', commit, 1, 'answer'],
  ['among the rows', 'INSERT INTO "transactions"', 2, 'request'],
  ['while it compares', 'FETCH', 3, 'answer'],
] as const)('killed %s: nothing has happened, and services start on the file', async (_, text, nth, way) => {
  const folder = filled.copy()
  const url = await postgres.database()
  await killedAt(folder, url, stallAt(text, nth, way))
  expect(await rowsOf(url)).toBe(0)
  await openFile(folder)
  expect(await transfer(folder, url)).toMatchObject({
    code: 0,
    reported: expect.stringContaining('moved. The file is kept'),
  })
  expect(await rowsOf(url)).toBe(rowsIn(folder))
  await expect(openFile(folder)).rejects.toThrow(/the data of .* was moved to/)
})

const cutOff = /was cut off at its last step, and only the target shows whether it is complete/

test.each([
  ['before its commit', 'request', 'moved. The file is kept'],
  ['before it hears of its commit', 'answer', 'this transfer is complete: nothing was left to be done'],
] as const)('killed %s: no service starts on the file until the transfer was run again', async (_, way, reported) => {
  const folder = filled.copy()
  const url = await postgres.database()
  await killedAt(folder, url, stallAt(commit, 2, way))
  await expect(openFile(folder)).rejects.toThrow(cutOff)
  const elsewhere = await transfer(folder, await postgres.database())
  expect(elsewhere).toMatchObject({ code: 1, reported: expect.stringContaining('has no record of that transfer') })
  await expect(openFile(folder)).rejects.toThrow(cutOff)
  expect(await transfer(folder, url)).toMatchObject({ code: 0, reported: expect.stringContaining(reported) })
  expect(await rowsOf(url)).toBe(rowsIn(folder))
  await expect(openFile(folder)).rejects.toThrow(/the data of .* was moved to/)
})

test.each(['request', 'answer'] as const)('cut off at its commit (%s), it can be undone', async (way) => {
  const folder = filled.copy()
  const url = await postgres.database()
  await killedAt(folder, url, stallAt(commit, 2, way))
  expect(await transfer(folder, url, '--undo')).toMatchObject({ code: 0 })
  expect(await rowsOf(url)).toBe(0)
  await openFile(folder)
  expect(await transfer(folder, url)).toMatchObject({ code: 0 })
})

test.each(['request', 'answer'] as const)(
  'an undoing that is killed at its commit (%s) is brought to its end',
  async (way) => {
    const folder = filled.copy()
    const url = await postgres.database()
    expect(await transfer(folder, url)).toMatchObject({ code: 0 })
    proxy.change(stallAt(commit, 1, way))
    const before = proxy.fates.stall
    const undoing = startRescind(transferArguments('--undo'), folder, { DATABASE_URL: throughProxy(url) })
    await until(() => proxy.fates.stall > before, { limitMs: 60_000, what: () => `its commit\n${undoing.logs()}` })
    undoing.signal('SIGKILL')
    await undoing.exited
    await expect(openFile(folder)).rejects.toThrow(/the data of .* was moved to/)
    if (way === 'answer') {
      const again = await transfer(folder, url)
      expect(again).toMatchObject({ code: 1, reported: expect.stringContaining('run this command with --undo again') })
    }
    expect(await transfer(folder, url, '--undo')).toMatchObject({ code: 0 })
    expect(await rowsOf(url)).toBe(0)
    await openFile(folder)
  },
)

test('the connection breaks among the rows: it is said, and nothing has happened', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  proxy.change((way, bytes) =>
    way === 'request' && bytes.includes('INSERT INTO "transactions"') ? { do: 'cut', afterBytes: 9 } : { do: 'pass' },
  )
  const cut = await transfer(folder, throughProxy(url))
  expect(cut).toMatchObject({
    code: 1,
    reported: expect.stringContaining("nothing was changed: the target can't be reached ("),
  })
  expect(await rowsOf(url)).toBe(0)
  await openFile(folder)
})

test('the connection breaks at the commit: what is not known is said, and found out by the next run', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  let commits = 0
  proxy.change((way, bytes) => {
    if (way === 'request' && bytes.includes(commit)) commits += 1
    return commits === 2 && way === 'answer' ? { do: 'cut', afterBytes: 0 } : { do: 'pass' }
  })
  const cut = await transfer(folder, throughProxy(url))
  expect(cut).toMatchObject({
    code: 1,
    reported: expect.stringContaining('the target may or may not have committed'),
  })
  await expect(openFile(folder)).rejects.toThrow(cutOff)
  expect(await transfer(folder, url)).toMatchObject({
    code: 0,
    reported: expect.stringContaining('nothing was left to be done'),
  })
})

test('the connection breaks at the commit of an undoing: the same', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  expect(await transfer(folder, url)).toMatchObject({ code: 0 })
  proxy.change((way, bytes) =>
    way === 'request' && bytes.includes(commit) ? { do: 'cut', afterBytes: 0 } : { do: 'pass' },
  )
  const cut = await transfer(folder, throughProxy(url), '--undo')
  expect(cut).toMatchObject({ code: 1, reported: expect.stringContaining('the target may or may not be empty') })
  expect(await transfer(folder, url, '--undo')).toMatchObject({ code: 0 })
  await openFile(folder)
})

test('asked to end while it copies, it ends, and nothing has happened', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  proxy.change((way) => (way === 'answer' ? { do: 'delay', ms: 100 } : { do: 'pass' }))
  const moved = startRescind(transferArguments(), folder, { DATABASE_URL: throughProxy(url) })
  await until(() => moved.logs().includes('rows copied'), { limitMs: 60_000, what: () => `rows\n${moved.logs()}` })
  moved.signal('SIGTERM')
  expect(await moved.exited).toMatchObject({ code: 1 })
  expect(moved.logs()).toContain('stopped: nothing was changed')
  expect(await rowsOf(url)).toBe(0)
  await openFile(folder)
})

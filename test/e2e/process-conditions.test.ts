// What hinders the process, whatever its relayers do: a log that can't be written, and a database file that is no longer at its path.
// A limit of the size of files stands for a full disk: the log has a gigabyte already.
import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { copyFile, mkdtemp, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { parseExposition, readingOf } from '../support/exposition.ts'
import { cancel, inPool, mineUntil, pay, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const logBytes = 2 ** 30
let folder: string
let log: string
let stage: Stage<Anvil>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-log-'))
  log = join(folder, 'log')
  await writeFile(log, '')
  await truncate(log, logBytes)
  const redirected = `import { closeSync, openSync } from 'node:fs'; closeSync(1); openSync(${JSON.stringify(log)}, 'a')`
  stage = await anvilStage({
    requiredConfirmations: 1,
    relayers: { one: { max_in_flight: 1 } },
    service: {
      env: { LOG_LEVEL: 'debug' },
      nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(redirected)}`],
    },
  })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const conditions = async () => {
  const { body } = await stage.client.request('GET', '/ready')
  const { data } = body as { data: { conditions: readonly { condition: string; runbook: string }[] } }
  return data.conditions.map(({ condition }) => condition)
}
const shows = (...wanted: readonly string[]) =>
  until(async () => String(await conditions()) === String(wanted), { what: `the conditions ${wanted}` })

async function metric(name: string, labels: Readonly<Record<string, string>> = {}) {
  const text = await (await fetch(`${stage.service.metricsUrl}/metrics`)).text()
  return readingOf(parseExposition(text), name, labels)
}

function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(stage.service.pid), `--fsize=${bytes}:`])
}

/** After its empty gigabyte. */
async function logLines(): Promise<readonly Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  for await (const line of createInterface({ input: createReadStream(log, { start: logBytes }) }))
    lines.push(JSON.parse(line))
  return lines
}

test('a log that can’t be written costs its lines, and nothing else', async () => {
  const sender = stage.sender('one')
  limitFiles(logBytes)
  expect(await (await fetch(`${stage.service.url}/api/v1/health`)).text()).toBe('OK')
  const sent = await pay(stage, sender)
  const queued = await pay(stage, sender)
  expect((await cancel(stage, queued)).status).toBe('canceled')
  await mineUntil(stage, 'both', async () => (await view(stage, sent)).status === 'confirmed')
  await shows('log_lost')
  expect(await metric('rescind_process_condition', { condition: 'log_lost' })).toBe(1)
  expect(await metric('rescind_log_lines_lost_total')).toBeGreaterThan(0)

  limitFiles('unlimited')
  await shows()
  expect(await metric('rescind_process_condition', { condition: 'log_lost' })).toBe(0)
  const lost = (await logLines()).filter(({ msg }) => String(msg).startsWith('lines of the log are lost'))
  expect(lost).toEqual([expect.objectContaining({ level: 'warn', lines: expect.any(Number) })])
})

test('SIGTERM drains while the log can’t be written, and a start needs no log', async () => {
  limitFiles(logBytes)
  await stage.service.stop()
  await truncate(log, 0)
  await unlink(log)
  await symlink('/dev/full', log)
  await stage.service.restart()
  await shows('log_lost')
  await stage.service.stop()
  await unlink(log)
  await stage.service.restart()
  await shows()
})

test('a database file that is not at its path takes no new payload, and what is under way goes on', async () => {
  const sender = stage.sender('one')
  const path = join(stage.service.directory, 'rescind.db')
  const inFlight = await pay(stage, sender)
  const queued = await pay(stage, sender)
  await inPool(stage, sender, [1])

  await rename(path, `${path}.away`)
  await copyFile(`${path}.away`, path)
  const transactions = `/relayers/${sender.id}/transactions`
  const body = { to: sender.address, value: '1', gas_limit: 21_000, speed: 'fast' }
  const refused = {
    status: 503,
    headers: { 'relayer-error-code': 'DATABASE_UNAVAILABLE' },
    body: {
      message: expect.stringMatching(
        /^the database file or its .* was deleted or replaced .* nothing of this is stored$/,
      ),
    },
  }
  expect(await stage.client.request('POST', transactions, { body })).toMatchObject(refused)
  expect(await stage.client.request('POST', `${transactions}/batch`, { body: { transactions: [body] } })).toMatchObject(
    refused,
  )
  expect(await stage.client.request('PUT', `${transactions}/${queued.id}`, { body })).toMatchObject(refused)
  const sweep = { body: { to: sender.address } }
  expect(await stage.client.request('POST', `/relayers/${sender.id}/sweep`, sweep)).toMatchObject(refused)
  await shows('database_replaced')
  expect((await cancel(stage, queued)).status).toBe('canceled')
  await mineUntil(stage, 'both', async () => (await view(stage, inFlight)).status === 'confirmed')

  await unlink(path)
  await shows('database_replaced')
  expect(await metric('rescind_process_condition', { condition: 'database_replaced' })).toBe(1)
  await symlink(path, path)
  await shows('database_replaced')
  await unlink(path)
  await rename(`${path}.away`, path)
  await shows()
  const late = await pay(stage, sender)
  await mineUntil(stage, 'both', async () => (await view(stage, late)).status === 'confirmed')
})

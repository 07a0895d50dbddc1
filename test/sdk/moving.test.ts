// The page on moving from OpenZeppelin Relayer, against the service: its tables are true, and the check prints them.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { differentDefaults } from '../../src/cli/check/openzeppelin-differences.ts'
import { run } from '../../src/cli/run.ts'
import { variablesWithoutEffect } from '../../src/config/foreign-variables.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { statuses } from '../../src/domain/transaction.ts'
import { env, loadFile, rightFile } from '../config/workplace.ts'
import { type Serving, serve } from '../http/support/serve.ts'

let page: string
let server: Serving
beforeAll(async () => {
  page = await readFile(join(import.meta.dirname, '../../docs/moving-from-openzeppelin.md'), 'utf8')
  server = await serve()
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** The rows of the first table below a heading, cell by cell. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const section = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

test('the defaults that differ are those that the check prints', async () => {
  const shown = tableBelow('Defaults').map(([name, there, here]) => [name, there, here].flatMap(codesIn))
  expect(shown).toEqual(differentDefaults.map(({ name, there, here }) => [name, there, here]))
  const { HOST: _, METRICS_ENABLED: __, ...unset } = env as Record<string, string>
  const config = await loadFile(rightFile(), unset)
  expect(config.server.host).toBe(differentDefaults[0]?.here)
  expect(config.server.metrics).toBeDefined()
})

test('every variable without effect is listed once, and no other', () => {
  const listed = tableBelow('Variables without effect').flatMap(([names]) => codesIn(names))
  expect(listed.toSorted()).toEqual(variablesWithoutEffect.toSorted())
})

test.each([
  ['a plug-in', { plugins: [{ id: 'one', path: 'one.ts' }] }, /plugin/],
  ['a private pool', { policies: { private_transactions: true } }, /private_transactions/],
])('the file: %s is refused', async (_, { policies, ...members }: Record<string, unknown>, reason) => {
  const file = rightFile()
  if (policies) file.relayers[0] = { ...file.relayers[0], policies }
  await expect(loadFile({ ...file, ...members })).rejects.toThrow(reason)
})

test('the file: what it says is skipped, or narrower, is', async () => {
  const file = rightFile()
  const stellar = { id: 'other', network: 'testnet', network_type: 'stellar', signer_id: 'raw' }
  const narrowed = { ...file.relayers[0], policies: { whitelist_receivers: [] } }
  const { relayers, warnings } = await loadFile({ ...file, relayers: [narrowed, stellar] })
  expect(relayers).toHaveLength(1)
  expect(relayers[0]?.policies.whitelistReceivers).toEqual([])
  expect(warnings.some((warning) => warning.includes('stellar'))).toBe(true)
})

test('the statuses are those of the service', () => {
  const sentence = page.split('Both have these statuses: ')[1]?.split('.')[0]
  expect(codesIn(sentence)).toEqual(statuses)
})

test('every metric that it names exists, and its name is another than there', async () => {
  const documented = await readFile(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8')
  const rows = tableBelow('Metrics')
  expect(rows.length).toBeGreaterThan(5)
  for (const [there, here] of rows) {
    for (const name of codesIn(there)) expect(name).not.toMatch(/^rescind_/)
    for (const name of codesIn(here).filter((each) => each.startsWith('rescind_'))) {
      expect(documented, name).toContain(`| \`${name}\` |`)
    }
  }
})

const signed = JSON.stringify({ unsigned_xdr: 'AAAA' })

test('each route that does not exist answers as it says', async () => {
  const rows = tableBelow('Routes that do not exist here')
  expect(rows.length).toBeGreaterThan(3)
  for (const [route = ''] of rows) {
    const [method = '', path = ''] = codesIn(route)[0]?.split(' ') ?? []
    const filled = path.replace('{relayer_id}', 'one').replace('{plugin_id}', 'one')
    const posted = {
      headers: { 'content-type': 'application/json' },
      body: path.endsWith('sign-transaction') ? signed : '{}',
    }
    const { status, headers } = await server.ask(method, filled, method === 'POST' ? posted : {})
    expect([route, status, headers['relayer-error-code']]).toEqual([route, 400, 'NOT_SUPPORTED'])
  }
})

test('the headers and the form of a webhook are those of the page of events', async () => {
  const events = await readFile(join(import.meta.dirname, '../../docs/events.md'), 'utf8')
  const rows = new Map(tableBelow('Webhooks').map(([name = '', ...rest]) => [codesIn(name)[0] ?? name, rest]))
  for (const header of codesIn(rows.get('headers')?.join(' '))) expect(events).toContain(`\`${header}\``)
  for (const event of codesIn(rows.get('event')?.join(' '))) expect(events).toContain(`\`${event}\``)
})

async function check(folder: string) {
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const around = { env: {}, directory: tmpdir(), stop: new AbortController().signal, stdout, stderr, stdin }
  const exit = await run(['check', '--json', '--from-openzeppelin', folder], around)
  stdout.end()
  return {
    exit,
    findings: JSON.parse(await text(stdout)) as { level: string; place: string; check: string; text: string }[],
  }
}

async function inFolder<T>(file: object, settings: Record<string, string>, work: (folder: string) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-moving-'))
  try {
    await mkdir(join(folder, 'config'))
    await writeFile(join(folder, 'config/config.json'), JSON.stringify(file))
    const lines = Object.entries({ ...env, ...settings }).map(([name, value]) => `${name}=${value}`)
    await writeFile(join(folder, '.env'), lines.join('\n'))
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const movable = () => {
  const file = rightFile()
  const [relayer] = file.relayers
  return { ...file, relayers: [{ ...relayer, signer_id: 'raw' }] }
}

test('check --from-openzeppelin lists the differences, and ends with 0 where the old service still has the ports', async () => {
  await using old = await listening()
  const settings = { APP_PORT: String(old.port), REDIS_URL: 'redis://localhost:6379' }
  const { exit, findings } = await inFolder(movable(), settings, check)
  expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  expect(exit).toBe(0)
  const differing = findings.filter(({ place }) => place === 'differs').map((each) => each.check)
  expect(differing).toEqual(expect.arrayContaining(['HOST', 'METRICS_ENABLED', 'storage', 'history', 'metrics']))
  expect(findings.some((each) => each.text.includes('variables without effect on this service: REDIS_URL'))).toBe(true)
  expect(findings.find((each) => each.check === 'APP_PORT')).toMatchObject({ level: 'warning' })
})

test('it names each host that webhooks may not reach, and the setting that allows it', async () => {
  const [hook] = movable().notifications
  const file = {
    ...movable(),
    notifications: [
      { ...hook, url: 'http://10.1.2.3:9000/s3cr3t' },
      { ...hook, id: 'local', url: 'http://user:s3cr3t@localhost/hook' },
    ],
  }
  const { exit, findings } = await inFolder(file, { WEBHOOK_ALLOWED_HOSTS: 'localhost' }, check)
  expect(exit).toBe(0)
  expect(findings.filter((each) => each.check === 'WEBHOOK_ALLOWED_HOSTS')).toEqual([
    {
      ...{ level: 'warning', place: 'notification hook', check: 'WEBHOOK_ALLOWED_HOSTS' },
      text: 'no event is delivered to 10.1.2.3: its host is an internal address; if that is meant, add 10.1.2.3 to WEBHOOK_ALLOWED_HOSTS',
    },
    {
      ...{ level: 'ok', place: 'notification local', check: 'WEBHOOK_ALLOWED_HOSTS' },
      text: 'its host may be reached',
    },
  ])
  expect(JSON.stringify(findings)).not.toContain('s3cr3t')
  const [moving] = tableBelow('Webhooks').filter(([name]) => name?.includes('internal host'))
  expect(codesIn(moving?.join(' '))).toContain('WEBHOOK_ALLOWED_HOSTS')
})

test('it ends with 1 where the service would not start, and names the reason', async () => {
  const file = { ...movable(), plugins: [{ id: 'one', path: 'one.ts' }] }
  const { exit, findings } = await inFolder(file, {}, check)
  expect(exit).toBe(1)
  const errors = findings.filter(({ level }) => level === 'error')
  expect(errors).toMatchObject([{ check: expect.stringContaining('plugins') }])
  // Those that need no configuration.
  const differing = findings.filter(({ place }) => place === 'differs').map((each) => each.check)
  expect(differing).toEqual(['HOST', 'METRICS_ENABLED', 'history', 'metrics'])
})

test('what it says will start does', async () => {
  await inFolder(movable(), { HOST: '0.0.0.0' }, async (folder) => {
    const { exit, findings } = await check(folder)
    expect(exit).toBe(0)
    expect(findings.filter(({ place }) => place === 'differs').map((each) => each.check)).not.toContain('HOST')
    expect((await loadConfig({}, folder)).relayers).toHaveLength(1)
  })
})

async function listening() {
  const other = createServer((_, answer) => answer.end('an old service'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => other.close(() => resolve())) }
}

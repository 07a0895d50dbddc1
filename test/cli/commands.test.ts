// Every command that talks to the service, from the packed package, against the packed service and a real node.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type AttemptView, type Client, openClient, until } from '../../tooling/client.ts'
import { freePort } from '../../tooling/free-port.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { type Ran, start } from './support/packed.ts'

const to = devAccount(5).address
const main = join(inject('packed'), 'dist/main.js')
let anvil: Anvil
let service: Service
let client: Client
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-cli-'))
  anvil = await startAnvil({ mining: 'manual' })
  service = await startService({
    main: [main, 'start'],
    networks: [
      { name: 'local', rpcUrls: [anvil.url] },
      { name: 'apart', rpcUrls: [anvil.url] },
    ],
    relayers: [
      ...['one', 'two', 'three'].map((id, index) => ({ id, privateKey: devAccount(index).key })),
      { id: 'four', network: 'apart', privateKey: devAccount(3).key },
    ],
  })
  client = openClient(service.url, service.apiKey)
})
afterAll(async () => {
  await client?.close()
  await service?.[Symbol.asyncDispose]()
  await anvil?.stop()
  await rm(folder, { recursive: true, force: true })
})

const env = () => ({ API_KEY: service.apiKey, RESCIND_URL: service.url })
const rescind = (args: readonly string[], more: Readonly<Record<string, string>> = env()): Promise<Ran> =>
  start(main, args, { cwd: folder, env: more }).ended
const running = (args: readonly string[]) => start(main, args, { cwd: folder, env: env() })
const sendTo = async (relayer: string) => (await client.send(relayer, { to, value: '1', speed: 'fast' })).id
const untilStatus = (relayer: string, id: string, status: string) =>
  until(async () => (await client.get(relayer, id)).status === status, { what: status })

test('status lists the relayers, and -r names one', async () => {
  await until(async () => (await rescind(['status'])).stdout.includes('ether'), {
    what: 'the first look at the accounts',
  })
  const all = await rescind(['status'])
  expect(all).toMatchObject({ exit: 0, stderr: expect.stringContaining(`${service.url} is ready`) })
  expect(all.stdout).toMatch(/^RELAYER +NETWORK +ADDRESS +STATE +QUEUED +IN FLIGHT +BALANCE +READ +LASTS FOR\n/)
  expect(all.stdout).toMatch(/\none +local +0xf39F\w+ +ok +0 +0 +10,000 ether +\d+ s ago +-\n/)
  const one = await rescind(['status', '-r', 'two', '--json'])
  expect(one).toMatchObject({ exit: 0, stderr: '' })
  expect(JSON.parse(one.stdout)).toMatchObject({ ready: true, relayers: [{ id: 'two', state: 'ok', conditions: [] }] })
  expect(await rescind(['status', '-r', 'nobody'])).toMatchObject({
    exit: 3,
    stdout: '',
    stderr: expect.stringMatching(
      /RELAYER_NOT_FOUND.*\n {2}when: No relayer has this id\.\n[\s\S]*\n {2}relayers: four, one, three, two\n$/,
    ),
  })
})

test('a condition is shown with the address of its page, which the service serves', async () => {
  const { id } = await client.send('two', { to, value: `1${'0'.repeat(24)}`, gas_limit: 21_000, speed: 'fast' })
  await until(async () => (await client.get('two', id)).status_reason !== undefined, { what: 'a reason' })
  const page = `${service.url}/docs/runbook.md#balance_short`
  const all = await rescind(['status'])
  expect(all).toMatchObject({ exit: 6 })
  expect(all.stdout).toMatch(
    /\ntwo: balance_short for \d+ s: waits: the balance .*\n {2}top it up by: .* for the next transaction\n {2}what to do: \S+\n$/,
  )
  expect(all.stdout).toContain(`what to do: ${page}\n`)
  const json = JSON.parse((await rescind(['status', '-r', 'two', '--json'])).stdout)
  expect(json.relayers).toMatchObject([
    { conditions: [{ condition: 'balance_short', runbook: '/docs/runbook.md#balance_short' }] },
  ])
  const got = await rescind(['tx', 'get', id, '-r', 'two'])
  expect(got.stdout).toMatch(/\nreason +waits: the balance .*\nwhat to do +\S+\n/)
  expect(got.stdout).toContain(page)
  const served = await fetch(page, { headers: { accept: 'text/html' } })
  expect(await served.text()).toContain('<h3 id="balance_short">')
  expect(await rescind(['cancel', id, '-r', 'two'])).toMatchObject({ exit: 0 })
  await until(async () => !(await rescind(['status'])).stdout.includes('what to do'), { what: 'no condition' })
})

test('a balance that is low is a warning with its page, and changes neither the state nor the exit code', async () => {
  expect(await rescind(['policies', 'set', 'low_balance', '20000ether', '-r', 'three'])).toMatchObject({ exit: 0 })
  const warned = async () => {
    const status = await rescind(['status', '-r', 'three'])
    return status.stdout.includes('warning') ? status : undefined
  }
  const status = await until(warned, { what: 'the warning' })
  expect(status.exit).toBe(0)
  expect(status.stdout).toMatch(/\nthree +\S+ +0x\w+ +ok /)
  expect(status.stdout).toMatch(
    /\nthree: warning balance_low for \d+ s: the balance \(10,000 ether\) is low: .*\n {2}what to do: \S+#rescindtopupsoon\n/,
  )
  await rescind(['policies', 'remove', 'low_balance', '-r', 'three'])
  await until(async () => (await warned()) === undefined, { what: 'the end of the warning' })
})

test('the address comes from --url, RESCIND_URL or APP_PORT, and the key from the environment or .env', async () => {
  const { port } = new URL(service.url)
  const nowhere = `http://127.0.0.1:${await freePort()}`
  expect(await rescind(['keys', 'list', '--url', service.url], { ...env(), RESCIND_URL: nowhere })).toMatchObject({
    exit: 0,
  })
  await writeFile(join(folder, '.env'), `API_KEY=${service.apiKey}\nAPP_PORT=${port}\n`)
  expect(await rescind(['keys', 'list'], {})).toMatchObject({ exit: 0, stderr: '' })
  await rm(join(folder, '.env'))
  expect(await rescind(['keys', 'list'], { RESCIND_URL: service.url })).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('API_KEY is not set'),
  })
  expect(await rescind(['keys', 'list'], { API_KEY: 'wrong', RESCIND_URL: service.url })).toMatchObject({
    exit: 3,
    stderr: expect.stringMatching(
      /UNAUTHORIZED[\s\S]+\n {2}when: The bearer token is missing.*\n[\s\S]*API_KEY.*\.env/,
    ),
  })
  expect(await rescind(['status'], { ...env(), RESCIND_URL: nowhere })).toMatchObject({
    exit: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^rescind: the connection to ${nowhere} failed \\(ECONNREFUSED\\); .*RESCIND_URL.*\\.env\n$`),
    ),
  })
})

test.each([
  [['tx', 'list'], 'there are 4 relayers: name one with -r (four, one, three, two)'],
  [['tx', 'list', '-r', 'one', '--per-page', '1000'], '--per-page: "1000" is no whole number from 1 to 100'],
  [['tx', 'list', '--status', 'odd'], 'Allowed choices are pending'],
  [['tx', 'list', '--created-from', 'lately'], '--created-from: "lately" is no time; write 30m'],
  [['send', '-r', 'one', '--to', to, '--value', '1.5'], '--value: "1.5" is no amount'],
  [['send', '-r', 'one', '--value', '1'], '--to is missing'],
  [['cancel', '-r', 'one'], 'name a transaction by its id'],
  [['cancel', 'x', '--all'], 'exclude each other'],
  [['keys', 'create', '--name', 'x', '--scope', 'all'], '--scope: "all" is none of'],
  [['status', '--url', 'ftp://x'], '--url gives no http or https URL'],
  [['status', '--api-key=hidden'], 'a key does not belong on a command line'],
  [['tx', 'drop'], "unknown command 'drop'"],
  [['tx', 'lst'], 'Did you mean list?'],
  [['status', '--jsn'], 'Did you mean --json?'],
  [['status', '--odd'], "unknown option '--odd'"],
])('a wrong call ends with 2: %j', async (args, message) => {
  const ran = await rescind(args)
  expect(ran).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining(message) })
  expect(ran.stderr).not.toContain('hidden')
})

test('send prints the id, sends at most once under a key, and a refusal ends with 3', async () => {
  const args = ['send', '-r', 'three', '--to', to, '--value', '1.5gwei', '--idempotency-key', 'payment-1']
  const sent = await rescind([...args, '--speed', 'fast'])
  expect(sent).toMatchObject({ exit: 0, stderr: expect.stringContaining('rescind tx watch') })
  const again = await rescind([...args, '--speed', 'fast', '--json'])
  expect(again).toMatchObject({ exit: 0, stderr: '' })
  expect(JSON.parse(again.stdout)).toMatchObject({ id: sent.stdout.trim(), value: '1500000000' })
  expect(await rescind(args.with(6, '2'))).toMatchObject({
    exit: 3,
    stdout: '',
    stderr: expect.stringContaining('IDEMPOTENCY_KEY_REUSED'),
  })
  const tooLow = ['send', '-r', 'three', '--to', to, '--value', '1', '--gas-limit', '20000']
  expect(await rescind(tooLow)).toMatchObject({ exit: 3, stderr: expect.stringContaining('GAS_LIMIT_TOO_LOW') })
  expect(await rescind(['send', '-r', 'three', '--to', '0x1', '--value', '1'])).toMatchObject({ exit: 2 })
})

test('tx list and tx get show transactions, verdicts and attempts', async () => {
  const id = await sendTo('three')
  await untilStatus('three', id, 'submitted')
  const listed = await rescind(['tx', 'list', '-r', 'three', '--per-page', '1'])
  expect(listed).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^page 1 of \d+, \d+ transactions; for older ones: --before \d+-\d+\n$/),
  })
  expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${id} +submitted +\\d+ +0\\.000000001 gwei +${to}`))
  const [listedJson] = JSON.parse((await rescind(['tx', 'list', '-r', 'three', '--per-page', '1', '--json'])).stdout)
  expect(listedJson).toMatchObject({ id, status: 'submitted' })
  const filtered = await rescind(['tx', 'list', '-r', 'three', '--status', 'failed', '--json'])
  expect(filtered).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' })
  const narrow = ['--to', to, '--created-from', '1h', '--value-to', '1', '--text', id.slice(0, 30)]
  const narrowed = await rescind(['tx', 'list', '-r', 'three', ...narrow, '--json'])
  expect(JSON.parse(narrowed.stdout)).toMatchObject([{ id }])
  const older = await rescind(['tx', 'list', '-r', 'three', '--before', id, '--per-page', '1', '--json'])
  expect(JSON.parse(older.stdout)).toMatchObject([{ value: '1500000000' }])
  const got = await rescind(['tx', 'get', id, '-r', 'three', '--attempts'])
  expect(got).toMatchObject({ exit: 0, stderr: '' })
  expect(got.stdout).toMatch(new RegExp(`^id +${id}\\n`))
  // Repeated meanwhile on a slow machine, the node has it already.
  expect(got.stdout).toMatch(/\n0x[0-9a-f]{64} +execute +\d+ +[\d.]+ gwei +handed +(accepted|alreadyKnown)\n/)
  const json = JSON.parse((await rescind(['tx', 'get', id, '-r', 'three', '--attempts', '--json'])).stdout)
  expect(json).toMatchObject({ id, status: 'submitted', attempts: [{ kind: 'execute' }] })
  expect(await rescind(['tx', 'get', 'x', '-r', 'three'])).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('TRANSACTION_NOT_FOUND'),
  })
})

test('tx watch follows a transaction until it is confirmed', async () => {
  const id = await sendTo('two')
  await untilStatus('two', id, 'submitted')
  expect(await rescind(['tx', 'watch', id, '-r', 'two', '--timeout', '1'])).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('undecided: the transaction is submitted'),
  })
  const watching = running(['tx', 'watch', id, '-r', 'two'])
  await until(() => watching.stdout().includes('submitted'), { what: 'the first line' })
  await anvil.mine(3)
  const watched = await watching.ended
  expect(watched).toMatchObject({ exit: 0, stderr: '' })
  expect(watched.stdout).toMatch(/^submitted +0x[\s\S]*\nconfirmed +0x/)
  const lines = (await rescind(['tx', 'watch', id, '-r', 'two', '--json'])).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(['confirmed'])
})

test('a cancellation is undecided until it is final, and 0 means that the payload never executes', async () => {
  const id = await sendTo('one')
  await untilStatus('one', id, 'submitted')
  const racing = await rescind(['cancel', id, '-r', 'one'])
  expect(racing).toMatchObject({ exit: 5, stderr: expect.stringContaining('racing: a no-op and the original compete') })
  expect(racing.stdout).toMatch(/\nverdict +racing, not final\nsafe to retry +no\n/)
  const waiting = running(['cancel', id, '-r', 'one', '--wait', '60', '--json'])
  await until(async () => (await client.attempts('one', id)).some(({ kind }) => kind === 'cancel'), { what: 'a no-op' })
  await until(
    async () => {
      await anvil.mine()
      return (await client.cancellation('one', id)).final
    },
    { what: 'a final verdict', everyMs: 200 },
  )
  const won = await waiting.ended
  expect(won).toMatchObject({ exit: 0, stderr: '' })
  expect(JSON.parse(won.stdout)).toMatchObject({ transaction_id: id, state: 'won', final: true, safe_to_retry: true })
  expect(await rescind(['tx', 'watch', id, '-r', 'one'])).toMatchObject({ exit: 0 })
  const shown = await rescind(['tx', 'get', id, '-r', 'one'])
  expect(shown.stdout).toMatch(/\nverdict +won, final\n/)
})

test('cancel --all needs an answer or --yes, and makes a bulk cancellation', async () => {
  const ids = [await sendTo('one'), await sendTo('one')]
  for (const id of ids) await untilStatus('one', id, 'submitted')
  const unanswered = await rescind(['cancel', '--all', '-r', 'one'])
  expect(unanswered).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringMatching(/transactions +2\nfree +0\nno-ops +2\n[\s\S]*add --yes/),
  })
  expect(await untilStatus('one', ids[0] ?? '', 'submitted')).toBe(true)
  expect(await inProcess(['cancel', '--all', '-r', 'one'], 'n\n')).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('nothing was canceled'),
  })
  const canceled = await inProcess(['cancel', '--all', '-r', 'one'], 'y\n')
  expect(canceled).toMatchObject({ exit: 5, stderr: expect.stringContaining('2 canceled: 0 dropped, 2 racing') })
  await until(
    async () => {
      await anvil.mine()
      return (await Promise.all(ids.map((id) => client.cancellation('one', id)))).every(({ final }) => final)
    },
    { what: 'the verdicts', everyMs: 200 },
  )
  const empty = await rescind(['cancel', '--all', '-r', 'one', '--yes', '--json'])
  expect(empty.exit).toBe(0)
  expect(JSON.parse(empty.stdout)).toMatchObject({ relayers: ['one'], final: true, counts: { racing: 0 } })
})

test('a relayer is paused and resumed, and its conditions are acknowledged until they are over', async () => {
  expect(await rescind(['pause', '-r', 'two'])).toMatchObject({ exit: 0, stdout: 'two is paused\n', stderr: '' })
  expect(await rescind(['send', '-r', 'two', '--to', to, '--value', '1'])).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('RELAYER_PAUSED'),
  })
  const shows = (text: string) =>
    until(async () => (await rescind(['status', '-r', 'two'])).stdout.includes(text), { what: text })
  await shows('two: paused for ')
  const noted = await rescind(['acknowledge', 'paused', '-r', 'two', '--note', 'until\u202e Monday'])
  expect(noted).toMatchObject({ exit: 0, stdout: 'two: paused is acknowledged\n', stderr: '' })
  const status = await rescind(['status', '-r', 'two'])
  expect(status.stdout).toMatch(/\ntwo: paused for .+; acknowledged \d+ s ago: until\\u202e Monday\n/)
  const withdrawn = await rescind(['acknowledge', 'paused', '-r', 'two', '--withdraw', '--json'])
  expect(JSON.parse(withdrawn.stdout)).toMatchObject({ condition: 'paused' })
  expect(await rescind(['acknowledge', 'balance_short', '-r', 'two'])).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('it has paused (CONDITION_NOT_FOUND'),
  })
  expect(await rescind(['resume', '-r', 'two'])).toMatchObject({ exit: 0, stdout: 'two sends again\n' })
  await shows(' ok ')
})

test('a network is paused with its relayers, and resumed without those that were paused themselves', async () => {
  const paused = await rescind(['pause', '--network', 'apart', '--note', 'it\u202e halted'])
  expect(paused).toMatchObject({ exit: 0, stdout: 'apart is paused, with 1 relayer\n', stderr: '' })
  expect(await rescind(['send', '-r', 'four', '--to', to, '--value', '1'])).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('network "apart" is paused: relayer "four" takes no new transactions'),
  })
  const status = await rescind(['status'])
  expect(status.stdout).toMatch(/\nfour +apart .* paused .*\n/)
  expect(status.stdout).toMatch(/\nnetwork apart: paused \d+ s ago by [\w-]+: it\\u202e halted\n/)
  expect(await rescind(['resume', '-r', 'four'])).toMatchObject({ stdout: 'four stays paused with its network\n' })
  expect(await rescind(['pause', '-r', 'four'])).toMatchObject({ exit: 0, stdout: 'four is paused\n' })
  expect(await rescind(['resume', '--network', 'evm:apart'])).toMatchObject({
    exit: 0,
    stdout: 'apart is not paused any more, with 1 relayer\n',
    stderr: expect.stringContaining('still paused themselves: four'),
  })
  expect(await rescind(['resume', '-r', 'four'])).toMatchObject({ exit: 0, stdout: 'four sends again\n' })
  const json = JSON.parse((await rescind(['resume', '--network', 'apart', '--json'])).stdout)
  expect(json).toMatchObject({ id: 'evm:apart' })
  expect(json).not.toHaveProperty('pause')
  expect(await rescind(['pause', '--network', 'apart', '-r', 'four'])).toMatchObject({ exit: 2 })
  expect(await rescind(['pause', '-r', 'four', '--note', 'x'])).toMatchObject({ exit: 2 })
  const missing = await rescind(['pause', '--network', 'nowhere'])
  expect(missing).toMatchObject({ exit: 3, stderr: expect.stringContaining('NETWORK_NOT_FOUND') })
})

test('policies are shown, set in the units of people, and removed', async () => {
  const set = (...args: string[]) => rescind(['policies', 'set', '-r', 'two', ...args])
  expect(await set('gas_price_cap', '50.5gwei')).toMatchObject({
    exit: 0,
    stdout: 'two: gas_price_cap is 50.5gwei\n',
  })
  expect(await set('max_in_flight', '3')).toMatchObject({ exit: 0, stdout: 'two: max_in_flight is 3\n' })
  expect(await set('skip_unfunded', 'true')).toMatchObject({ exit: 0, stdout: 'two: skip_unfunded is true\n' })
  expect(await set('value_cap', '1234.5ether')).toMatchObject({
    exit: 0,
    stdout: 'two: value_cap is 1234.5ether\n',
  })
  expect(await set('whitelist_receivers', `["${to}"]`)).toMatchObject({ exit: 0, stdout: expect.stringContaining(to) })
  const shown = await rescind(['policies', 'show', '-r', 'two'])
  expect(shown.stdout).toMatch(/\ngas_price_cap +50\.5gwei\n[\s\S]*\nmax_in_flight +3\n/)
  const text = await set('whitelist_receivers', to)
  expect(text).toMatchObject({ exit: 3, stderr: expect.stringMatching(/whitelist_receivers.*is not/) })
  const wrong = await set('gas_price_capp', '1')
  expect(wrong).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('gas_price_cap') })
  expect(await set('gas_price_cap', '1.5eth')).toMatchObject({ exit: 2, stderr: expect.stringContaining('1.5eth') })
  for (const name of ['gas_price_cap', 'max_in_flight', 'skip_unfunded', 'value_cap', 'whitelist_receivers'])
    expect(await rescind(['policies', 'remove', name, '-r', 'two'])).toMatchObject({ exit: 0, stderr: '' })
  expect((await rescind(['policies', 'show', '-r', 'two'])).stdout).not.toContain('gas_price_cap')
})

test('send waits for the end, and tx replace gives a transaction another payload', async () => {
  const waiting = running(['send', '-r', 'two', '--to', to, '--value', '1', '--speed', 'fast', '--wait', '60'])
  await until(() => waiting.stdout() !== '', { what: 'the id' })
  const id = waiting.stdout().trim()
  await untilStatus('two', id, 'submitted')
  const replaced = await rescind([
    'tx',
    'replace',
    id,
    '-r',
    'two',
    '--to',
    to,
    '--value',
    '2',
    '--speed',
    'fast',
    '--json',
  ])
  expect(JSON.parse(replaced.stdout)).toMatchObject({ id, value: '2' })
  const inPool = async () => {
    const found = (await client.attempts('two', id)).find(({ kind }) => kind === 'replace')
    return found && (await anvil.rpc('eth_getTransactionByHash', [found.hash])) !== null
  }
  await until(inPool, { what: 'the other payload in the pool' })
  await until(
    async () => {
      await anvil.mine(3)
      return (await client.get('two', id)).status === 'confirmed'
    },
    { what: 'its block', everyMs: 200 },
  )
  expect(await waiting.ended).toMatchObject({
    exit: 0,
    stdout: `${id}\n`,
    stderr: expect.stringMatching(/\nconfirmed\n$/),
  })
  expect(await client.get('two', id)).toMatchObject({ value: '2' })
  expect(await rescind(['tx', 'replace', id, '-r', 'two', '--to', to, '--value', '3'])).toMatchObject({ exit: 3 })
  const late = await rescind(['send', '-r', 'two', '--to', to, '--value', '1', '--wait', '1'])
  expect(late).toMatchObject({ exit: 5, stderr: expect.stringContaining('undecided') })
  await anvil.mine(3)
  await untilStatus('two', late.stdout.trim(), 'confirmed')
})

test('cancel --all waits for the verdicts', async () => {
  const ids = [await sendTo('four'), await sendTo('four'), await sendTo('four')]
  for (const id of ids) await untilStatus('four', id, 'submitted')
  const canceling = running(['cancel', '--all', '-r', 'four', '--yes', '--wait', '60'])
  for (const id of ids) await noOpInPool('four', id)
  await until(
    async () => {
      await anvil.mine()
      return canceling.child.exitCode !== null
    },
    { what: 'the end of the command', everyMs: 300, limitMs: 60_000 },
  )
  expect(await canceling.ended).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('3 canceled: 0 dropped, 0 racing, 3 won'),
  })
})

test('a key that may only cancel does so', async () => {
  const created = await rescind(['keys', 'create', '--name', 'pager', '--scope', 'cancel', '-r', 'four'])
  const only = { API_KEY: created.stdout.trim(), RESCIND_URL: service.url }
  const id = await sendTo('four')
  await untilStatus('four', id, 'submitted')
  expect(await rescind(['cancel', '--all', '-r', 'four', '--yes'], only)).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('1 canceled: 0 dropped, 1 racing'),
  })
  expect((await client.get('four', id)).status).toBe('canceled')
})

test('more gap fillers are permitted, within bounds, for a relayer that is named', async () => {
  const permitted = await rescind(['gaps', 'permit', '-r', 'two', '--count', '300', '--for', '60'])
  expect(permitted).toMatchObject({ exit: 0, stderr: '' })
  expect(permitted.stdout).toMatch(/^two may fill 300 more nonces until 20\d\d-\S+Z\n$/)
  const { stdout } = await rescind(['gaps', 'permit', '-r', 'two', '--count', '1', '--json'])
  const { count, granted_at: from, valid_until: until } = JSON.parse(stdout)
  expect([count, Date.parse(until) - Date.parse(from)]).toEqual([1, 3_600_000])
  expect(await rescind(['gaps', 'permit', '-r', 'nobody', '--count', '1'])).toMatchObject({ exit: 3, stdout: '' })
  expect(await rescind(['gaps', 'permit', '-r', 'two', '--count', '5001'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--count'),
  })
})

test('keys are created, listed and revoked; the key alone is on stdout', async () => {
  const created = await rescind(['keys', 'create', '--name', 'billing', '--scope', 'read,send', '-r', 'two'])
  expect(created).toMatchObject({ exit: 0, stderr: expect.stringContaining('shown this once') })
  const key = created.stdout.trim()
  expect(key).toMatch(/^rescind_[\w-]{43}$/)
  const only = { API_KEY: key, RESCIND_URL: service.url }
  expect(await rescind(['tx', 'list'], only)).toMatchObject({ exit: 0 })
  expect(await rescind(['keys', 'list'], only)).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('SCOPE_MISSING'),
  })
  const listed = await rescind(['keys', 'list', '--json'])
  const [{ id, hint }] = JSON.parse(listed.stdout)
  expect(key.startsWith(hint)).toBe(true)
  expect((await rescind(['keys', 'list'])).stdout).toMatch(
    new RegExp(`\\n${id} +billing +${hint}… +read,send +two +valid`),
  )
  expect(await rescind(['keys', 'revoke', id])).toMatchObject({ exit: 0, stderr: '' })
  expect(await rescind(['tx', 'list'], only)).toMatchObject({ exit: 3 })
})

async function noOpInPool(relayer: string, id: string): Promise<AttemptView> {
  return until(
    async () => {
      const found = (await client.attempts(relayer, id)).find(({ kind }) => kind === 'cancel')
      return found && (await anvil.rpc('eth_getTransactionByHash', [found.hash])) !== null && found
    },
    { what: 'a no-op in the pool' },
  )
}

test('sweep shows the account and waits for a y, and the balance goes away', async () => {
  await anvil.mine(3)
  const receiver = '0x00000000000000000000000000000000000000b7'
  const args = ['sweep', 'three', '--to', receiver]
  expect(await rescind(['sweep', 'three'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('--to') })
  const typo = await rescind(['sweep', 'three', '--to', receiver.slice(0, -1)])
  expect(typo).toMatchObject({ exit: 2, stderr: expect.stringMatching(/--to: "0x0+b" is no address; write 0x and 40/) })
  expect(await rescind(args)).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('add --yes') })
  expect(await rescind(['sweep', 'nobody', '--to', receiver, '--yes'])).toMatchObject({ exit: 3 })
  const refused = await inProcess(args, 'n\n')
  expect(refused).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringContaining('nothing was swept') })
  expect(refused.stderr).toMatch(/account +0x3C44\w+[\s\S]+balance +10,000 ether[\s\S]+to +0x0{38}b7/)
  await client.cancelPending('three')
  const swept = await inProcess(args, 'y\n')
  expect(swept).toMatchObject({ exit: 0, stderr: expect.stringContaining('rescind tx watch') })
  const again = await rescind([...args, '--yes', '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ transaction: { id: swept.stdout.trim() } })
  const other = await rescind(['sweep', 'three', '--to', to, '--yes'])
  expect(other).toMatchObject({ exit: 3, stderr: expect.stringContaining('SWEEP_UNDER_WAY') })
  await until(
    async () => {
      await anvil.mine()
      return (await client.get('three', swept.stdout.trim())).status === 'confirmed'
    },
    { what: 'the sweep to be confirmed' },
  )
  const balance = await anvil.rpc<string>('eth_getBalance', [receiver, 'latest'])
  expect(BigInt(balance)).toBeGreaterThan(9_999n * 10n ** 18n)
})

/** With a person at a terminal, who types `answer`. */
async function inProcess(args: readonly string[], answer: string): Promise<Ran> {
  const [stdin, output] = [new PassThrough(), new PassThrough()]
  const read = { stdout: '', stderr: '' }
  output.setEncoding('utf8').on('data', (chunk: string) => {
    read.stderr += chunk
    if (chunk.includes('[y/N]')) stdin.write(answer)
  })
  const exit = await run(args, {
    env: { ...env(), NO_COLOR: '1' },
    directory: folder,
    stop: new AbortController().signal,
    stdin: Object.assign(stdin, { isTTY: true }),
    stdout: { write: (text) => (read.stdout += text) },
    stderr: Object.assign(output, { isTTY: true }),
  })
  return { exit, ...read }
}

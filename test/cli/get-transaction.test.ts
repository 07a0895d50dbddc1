// What `tx get` shows of a transaction on hold: the payload that its digest names, in full. And what `tx replace` says of it.
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { attempt, put, receiver, transaction } from '../http/support/rows.ts'
import { apiKey, type Serving, serve } from '../http/support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllGlobals())

async function rescind(...args: readonly string[]) {
  const read = { stdout: '', stderr: '' }
  const stderr = new PassThrough()
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    read.stderr += chunk
  })
  const exit = await run(args, {
    env: { API_KEY: apiKey, RESCIND_URL: server.url, NO_COLOR: '1' },
    directory: tmpdir(),
    stop: new AbortController().signal,
    stdin: new PassThrough(),
    stdout: { write: (text) => (read.stdout += text) },
    stderr,
  })
  return { exit, ...read }
}

const at = (id: string, rest = '') => `/api/v1/relayers/one/transactions/${id}${rest}`
const headers = { 'content-type': 'application/json' }

async function onHold(body: object): Promise<string> {
  const sent = await server.send('one', { to: receiver, value: '1', hold: true, ...body })
  expect(sent).toMatchObject({ status: 200 })
  return sent.body.data.id
}

/** As the approver computes it from the payload (docs/security.md). */
function digestOf(payload: object): string {
  const sorted = Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)))
  return `0x${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`
}

/** Each time that a command has read the trace, and before its next request. */
function replaceAfterTrace(id: string, payload: object): void {
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
    const answer = await fetch(...args)
    if (String(args[0]).endsWith('/trace')) {
      const put = await server.ask('PUT', at(id), { headers, body: JSON.stringify(payload) })
      expect(put).toMatchObject({ status: 200 })
    }
    return answer
  })
}

test('a PUT between its requests: the payload on the screen is that of the digest beside it', async () => {
  const id = await onHold({ value: '7', data: '0x01', gas_limit: 60_000 })
  const other = '0x00000000000000000000000000000000000000b7'
  replaceAfterTrace(id, { to: other, value: '8', data: '0x02', gas_limit: 70_000, gas_price: '1000000001' })
  const { stdout, exit } = await rescind('tx', 'get', id, '-r', 'one')
  expect(exit).toBe(0)
  const hold = (await server.ask('GET', at(id, '/hold'))).body.data
  expect(stdout).toContain(`\npayload digest  ${hold.payload_digest}\n`)
  expect(digestOf(hold.payload)).toBe(hold.payload_digest)
  expect(stdout).toMatch(new RegExp(`\nto +${other}\n`))
  expect(stdout).toMatch(/\nvalue +8 wei/)
  expect(stdout).toMatch(/\ndata +0x02\n/)
  expect(stdout).toMatch(/\ngas limit +70000\n/)
  expect(stdout).toMatch(/\ngas price +1000000001 wei/)
  expect(stdout).not.toMatch(/\nspeed /)
  expect(stdout).not.toContain(receiver)
})

test('a PUT between its requests: with --json each member is that of the payload', async () => {
  const id = await onHold({ value: '7', data: '0x01', gas_limit: 60_000, gas_price: '1000000001' })
  replaceAfterTrace(id, { value: '0', data: '0x02', speed: 'fastest', gas_limit: 100_000 })
  const { hold, wait, ...shown } = JSON.parse((await rescind('tx', 'get', id, '-r', 'one', '--json')).stdout)
  expect(hold.payload).toMatchObject({ value: '0', data: '0x02', speed: 'fastest' })
  expect(wait).toMatchObject({ condition: 'on_hold' })
  expect(shown).toEqual((await server.ask('GET', at(id))).body.data)
})

test('on hold every member of the payload is shown, and amounts have all their digits', async () => {
  const key = `0x${'0'.repeat(63)}1`
  const id = await onHold({
    value: '1234567890123456789',
    data: '0xa9059cbb',
    gas_limit: 60_000,
    max_fee_per_gas: '1234567891',
    max_priority_fee_per_gas: '1000000001',
    allow_out_of_gas: true,
    access_list: [
      { address: receiver, storage_keys: [key, key] },
      { address: receiver, storage_keys: [] },
    ],
    valid_until: '2099-01-02T03:04:05.000Z',
  })
  const { stdout } = await rescind('tx', 'get', id, '-r', 'one')
  const shown = stdout.split('\n').map((line) => line.split(/ {2,}/))
  const { payload } = (await server.ask('GET', at(id, '/hold'))).body.data
  expect(shown).toEqual(
    expect.arrayContaining([
      ['id', id],
      ['relayer', 'one'],
      ['from', payload.from],
      ['to', payload.to],
      ['value', '1234567890123456789 wei = 1.234567890123456789 ether'],
      ['data', '0xa9059cbb'],
      ['gas limit', '60000'],
      ['max fee', '1234567891 wei = 1.234567891 gwei'],
      ['max tip', '1000000001 wei = 1.000000001 gwei'],
      ['allow out of gas', 'true'],
      ['access list', `${payload.access_list[0].address} ${key} ${key}`],
      ['access list', `${payload.access_list[1].address} without storage keys`],
      ['expires', '2099-01-02T03:04:05.000Z'],
    ]),
  )
  const labels = shown.map(([label]) => label)
  const rows = labels.slice(labels.indexOf('from'), labels.indexOf('created'))
  // Its ids stand above, and the access list has two lines.
  expect(rows).toHaveLength(Object.keys(payload).length - 2 + 1)
})

test('a speed is shown, and a contract creation', async () => {
  const sent = await server.send('one', { value: '0', data: '0x00', speed: 'fastest', hold: true, gas_limit: 100_000 })
  expect(sent).toMatchObject({ status: 200 })
  const { stdout } = await rescind('tx', 'get', sent.body.data.id, '-r', 'one')
  expect(stdout).toMatch(/\nto +a contract creation\n/)
  expect(stdout).toMatch(/\nvalue +0 wei\n/)
  expect(stdout).toMatch(/\nspeed +fastest\n/)
})

test('tx replace says that the earlier payload may be mined only of a transaction with a nonce', async () => {
  const id = await onHold({})
  const replaced = await rescind('tx', 'replace', id, '-r', 'one', '--to', receiver, '--value', '3')
  expect(replaced).toMatchObject({ exit: 0, stdout: `${id}\n` })
  expect(replaced.stderr).toMatch(/^stored: "rescind tx watch/)
  expect(replaced.stderr).not.toContain('may still be mined')
  const inFlight = transaction('sent', { phase: 'inFlight', nonce: 7, attempts: [attempt('sent' as never, 1)] })
  await put(server.store, inFlight)
  const racing = await rescind('tx', 'replace', 'sent', '-r', 'one', '--to', receiver, '--value', '3')
  expect(racing).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('the earlier payload may still be mined until this one is: "rescind tx watch sent'),
  })
})

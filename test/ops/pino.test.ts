// The log's lines, as a collector reads them.
import pg from 'pg'
import { expect, test } from 'vitest'
import { openLogger } from '../../src/ops/pino.ts'
import { readableLog } from '../../src/ops/readable-log.ts'
import { secretUrl } from '../../src/ops/secret.ts'

function listening(level: 'debug' | 'info' | 'warn' = 'info') {
  const texts: string[] = []
  const log = openLogger({ level, destination: { write: (text) => void texts.push(text) } })
  return { log, texts, lines: () => texts.map((text) => JSON.parse(text) as Record<string, unknown>) }
}

test('a line has level, time, bound ids, facts and message, and nothing of the machine', () => {
  const { log, lines } = listening()
  const child = log.child({ request_id: 'r1', relayer_id: 'local' }).child({ transaction_id: 't1' })
  child.info({ nonce: 7, wei: 10n ** 20n }, 'sent')
  const [line] = lines()
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    request_id: 'r1',
    relayer_id: 'local',
    transaction_id: 't1',
    nonce: 7,
    wei: 1e20,
    msg: 'sent',
  })
})

test('what a terminal would obey is escaped, and reads as it was', () => {
  const { log, texts, lines } = listening()
  const id = 'a\u0000\u001b[2J\u007f\u009b31m\u0085\u2028\u202eb\u2066\n'
  log.info({ id }, `unknown ${id}`)
  expect(texts.join('').slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\u202e\u2066]/u)
  expect(lines()[0]).toMatchObject({ id, msg: `unknown ${id}` })
})

test('below its level nothing is written', () => {
  const { log, texts } = listening('warn')
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({}, 'c')
  log.error({}, 'd')
  expect(texts).toHaveLength(2)
})

test('an error is logged with its causes', () => {
  const { log, lines } = listening()
  log.error({ err: new Error('outer', { cause: new TypeError('inner', { cause: new Error('root') }) }) }, 'failed')
  expect(lines()[0]).toMatchObject({
    err: {
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('pino.test'),
      cause: { type: 'TypeError', message: 'inner', cause: { message: 'root' } },
    },
  })
})

test('credentials are struck out wherever a request or an error carries them', () => {
  const { log, texts } = listening()
  const headers = { authorization: 'Bearer S3CRET', cookie: 'S3CRET', accept: 'x' }
  const err = Object.assign(new Error('e'), { headers })
  log.info({ authorization: 'S3CRET', headers, req: { headers }, request: { headers }, err }, 'request')
  log.child({ headers }).info({ other: { Authorization: 'S3CRET' } }, 'request')
  log.info({ url: secretUrl(new URL('https://rpc.example/S3CRET')) }, 'endpoint')
  expect(texts.join('')).not.toContain('S3CRET')
  expect(texts.join('')).toContain('"accept":"x"')
  expect(texts.join('')).toContain('"url":"rpc.example"')
})

test('an error of the database is logged by its code, and with nothing of its connection', async () => {
  const { log, texts, lines } = listening()
  const client = new pg.Client('postgres://user:S3CRET@127.0.0.1:1/S3CRET')
  Object.assign(client, { processID: 4_711, secretKey: 1_234_567 })
  const lost = new pg.DatabaseError('terminating connection due to administrator command', 1, 'error')
  const err = Object.assign(lost, { code: '57P01', client, detail: 'Failing row contains (S3CRET)', where: 'S3CRET' })
  log.warn({ err }, 'a connection to the database was lost')
  log.warn({ err: new Error('outer', { cause: err }) }, 'request failed')
  log.warn({ error: new AggregateError([err], 'several') }, 'no address answered')
  const of = { type: 'DatabaseError', message: lost.message, stack: expect.any(String), code: '57P01' }
  expect(lines()).toMatchObject([{ err: of }, { err: { cause: of } }, { error: { aggregateErrors: [of] } }])
  const [reported] = lines() as [{ err: object }]
  expect(Object.keys(reported.err).sort()).toEqual(['code', 'message', 'stack', 'type'])
  expect(texts.join('')).not.toMatch(/S3CRET|4711|1234567|secretKey|connection_?parameters/i)
})

test('an error that is its own cause ends', () => {
  const { log, lines } = listening()
  const err = new Error('round')
  err.cause = err
  log.error({ err }, 'failed')
  expect(lines()[0]).toMatchObject({ err: { message: 'round' } })
})

test('at a terminal a line reads as a sentence with its facts, and what a client wrote commands nothing', () => {
  const shown: string[] = []
  const log = openLogger({ level: 'info', destination: readableLog((line) => shown.push(line), false) })
  log.info({ relayer_id: 'one', nonce: 7 }, 'a "quoted" word')
  log.warn({ url: '/\u001b[2J\u009b\u202e', err: new Error('broken') }, 'refused \u001b[31m')
  expect(shown[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}a "quoted" word relayer_id="one" nonce=7\n$/)
  expect(shown[1]).toMatch(
    / WARN {2}refused \\u001b\[31m url="\/\\u001b\[2J\\u009b\\u202e" err=\{"type":"Error","message":"broken"/,
  )
  const colored: string[] = []
  openLogger({ level: 'info', destination: readableLog((line) => colored.push(line), true) }).error({}, 'lost')
  expect(colored[0]).toContain(' \u001b[31mERROR\u001b[0m lost')
})

// Hints over a real server: everybody hears them, together where many are told at once, and again after a breakdown.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret, secretUrl } from '../../src/ops/secret.ts'
import type { Hint } from '../../src/store/hints.ts'
import { openPostgresHints } from '../../src/store/postgres/hints.ts'
import { until } from '../http/support/until.ts'
import { listeningLog } from '../signers/workplace.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

function listen(url: string) {
  const shared = { clock: systemClock, random: systemRandom(), logger: quiet, keys: [secret('k'.repeat(32))] }
  const hints = openPostgresHints({ url: secretUrl(new URL(url)), ...shared })
  const heard: Hint[] = []
  const ended = new AbortController()
  hints.listen((hint) => heard.push(hint), ended.signal)
  const relayers = () => heard.flatMap((hint) => (hint.kind === 'work' ? [hint.relayer] : []))
  return { hints, heard, ended, relayers, [Symbol.asyncDispose]: () => hints[Symbol.asyncDispose]() }
}

const work = (relayer: string): Hint => ({ kind: 'work', relayer: relayer as RelayerId })

test('all hear what one tells, and first of all that there may be something that they missed', async () => {
  const url = await (await server()).database()
  await using one = listen(url)
  await using other = listen(url)
  await until(() => one.heard.length > 0 && other.heard.length > 0)
  expect(other.heard).toEqual([{ kind: 'locks' }, { kind: 'registry' }])
  one.hints.notify(work('an "odd" name\nof two lines'))
  one.hints.notify({ kind: 'registry' })
  await until(() => other.relayers().length === 1)
  await until(() => other.heard.filter(({ kind }) => kind === 'registry').length === 2)
  expect(other.relayers()).toEqual(['an "odd" name\nof two lines'])
})

test('thousands at once come together, each once, in payloads that the server takes', async () => {
  const url = await (await server()).database()
  await using one = listen(url)
  await using other = listen(url)
  await until(() => one.heard.length > 0 && other.heard.length > 0)
  const ids = Array.from({ length: 3_000 }, (_, index) => `relayer-${index}`)
  for (const id of [...ids, ...ids]) one.hints.notify(work(id))
  await until(() => other.relayers().length >= ids.length)
  expect(new Set(other.relayers())).toEqual(new Set(ids))
})

test('after the server was gone hints are told and heard again', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await using one = listen(url)
  await using other = listen(url)
  await until(() => one.heard.length > 0 && other.heard.length > 0)
  await postgres.stop()
  one.hints.notify(work('meanwhile'))
  await postgres.restart()
  await until(() => {
    one.hints.notify(work('afterwards'))
    return other.relayers().includes('afterwards' as RelayerId)
  })
})

test('a queue that fills is a condition until it is empty again, with a line of the log', async () => {
  const url = await (await server()).database()
  const states = watchProcess(systemClock, processConditions)
  const { log, warnings } = listeningLog()
  const hurried = { ...systemClock, sleep: (ms: number, ended?: AbortSignal) => systemClock.sleep(ms / 50, ended) }
  // A few pages are a millionth of the queue.
  const options = { clock: hurried, random: systemRandom(), logger: log, states, fullFrom: 2e-6 }
  await using _ = openPostgresHints({ ...options, url: secretUrl(new URL(url)), keys: [secret('k'.repeat(32))] })
  const listener = new pg.Client(url)
  await listener.connect()
  await listener.query('LISTEN elsewhere')
  await listener.query('BEGIN')
  const notifier = new pg.Client(url)
  await notifier.connect()
  for (let page = 0; page < 10; page += 1)
    await notifier.query(`SELECT pg_notify('elsewhere', repeat('${page}', 7000))`)
  await until(() => states.held().length > 0)
  expect(states.held().map(({ condition }) => condition)).toEqual(['notify_queue_full'])
  await listener.query('COMMIT')
  await notifier.query(`SELECT pg_notify('elsewhere', '')`)
  await until(() => states.held().length === 0)
  const line = 'the queue of notifications fills: a session that listens is in a long transaction'
  expect(warnings.map(({ message }) => message)).toEqual([line])
  await Promise.all([listener.end(), notifier.end()])
})

test('nobody hears anything who has stopped to listen', async () => {
  const url = await (await server()).database()
  await using one = listen(url)
  await using other = listen(url)
  await until(() => one.heard.length > 0 && other.heard.length > 0)
  other.ended.abort()
  one.hints.notify(work('x'))
  await until(() => one.relayers().length === 1)
  expect(other.relayers()).toEqual([])
})

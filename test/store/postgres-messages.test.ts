// What a role that may only connect can do with the channel of the replicas.
import pg from 'pg'
import { expect, test } from 'vitest'
import { rateLimits, shareRates } from '../../src/http/request/limit-rate.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret, secretUrl } from '../../src/ops/secret.ts'
import type { Hint } from '../../src/store/hints.ts'
import { openPostgresHints } from '../../src/store/postgres/hints.ts'
import { until } from '../http/support/until.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()
const limits = { requestsPerSecond: 0.001, burst: 6 }
const keys = [secret('of the replicas, and of nobody else')]
/** What a replica may have missed before it listened. */
const missed: readonly Hint[] = [{ kind: 'locks' }, { kind: 'registry' }]

function openReplica(url: string) {
  const opened = new AsyncDisposableStack()
  const clock = systemClock
  const options = { url: secretUrl(new URL(url)), clock, random: systemRandom(), logger: quiet, keys }
  const hints = opened.use(openPostgresHints(options))
  const heard: Hint[] = []
  hints.listen((hint) => heard.push(hint), new AbortController().signal)
  const rates = rateLimits(limits)
  opened.use(shareRates({ rates, hints, clock, self: systemRandom().bytes(8).join() }))
  return { hints, heard, rates, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** A role without any right but to connect, which every role has. It records what it can listen to. */
async function openIntruder(url: string) {
  const postgres = await server()
  const { pathname, host } = new URL(url)
  const name = `intruder_${Math.random().toString(36).slice(2)}`
  await postgres.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x'`)
  const client = new pg.Client({ connectionString: `postgres://${name}:x@${host}${pathname}` })
  await client.connect()
  const { rows } = await client.query<{ schema: string }>("SELECT 'public'::regnamespace::oid::text AS schema")
  const channel = `rescind_${rows[0]?.schema}`
  const recorded: string[] = []
  client.on('notification', ({ payload = '' }) => recorded.push(payload))
  await client.query(`LISTEN ${channel}`)
  return {
    recorded,
    send: (payload: string) => client.query('SELECT pg_notify($1, $2)', [channel, payload]),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

const remaining = async (replica: { rates: ReturnType<typeof rateLimits> }, key: string) =>
  (await replica.rates.checkKeyLimit(key)).remaining

test('a role that may only connect refuses no key and lifts no limit, whatever it makes up or repeats', async () => {
  const url = await (await server()).database()
  await using intruder = await openIntruder(url)
  await using one = openReplica(url)
  await using other = openReplica(url)
  await until(() => one.heard.length > 0 && other.heard.length > 0)
  // Of six, three are used at one replica, and the other learns it.
  for (let times = 0; times < 3; times += 1) await one.rates.checkKeyLimit('used')
  await until(() => other.heard.some(({ kind }) => kind === 'spent'))
  // Each connection gets it at a time of its own.
  await until(() => intruder.recorded.some((payload) => payload.includes('key:used')))
  const messages = intruder.recorded.filter((payload) => payload.includes('key:used'))

  for (const amount of [1_000_000, -1_000_000, 6]) {
    const amounts = { 'key:used': amount, 'key:new': amount }
    await intruder.send(JSON.stringify({ spent: { by: 'x', amounts } }))
  }
  for (const payload of messages) {
    for (let times = 0; times < 10; times += 1) await intruder.send(payload)
    await intruder.send(payload.replaceAll('key:used', 'key:new'))
  }
  one.hints.notify({ kind: 'work', relayer: 'behind all of it' as never })
  await until(() => other.heard.some(({ kind }) => kind === 'work'))
  expect([await remaining(other, 'used'), await remaining(other, 'new')]).toEqual([2, 5])
})

test('a flood of false messages is no hint', async () => {
  const url = await (await server()).database()
  await using intruder = await openIntruder(url)
  await using replica = openReplica(url)
  await until(() => replica.heard.length === missed.length)
  for (let each = 0; each < 300; each += 1) await intruder.send('{"work":["one"],"locks":true,"estate":true}')
  replica.hints.notify({ kind: 'work', relayer: 'behind them' as never })
  await until(() => replica.heard.at(-1)?.kind === 'work')
  expect(replica.heard).toEqual([...missed, { kind: 'work', relayer: 'behind them' }])
})

// Hints over a real server: everybody hears them, together where many are told at once, and again after a breakdown.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret, secretUrl } from '../../src/ops/secret.ts'
import type { Hint } from '../../src/store/hints.ts'
import { openPostgresHints } from '../../src/store/postgres/hints.ts'
import { until } from '../http/support/until.ts'
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

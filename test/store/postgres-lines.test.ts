// Connections that fell silent, on a real server: given up once it is heard again, and no sooner; those that spoke stay.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { openLines } from '../../src/store/postgres/lines.ts'
import { openPostgresLocks } from '../../src/store/postgres/locks.ts'
import { openGate } from '../chaos/replicas/gate.ts'
import { sharedPostgres } from './open-postgres.ts'

const server = sharedPostgres()

test('what said nothing since it was doubted is given up, and whoever waits for it gets an error', async () => {
  await using opened = new AsyncDisposableStack()
  const postgres = await server()
  const url = secretUrl(new URL(await postgres.database()))
  const lines = openLines()
  const pool = openPool(url, { max: 3, onIdleError: () => undefined, lines })
  opened.defer(() => pool.end())
  const connect = async () => {
    const client = await pool.connect()
    client.on('error', () => undefined)
    opened.defer(() => client.release(true))
    return client
  }
  const [waiting, spoken] = [await connect(), await connect()]
  await Promise.all([waiting.query('SELECT 1'), spoken.query('SELECT 1')])
  // As by a line that fell silent: an answer that does not come.
  const unanswered = waiting.query('SELECT pg_sleep(600)').catch((error: unknown) => error)

  const giveUp = lines.doubt()
  await spoken.query('SELECT 1')
  const later = await connect()
  giveUp()
  expect(String(await unanswered)).toMatch('Connection terminated')
  for (const kept of [spoken, later]) expect((await kept.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }])
})

test('the silence of a session of locks is a doubt, and its next session the end of it', async () => {
  await using opened = new AsyncDisposableStack()
  const postgres = await server()
  const gate = opened.use(await openGate(postgres.port))
  const url = new URL(await postgres.database())
  url.port = String(gate.port)
  const reported: string[] = []
  const lines = {
    ...openLines(),
    doubt: () => {
      reported.push('doubted')
      return () => reported.push('given up')
    },
  }
  const locks = openPostgresLocks({ url: secretUrl(url), clock: systemClock, lines })
  const first = await locks.join()
  opened.defer(() => first.end())
  gate.freeze()
  await once(first.lost, 'abort')
  expect(reported).toEqual(['doubted'])
  gate.thaw()
  const second = await locks.join()
  expect(reported).toEqual(['doubted', 'given up'])

  // An end that is told leaves nothing in doubt.
  const lost = once(second.lost, 'abort')
  gate.cut()
  await lost
  const third = await locks.join()
  opened.defer(() => third.end())
  expect(reported).toEqual(['doubted', 'given up'])
})

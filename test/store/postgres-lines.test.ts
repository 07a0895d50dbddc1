// Connections that fell silent, on a real server: given up once it is heard again, and no sooner; those that spoke stay.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { isConnectionLost } from '../../src/store/postgres/failure.ts'
import { openLines } from '../../src/store/postgres/lines.ts'
import { openPostgresLocks } from '../../src/store/postgres/locks.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { withConnection } from '../../src/store/postgres/snapshot.ts'
import { openGate } from '../chaos/replicas/gate.ts'
import { manualClock } from '../support/manual-clock.ts'
import { openPostgresLine } from '../support/postgres-line.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

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

test('a session that the server ends right behind an answer, while somebody waits for the connection, is an error of theirs', async () => {
  await using opened = new AsyncDisposableStack()
  const postgres = await server()
  const line = opened.use(await openPostgresLine(postgres.port))
  const url = secretUrl(new URL(line.through(await postgres.database())))
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  opened.defer(() => pool.end())
  await pool.query('SELECT 1')
  line.endBehind('the last answer')
  const answered = pool.query("SELECT 'the last answer' AS text")
  const waiting = withConnection(pool, (client) => client.query('SELECT 2')).catch((error: unknown) => error)
  expect((await answered).rows).toEqual([{ text: 'the last answer' }])
  expect(isConnectionLost(await waiting)).toBe(true)
  expect((await pool.query('SELECT 3 AS three')).rows).toEqual([{ three: 3 }])
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

test('while no connection is taken, one is tried now and then, and requests fail at once', async () => {
  await using opened = new AsyncDisposableStack()
  const postgres = await server()
  const gate = opened.use(await openGate(postgres.port))
  const url = new URL(await postgres.database())
  let isOpen = true
  let connections = 0
  const door = createServer((socket) => {
    connections += 1
    if (!isOpen) {
      socket.destroy()
      return
    }
    const beyond = connect(gate.port, '127.0.0.1')
    for (const each of [socket, beyond]) each.on('error', () => undefined)
    socket.pipe(beyond).pipe(socket)
  })
  opened.defer(() => void door.close())
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  url.port = String((door.address() as AddressInfo).port)
  const clock = manualClock()
  const store = opened.use(await openPostgresStore({ url: secretUrl(url), clock, logger: quiet }))
  const isWell = () =>
    store.check().then(
      () => true,
      () => false,
    )

  connections = 0
  isOpen = false
  gate.cut()
  const wellAfter = async () => ({ isWell: await isWell(), connections })
  await expect.poll(wellAfter).toEqual({ isWell: false, connections: 1 })
  for (let times = 0; times < 50; times += 1) expect(await wellAfter()).toEqual({ isWell: false, connections: 1 })
  clock.advance(1_000)
  await Promise.all(Array.from({ length: 50 }, isWell))
  expect(connections).toBe(2)

  isOpen = true
  expect(await isWell()).toBe(false)
  clock.advance(1_000)
  expect(await isWell()).toBe(true)
})

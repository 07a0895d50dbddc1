// A pooler between the service and the server is noticed at start: it hands sessions to others, with their locks.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openKnownServer } from '../../src/store/postgres/known-server.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const postgres = sharedPostgres()

async function listening(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; server: Server } & Disposable> {
  const server = createServer(onConnection)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, server, [Symbol.dispose]: () => server.close() }
}

const openAt = (url: URL) => openPostgresStore({ url: secretUrl(url), clock: systemClock, logger: quiet })

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: StartupMessage, without what poolers don't know. */
function withoutSettings(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString().split('\0')
  const kept: string[] = []
  for (let at = 0; words[at]; at += 2) {
    if (['user', 'database'].includes(words[at] as string)) kept.push(words[at] as string, words[at + 1] as string)
  }
  const body = Buffer.from(`${kept.join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length)
  startup.copy(head, 4, 4, 8)
  return Buffer.concat([head, body])
}

async function droppingPooler() {
  const { port: serverPort } = await postgres()
  return listening((client) => {
    const server = connect(serverPort, '127.0.0.1')
    client.once('data', (startup: Buffer) => {
      server.write(withoutSettings(startup))
      client.pipe(server)
      server.pipe(client)
    })
    for (const socket of [client, server]) socket.on('error', () => undefined)
  })
}

const dropped =
  /^DATABASE_URL: the settings of the session did not reach the server: a pooler is in between.*name the server itself/

test('one that drops what a session asks for is told from the server', async () => {
  using pooler = await droppingPooler()
  const url = new URL(await (await postgres()).database())
  await expect(openAt(Object.assign(new URL(url), { port: String(pooler.port) }))).rejects.toThrow(dropped)
  await using _store = await openAt(url)
})

test('also where the role has the most common limit of all as its own', async () => {
  using pooler = await droppingPooler()
  const { database, query } = await postgres()
  const url = new URL(await database())
  await query(`ALTER ROLE ${url.username} SET lock_timeout = '10s'`)
  try {
    await expect(openAt(Object.assign(new URL(url), { port: String(pooler.port) }))).rejects.toThrow(dropped)
    await using _store = await openAt(url)
  } finally {
    await query(`ALTER ROLE ${url.username} RESET lock_timeout`)
  }
})

test('a process has a limit that other processes rarely have', () => {
  const limits = new Set(Array.from({ length: 50 }, () => openKnownServer().lockTimeoutMs))
  expect(limits.size).toBeGreaterThan(25)
  for (const each of limits) expect(each).toBeGreaterThanOrEqual(10_000)
  expect(Math.max(...limits)).toBeLessThan(11_000)
})

test('one that refuses what a session asks for is named as such', async () => {
  const text = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0')
  using pooler = await listening((client) => {
    client.on('error', () => undefined)
    client.once('data', () => {
      const head = Buffer.from([...Buffer.from('E'), 0, 0, 0, 0])
      head.writeInt32BE(4 + text.length, 1)
      client.end(Buffer.concat([head, text]))
    })
  })
  const url = new URL(`postgres://somebody:hidden@127.0.0.1:${pooler.port}/d`)
  const refused = openAt(url)
  await expect(refused).rejects.toThrow(
    /unsupported startup parameter: .*a pooler is in between.*name the server itself/,
  )
  await expect(refused).rejects.not.toThrow('hidden')
})

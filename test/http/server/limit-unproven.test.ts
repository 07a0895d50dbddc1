// Connections without a key: beyond a number the oldest is closed, and none that has shown a key.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { unprovenConnectionsMax } from '../../../src/http/limits.ts'
import { apiKey, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test('of half requests without a key the oldest is closed, and a connection with a key stays', async () => {
  await using server = await serve()
  const whole = `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`
  const proven = await opened(server.port, whole)
  await once(proven, 'data')
  proven.write('GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const half: Socket[] = []
  for (let count = 0; count < unprovenConnectionsMax + 5; count += 1) {
    half.push(await opened(server.port, 'POST /api/v1/relayers HTTP/1.1\r\nHost: x\r\nX-Slow: '))
  }
  await until(() => half.filter((socket) => socket.closed).length === 5)
  expect(half.slice(0, 5).every((socket) => socket.closed)).toBe(true)
  expect(proven.closed).toBe(false)
  expect((await server.ask('GET', '/api/v1/relayers')).status).toBe(200)
  for (const socket of [proven, ...half]) socket.destroy()
}, 60_000)

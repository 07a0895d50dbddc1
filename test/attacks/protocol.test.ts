// Attacks by valid, malformed and slow HTTP.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { attack, json, payment, sendPath, statusesIn, type Target, underAttack } from './support/attack.ts'

underAttack()

const body = JSON.stringify(payment)

/** A request that stores a transaction, if it is ever taken for one. */
const smuggled = (key: string) =>
  `POST ${sendPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const head = (key: string, lines: readonly string[], method = 'POST', path = sendPath) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`

attack(29, 'a length and chunks at once, in both orders', async ({ raw, key }) => {
  for (const lines of [
    ['Content-Length: 6', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 6'],
  ]) {
    expect(statusesIn(await raw(`${head(key, lines)}0\r\n\r\n${smuggled(key)}`, 3_000))).toEqual([400])
  }
})

attack(30, 'transfer encodings in disguise', async ({ raw, key }) => {
  const disguises = [
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\x0bchunked',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  ]
  for (const disguise of disguises) {
    const statuses = statusesIn(await raw(`${head(key, [disguise])}0\r\n\r\n${smuggled(key)}`, 1_500))
    expect([disguise, statuses.filter((status) => status < 400)]).toEqual([disguise, []])
  }
})

attack(31, 'two lengths, a length that is not a number, and one that is too short', async ({ raw, key }) => {
  for (const lines of [
    ['Content-Length: 0', `Content-Length: ${body.length}`],
    ['Content-Length: 1, 2'],
    ['Content-Length: -1'],
    ['Content-Length: +5'],
    ['Content-Length: 0x10'],
    ['Content-Length: 99999999999999999999'],
  ]) {
    expect([
      lines,
      statusesIn(await raw(`${head(key, lines)}${body}`, 1_500)).filter((status) => status < 400),
    ]).toEqual([lines, []])
  }
  // What comes behind the announced end is no request.
  const short = await raw(`${head(key, [`Content-Length: ${body.length - 1}`])}${body}`, 1_500)
  expect(statusesIn(short).filter((status) => status < 400)).toEqual([])
})

attack(32, 'a request hidden in the body of a DELETE', async ({ raw, key }) => {
  const hidden = smuggled(key)
  const request = `${head(key, [`Content-Length: ${hidden.length}`, 'Connection: close'], 'DELETE', '/api/v1/relayers/mine/transactions/none')}${hidden}`
  expect(statusesIn(await raw(request, 3_000))).toEqual([404])
  const chunked = `${head(key, ['Transfer-Encoding: chunked', 'Connection: close'], 'DELETE', '/api/v1/relayers/mine/transactions/none')}${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  expect(statusesIn(await raw(chunked, 3_000))).toEqual([404])
})

attack(33, 'a request hidden in the body of a request that is refused', async ({ raw, key }) => {
  const hidden = smuggled(key)
  for (const [method, path] of [
    ['POST', '/api/v1/nothing'],
    ['PATCH', '/api/v1/relayers'],
    ['POST', '/docs'],
    ['GET', '/api/v1/relayers'],
  ] as const) {
    const request = head('wrong', [`Content-Length: ${hidden.length}`], method, path) + hidden
    expect([path, statusesIn(await raw(request, 1_500)).filter((status) => status < 400)]).toEqual([path, []])
  }
})

attack(34, 'line ends, folds and blanks where they do not belong', async ({ raw, key }) => {
  const crooked = [
    `GET /api/v1/relayers HTTP/1.1\nHost: x\nAuthorization: Bearer ${key}\nX: a\rb\n\n`,
    `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nAuthorization:\r\n Bearer ${key}\r\n\r\n`,
    `GET /api/v1/relayers HTTP/1.1\r\nHost : x\r\nAuthorization : Bearer ${key}\r\n\r\n`,
    `GET /api/v1/relayers\x00 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    `GET /api/v1/relayers HTTP/9.9\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    `GET\t/api/v1/relayers\tHTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  ]
  for (const request of crooked)
    expect([request.slice(0, 60), statusesIn(await raw(request, 1_500)).filter((status) => status < 400)]).toEqual([
      request.slice(0, 60),
      [],
    ])
})

attack(35, 'many requests on one connection: each shows its own key', async ({ raw, key }) => {
  const right = `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const none = 'GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\n\r\n'
  const last = 'GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  expect(statusesIn(await raw(right + none + right + none + last))).toEqual([200, 401, 200, 401, 401])
})

attack(36, 'headers and queries that name another method', async ({ ask, send, stage }) => {
  const id = await send()
  const headers = { 'X-HTTP-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE', 'X-Method-Override': 'DELETE' }
  expect((await ask('GET', `/api/v1/relayers/mine/transactions/${id}?_method=DELETE`, { headers })).status).toBe(200)
  expect(
    (
      await ask('POST', `/api/v1/relayers/mine/transactions/${id}?_method=DELETE`, {
        headers: { ...headers, ...json },
        body,
      })
    ).status,
  ).toBe(405)
  expect((await stage.client.get('mine', id)).status).not.toBe('canceled')
  return 1
})

attack(37, 'methods that echo, tunnel or probe', async ({ ask, raw, key, send, stage }) => {
  const id = await send()
  const trace = await ask('TRACE', '/api/v1/relayers', { headers: { 'X-Echo': 'echo-me' } })
  expect([trace.status, trace.text.includes('echo-me'), trace.text.includes(key)]).toEqual([405, false, false])
  expect(
    await raw(
      `CONNECT 127.0.0.1:${new URL(stage.node.url).port} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      2_000,
    ),
  ).not.toMatch(/^HTTP\/1\.1 2/)
  const options = await ask('OPTIONS', '/api/v1/relayers', {
    key: null,
    headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
  })
  expect(Object.keys(options.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  expect((await ask('HEAD', `/api/v1/relayers/mine/transactions/${id}`)).text).toBe('')
  expect((await ask('delete', `/api/v1/relayers/mine/transactions/${id}`)).status).toBe(400)
  expect((await stage.client.get('mine', id)).status).not.toBe('canceled')
  return 1
})

attack(
  38,
  'another protocol on the same connection: WebSocket, HTTP/2, TLS, and bytes at random',
  async ({ raw, key }) => {
    const upgrade = (to: string) =>
      `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: ${to}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`
    for (const to of ['websocket', 'h2c', 'TLS/1.0'])
      expect(await raw(upgrade(to), 2_000)).not.toMatch(/^HTTP\/1\.1 101 /)
    for (const bytes of [
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      '\x00'.repeat(2_000),
      '\r\n'.repeat(2_000),
    ]) {
      expect(await raw(Buffer.from(bytes, 'latin1'), 1_500)).not.toMatch(/^HTTP\/1\.1 2/)
    }
  },
)

attack(39, 'another host in the request: absolute form, Host, forwarded headers', async ({ ask, raw, key }) => {
  const absolute = await raw(`GET http://evil.example/api/v1/relayers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(statusesIn(absolute)).not.toContain(200)
  const headers = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    Forwarded: 'host=evil.example',
    'X-Original-URL': '/api/v1/health',
    'X-Rewrite-URL': '/api/v1/health',
  }
  for (const path of ['/docs', '/docs/', '/api/v1/openapi.json', '/api/v1/relayers', '/nothing']) {
    const answer = await ask('GET', path, { headers })
    expect(JSON.stringify([answer.headers, answer.text])).not.toContain('evil.example')
  }
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  const head = (more: readonly string[]) => `GET /api/v1/relayers HTTP/1.1\r\n${more.join('\r\n')}\r\n\r\n`
  expect(statusesIn(await raw(head(lines)))).toEqual([401])
  // Two hosts: a proxy before the service may have followed the other one.
  expect(statusesIn(await raw(head([...lines, 'Host: x', `Authorization: Bearer ${key}`])))).toEqual([400])
})

attack(40, 'hundreds of connections that never finish a request: others are served', async (target) => {
  const sockets = await Promise.all(
    Array.from({ length: 300 }, () => opened(target, `POST ${sendPath} HTTP/1.1\r\nHost: x\r\nX-Slow: `)),
  )
  expect((await target.ask('GET', '/api/v1/relayers')).status).toBe(200)
  expect((await target.ask('POST', sendPath, { headers: json, body })).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  return 1
})

attack(41, 'a head and a body that arrive byte by byte: the service hangs up', async (target) => {
  const slow = await Promise.all([
    opened(target, 'GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    opened(target, `${head(target.key, ['Content-Length: 1000'])}{`),
  ])
  const ends = slow.map(async (socket) => {
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const drip = setInterval(() => socket.write(' '), 500)
    const over = await Promise.race([closed.then(() => true), sleep(100_000).then(() => false)])
    clearInterval(drip)
    socket.destroy()
    return [over, heard.slice(0, 12)]
  })
  expect(await Promise.all(ends)).toEqual([
    [true, 'HTTP/1.1 408'],
    [true, 'HTTP/1.1 408'],
  ])
})

attack(42, 'leaving in the middle of a body', async (target) => {
  for (const part of ['', '{', body.slice(0, 20)]) {
    const socket = await opened(target, `${head(target.key, [`Content-Length: ${body.length}`])}${part}`)
    await sleep(50)
    socket.resetAndDestroy()
  }
  const { stage } = target
  await stage.client.request('GET', '/health')
})

async function opened({ url }: Target, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.on('error', () => undefined)
  socket.write(bytes)
  return socket
}

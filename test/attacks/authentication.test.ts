// Attacks on authentication.
import { expect } from 'vitest'
import { attack, json, payment, sendPath, underAttack } from './support/attack.ts'

underAttack()

const send = { headers: json, body: JSON.stringify(payment) }

attack(1, 'guessing the key character by character: no answer shows how much of it was right', async ({ ask, key }) => {
  const answers = new Set<string>()
  for (let right = 0; right < key.length; right += 3) {
    const { status, text, headers } = await ask('GET', '/api/v1/relayers', {
      key: key.slice(0, right).padEnd(key.length, '!'),
    })
    const reported = Object.entries(headers).filter(([name]) => !['x-request-id', 'date'].includes(name))
    answers.add(JSON.stringify([status, text, reported]))
  }
  expect(answers.size).toBe(1)
})

attack(2, 'two Authorization headers: the second one has no effect', async ({ raw, key }) => {
  const request = (first: string, second: string) =>
    raw(
      `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${first}\r\nAuthorization: ${second}\r\n\r\n`,
    )
  expect(await request('Bearer wrong', `Bearer ${key}`)).toMatch(/^HTTP\/1\.1 401 /)
  expect(await request('', `Bearer ${key}`)).toMatch(/^HTTP\/1\.1 401 /)
})

attack(3, 'control characters in the token: NUL, tab, line ends', async ({ raw, key }) => {
  for (const value of [`${key}\0`, `\0${key}`, `${key}\t`, `${key}\x7f`, `${key}\x01x`, `${key}\r\n x`]) {
    const answer = await raw(
      `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${value}\r\n\r\n`,
    )
    // A tab at the end is blank space to HTTP, and no part of the value.
    expect(answer).toMatch(value.endsWith('\t') ? /^HTTP\/1\.1 (200|401) / : /^HTTP\/1\.1 (400|401) /)
  }
})

attack(4, 'the key in the wrong part of the request: query, cookie, other headers, body', async ({ ask, key }) => {
  const headers = {
    ...json,
    Cookie: `token=${key}`,
    'X-API-Key': key,
    'Proxy-Authorization': `Bearer ${key}`,
    'X-Original-Authorization': `Bearer ${key}`,
  }
  const body = JSON.stringify({ ...payment, access_token: key })
  expect(
    (await ask('POST', `${sendPath}?access_token=${key}&api_key=${key}`, { key: null, headers, body })).status,
  ).toBe(401)
  // Proxies log URLs; our own log must not contain a key from one.
})

attack(5, 'a token of fifteen thousand characters, and one longer than headers may be', async ({ ask }) => {
  expect((await ask('GET', '/api/v1/relayers', { key: 'a'.repeat(15_000) })).status).toBe(401)
  expect((await ask('GET', '/api/v1/relayers', { key: 'a'.repeat(20_000) })).status).toBe(431)
})

attack(6, 'characters that look like those of the key', async ({ ask, key }) => {
  const fullWidth = [...key].map((each) => String.fromCodePoint((each.codePointAt(0) ?? 0) + 0xfee0)).join('')
  const cyrillic = key.replaceAll('a', '\u0430').replaceAll('e', '\u0435').replaceAll('c', '\u0441')
  for (const token of [fullWidth, cyrillic])
    expect((await ask('GET', '/api/v1/relayers', { key: token })).status).toBe(401)
})

attack(7, 'SQL, patterns and names of prototypes as a token', async ({ ask }) => {
  for (const token of [
    "'OR'1'='1",
    "x';DROP\tTABLE\tapi_keys;--",
    '%',
    '_',
    '*',
    '__proto__',
    'constructor',
    '[object\tObject]',
  ]) {
    expect((await ask('GET', '/api/v1/relayers', { key: token })).status).toBe(401)
  }
})

attack(8, 'a key that was revoked, on a connection that it has opened before', async ({ raw, ask, keyWith, stage }) => {
  const { id, key: token } = await keyWith({ scopes: ['read', 'send'] })
  expect((await ask('GET', '/api/v1/relayers', { key: token })).status).toBe(200)
  await stage.client.request('DELETE', `/api-keys/${id}`)
  const request = `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const answers = await raw(request + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  expect(answers.match(/HTTP\/1\.1 401 /g)).toHaveLength(2)
  expect((await ask('POST', sendPath, { ...send, key: token })).status).toBe(401)
})

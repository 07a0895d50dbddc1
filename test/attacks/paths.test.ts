// Attacks on ids, paths and queries.
import { expect } from 'vitest'
import { attack, json, parse, payment, underAttack } from './support/attack.ts'

underAttack()

const body = JSON.stringify(payment)
const transactions = '/api/v1/relayers/mine/transactions'

attack(14, 'paths that climb out of where they are', async ({ ask }) => {
  const climbs = [
    '/docs/../../../../etc/passwd',
    '/docs/..%2f..%2f..%2fetc%2fpasswd',
    '/docs/js/..%5c..%5cpackage.json',
    '/api/v1/relayers/..%2f..%2fdocs',
    '/api/v1/../../package.json',
    '/api/v1/relayers/mine/../theirs',
    '/%2e%2e/package.json',
    '//etc/passwd',
    '/docs/js/scalar.js/../../../package.json',
    '/api/v1/relayers/%2e%2e%2f%2e%2e%2fetc%2fpasswd/balance',
  ]
  for (const path of climbs) {
    const answer = await ask('GET', path)
    expect([path, answer.status]).toEqual([path, 404])
    expect(answer.text).not.toMatch(/root:|"dependencies"/)
  }
})

attack(15, 'ids that are encoded twice: they are decoded once', async ({ ask, send, stage }) => {
  const id = await send()
  expect((await ask('DELETE', `${transactions}/${id.replace('-', '%252d')}`)).status).toBe(404)
  expect((await ask('DELETE', `${transactions}/%2570ending`)).status).toBe(404)
  expect((await ask('GET', '/api/v1/relayers/%256dine')).body.message).toBe('Relayer with ID %6dine not found')
  expect((await stage.client.get('mine', id)).status).not.toBe('canceled')
  return 1
})

attack(16, 'NUL, line ends and terminal escapes in ids', async ({ ask }) => {
  for (const id of [
    'mine%00',
    '%00',
    'mine%0d%0aSet-Cookie:%20a=b',
    '%1b%5b2J%1b%5b31mred',
    'a%0a%7b%22level%22%3a%22fatal%22%7d',
    '%c2%85',
    '%e2%80%ae',
    '%7f',
  ]) {
    const answer = await ask('GET', `/api/v1/relayers/${id}`)
    expect(answer.status).toBe(404)
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect(JSON.stringify(answer.body)).toBe(answer.text)
    expect((await ask('DELETE', `${transactions}/${id}`)).text).toBe(
      '{"data":null,"message":"Not found","success":false}',
    )
    const batch = JSON.stringify({ transactions: [payment] })
    const at = `/api/v1/relayers/${id}/transactions`
    const answers = [
      await ask('POST', at, { headers: json, body }),
      await ask('POST', `${at}/batch`, { headers: json, body: batch }),
      await ask('PUT', `${at}/${id}`, { headers: json, body }),
      await ask('DELETE', `${at}/pending`),
    ]
    expect([id, answers.map(({ status }) => status)]).toEqual([id, [404, 404, 404, 404]])
  }
})

attack(17, 'bytes that are no UTF-8: overlong forms, half characters, broken escapes', async ({ ask }) => {
  for (const id of ['%c0%af', '%e0%80%af', '%ff', '%ed%a0%80', '%zz', '%', '%u0041', '%f8%88%80%80%80']) {
    const answer = await ask('DELETE', `${transactions}/${id}`)
    expect([id, answer.status, answer.text]).toEqual([id, 400, '{"data":null,"message":"Bad Request","success":false}'])
  }
})

attack(18, 'SQL in ids and queries', async ({ ask, send, rows }) => {
  await send()
  const statements = [
    "' OR '1'='1",
    "mine' --",
    "'; DROP TABLE transactions; --",
    "' UNION SELECT * FROM api_keys --",
    '%',
    '_',
    'mine\\',
  ]
  for (const sql of statements.map(encodeURIComponent)) {
    expect((await ask('GET', `/api/v1/relayers/${sql}`)).status).toBe(404)
    expect((await ask('GET', `${transactions}/${sql}`)).status).toBe(404)
    expect((await ask('DELETE', `/api/v1/relayers/${sql}/transactions/pending`)).status).toBe(404)
    expect((await ask('GET', `${transactions}?status=${sql}`)).status).toBe(400)
    expect((await ask('GET', `${transactions}?page=${sql}`)).status).toBe(400)
    expect((await ask('GET', `${transactions}/by-nonce/${sql}`)).status).toBe(400)
  }
  expect(rows('transactions')).toBeGreaterThan(0)
  return 1
})

attack(19, "names of every object's own members as ids", async ({ ask }) => {
  for (const id of [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'undefined',
    'null',
    'NaN',
    '0',
  ]) {
    expect((await ask('GET', `/api/v1/relayers/${id}`)).body.message).toBe(`Relayer with ID ${id} not found`)
    expect((await ask('GET', `${transactions}/${id}`)).status).toBe(404)
    expect((await ask('POST', `/api/v1/relayers/${id}/transactions`, { headers: json, body })).status).toBe(404)
  }
})

attack(20, 'ids as long as a request may be, and longer', async ({ ask }) => {
  const answer = await ask('GET', `/api/v1/relayers/${'x'.repeat(15_000)}`)
  expect(answer.status).toBe(404)
  expect((await ask('GET', `/api/v1/relayers/${'x'.repeat(17_000)}`)).status).toBe(431)
  expect((await ask('DELETE', `${transactions}/${'%41'.repeat(4_900)}`)).status).toBe(404)
})

attack(61, 'paths in another form or encoding, without a key and on the dashboard', async ({ raw, ask, key }) => {
  const answer = async (target: string, method = 'GET', headers = '') =>
    parse(await raw(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`))
  const forms = (path: string) => [path, `http://x${path}`, path.replace('api', '%61pi'), path.replace('v1', 'v%31')]
  for (const path of [
    '/api/v1/relayers',
    '/api/v1/nothing',
    '/api/v1/relayers/%zz',
    '/api/v1/relayers/mine/rpc',
    '/api/v1',
  ]) {
    for (const form of forms(path)) {
      const { status, text } = await answer(form)
      expect([form, status, text]).toEqual([form, 401, '{"data":null,"message":"Unauthorized","success":false}'])
    }
  }
  const bearer = `Authorization: Bearer ${key}\r\n`
  expect((await answer('http://x/api/v1/health', 'PUT', bearer)).headers).toMatchObject({ allow: 'GET, HEAD' })
  // The dashboard accepts no token, and a sign-out needs its cookie.
  for (const form of forms('/dashboard/api/session').slice(0, 3)) {
    expect([form, (await answer(form, 'DELETE', bearer)).status]).toEqual([form, 403])
    expect((await answer(form, 'GET', bearer)).body.data).toEqual({ session: null })
  }
  expect((await ask('GET', '/api/v1/relayers')).status).toBe(200)
})

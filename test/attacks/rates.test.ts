// Attacks on rates, locks and idempotency.
import { expect } from 'vitest'
import { attack, json, payment, sendPath, statusesIn, underAttack } from './support/attack.ts'

const burst = 200
/** In a window so long that a slow machine uses it up, too. */
underAttack({ RATE_LIMIT_REQUESTS_PER_SECOND: '2', RATE_LIMIT_BURST_SIZE: String(burst) })

const body = JSON.stringify(payment)
const under = (key: string) => ({ ...json, 'Idempotency-Key': key })

attack(
  65,
  "one client's idempotency key, used by another: it replays nothing of the first",
  async ({ ask, keyWith }) => {
    const { key } = await keyWith({ scopes: ['send'] })
    const first = await ask('POST', sendPath, { headers: under('shared'), body })
    const second = await ask('POST', sendPath, { key, headers: under('shared'), body })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.id).not.toBe(first.body.data.id)
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    return 2
  },
)

attack(66, 'another body, or another relayer, under a key that was used', async ({ ask }) => {
  const first = await ask('POST', sendPath, { headers: under('mine'), body })
  const dearer = await ask('POST', sendPath, {
    headers: under('mine'),
    body: JSON.stringify({ ...payment, value: '9' }),
  })
  const elsewhere = await ask('POST', '/api/v1/relayers/theirs/transactions', { headers: under('mine'), body })
  expect(first.status).toBe(200)
  for (const { status, text } of [dearer, elsewhere]) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain(first.body.data.id)
  }
  return 1
})

attack(67, 'the same key many times at once', async ({ ask }) => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask('POST', sendPath, { headers: under('at-once'), body })),
  )
  expect(
    new Set(answers.filter(({ status }) => status === 200).map(({ body: reported }) => reported.data.id)).size,
  ).toBe(1)
  return 1
})

attack(68, 'idempotency keys that are too long, hold blanks or controls, or come twice', async ({ ask, raw, key }) => {
  for (const name of ['x'.repeat(256), 'two words', '\u00e9', 'a\tb']) {
    expect([name.slice(0, 10), (await ask('POST', sendPath, { headers: under(name), body })).status]).toEqual([
      name.slice(0, 10),
      400,
    ])
  }
  const twice = `POST ${sendPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  expect(statusesIn(await raw(twice))).toEqual([400])
})

attack(
  69,
  'guessing keys from many made-up addresses: all tries count for one address, and the right key still works',
  async ({ ask }) => {
    let limited = 0
    for (let tries = 0; tries < burst + 50 && limited === 0; tries++) {
      const headers = {
        'X-Forwarded-For': `192.0.2.${tries % 250}`,
        Forwarded: `for=192.0.2.${tries % 250}`,
        'X-Real-IP': `198.51.100.${tries % 250}`,
        'True-Client-IP': '203.0.113.7',
        'CF-Connecting-IP': '203.0.113.8',
      }
      if ((await ask('GET', '/api/v1/relayers', { key: `guess-${tries}`, headers })).status === 429) limited += 1
    }
    expect(limited).toBe(1)
    expect((await ask('GET', '/api/v1/relayers')).status).toBe(200)
  },
)

attack(
  70,
  "exceeding a key's rate limit by many connections, paths, methods and spellings",
  async ({ ask, keyWith }) => {
    const { key } = await keyWith({ scopes: ['read'] })
    const variants = [
      ['GET', '/api/v1/relayers', 'Bearer'],
      ['GET', '/api/v1/relayers/mine?x=1', 'bearer'],
      ['HEAD', '/api/v1/relayers', 'BEARER'],
      ['GET', '/api/v1/nothing', 'Bearer '],
      ['OPTIONS', '/api/v1/relayers', 'Bearer'],
      ['GET', '/api/v1/relayers/%zz', 'Bearer'],
    ] as const
    const statuses: number[] = []
    for (let round = 0; round < burst; round += variants.length) {
      const requested = variants.map(([method, path, scheme]) =>
        ask(method, path, { key: null, headers: { Authorization: `${scheme} ${key}` } }),
      )
      statuses.push(...(await Promise.all(requested)).map(({ status }) => status))
    }
    const more = await Promise.all(Array.from({ length: 60 }, () => ask('GET', '/api/v1/relayers', { key })))
    expect([...statuses, ...more.map(({ status }) => status)]).toContain(429)
    // Somebody else's allowance is none of its business.
    expect((await ask('GET', '/api/v1/relayers')).status).toBe(200)
  },
)

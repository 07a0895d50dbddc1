// The OpenAPI document says what the server does, and the reference page calls no other host.

import { readdir } from 'node:fs/promises'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anchorOf } from '../../../src/http/server/render-markdown.ts'
import { dereferenced } from '../../openapi/support/dereferenced.ts'
import { putEveryPhase } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
// biome-ignore lint/suspicious/noExplicitAny: a document that the tests walk through
let document: any
beforeAll(async () => {
  server = await serve()
  await putEveryPhase(server.store)
  document = dereferenced((await server.ask('GET', '/api/v1/openapi.json', { token: null })).body)
})
afterAll(() => server[Symbol.asyncDispose]())

const one = '/api/v1/relayers/{relayer_id}'
const all = `${one}/transactions`

test('every operation but health and readiness needs a bearer token', () => {
  expect(document.components.securitySchemes.apiKey).toEqual({ type: 'http', scheme: 'bearer' })
  expect(document.security).toEqual([{ apiKey: [] }])
  expect(document.paths['/api/v1/health'].get.security).toEqual([])
  expect(document.paths['/api/v1/ready'].get.security).toEqual([])
  expect(document.paths[all].post.security).toEqual([{ apiKey: ['send'] }])
})

describe('answers fit their schemas', () => {
  const schemaOf = (path: string, method: string, status: number): TSchema =>
    document.paths[path][method].responses[status].content['application/json'].schema

  test.each([
    ['GET', '/api/v1/ready', '/api/v1/ready'],
    ['GET', '/api/v1/api-keys', '/api/v1/api-keys'],
    ['GET', '/api/v1/audit-log', '/api/v1/audit-log'],
    ['GET', '/api/v1/api-keys/{api_key_id}', '/api/v1/api-keys/nothing'],
    ['GET', '/api/v1/relayers', '/api/v1/relayers'],
    ['GET', '/api/v1/overview', '/api/v1/overview'],
    ['GET', '/api/v1/daily-spend', '/api/v1/daily-spend'],
    ['GET', '/api/v1/series', '/api/v1/series?range=week'],
    ['GET', '/api/v1/search', '/api/v1/search?query=confirmed'],
    ['GET', `${one}/nonces`, '/api/v1/relayers/one/nonces?from=0'],
    ['GET', `${one}/traces`, '/api/v1/relayers/one/traces?per_page=50'],
    ['GET', `${all}/{transaction_id}/trace`, '/api/v1/relayers/one/transactions/confirmed/trace'],
    ['GET', `${all}/{transaction_id}/trace`, '/api/v1/relayers/one/transactions/expired/trace'],
    ['GET', one, '/api/v1/relayers/one'],
    ['GET', all, '/api/v1/relayers/one/transactions?per_page=100'],
    ['GET', `${all}/{transaction_id}`, '/api/v1/relayers/one/transactions/confirmed'],
    ['GET', `${all}/{transaction_id}`, '/api/v1/relayers/one/transactions/nothing'],
    ['GET', `${all}/{transaction_id}/attempts`, '/api/v1/relayers/one/transactions/confirmed/attempts'],
    ['GET', `${all}/{transaction_id}/cancellation`, '/api/v1/relayers/one/transactions/expired/cancellation'],
    ['GET', `${all}/by-nonce/{nonce}`, '/api/v1/relayers/one/transactions/by-nonce/1'],
    ['DELETE', `${all}/{transaction_id}`, '/api/v1/relayers/one/transactions/submitted'],
    ['DELETE', `${all}/{transaction_id}`, '/api/v1/relayers/one/transactions/confirmed'],
    ['DELETE', `${all}/pending`, '/api/v1/relayers/one/transactions/pending'],
    ['DELETE', `${all}/pending`, '/api/v1/relayers/nobody/transactions/pending'],
  ])('%s %s as %s', async (method, path, requested) => {
    const answer = await server.ask(method, requested)
    const errors = Compile(schemaOf(path, method.toLowerCase(), answer.status)).Errors(answer.body)
    expect(errors).toEqual([])
  })
})

describe('the reference page', () => {
  test('/docs leads to it', async () => {
    const answer = await server.ask('GET', '/docs', { token: null })
    expect(answer.status).toBe(301)
    expect(answer.headers).toMatchObject({ location: '/docs/' })
  })

  test('it names no other host, and its policy forbids calls to one', async () => {
    const page = await server.ask('GET', '/docs/', { token: null })
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('/api/v1/openapi.json')
    expect(page.text).not.toMatch(/https?:\/\//)
    expect([...page.text.matchAll(/<script src="([^"]*)"/g)].map(([, source]) => source)).toEqual(['js/scalar.js'])
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).not.toMatch(/https?:|\*/)
  })

  test('its script is served here', async () => {
    const script = await server.ask('GET', '/docs/js/scalar.js', { token: null })
    expect(script.status).toBe(200)
    expect(script.headers['content-type']).toContain('javascript')
    // The script whole, and not a page about an error.
    expect(script.text).toContain('createApiReference')
  })

  test.each(['/docs/', '/docs/js/scalar.js', '/api/v1/openapi.json'])(
    '%s is sent again only after a change',
    async (path) => {
      const first = await server.ask('GET', path, { token: null })
      const { etag } = first.headers
      const again = await server.ask('GET', path, { token: null, headers: { 'if-none-match': String(etag) } })
      expect([again.status, again.text]).toEqual([304, ''])
      const head = await server.ask('HEAD', path, { token: null })
      expect([head.status, head.headers, head.text]).toMatchObject([200, { etag }, ''])
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(first.text)))
    },
  )

  test('it is compressed for a reader who takes that, and for nobody else', async () => {
    const encodingFor = async (accepted: string) => {
      const headers = { 'accept-encoding': accepted }
      return (await server.ask('HEAD', '/docs/js/scalar.js', { token: null, headers })).headers['content-encoding']
    }
    expect(await encodingFor('br, gzip')).toBe('gzip')
    expect(await encodingFor('br, gzip;q=0')).toBeUndefined()
    expect(await encodingFor('identity')).toBeUndefined()
  })
})

describe('the pages of docs/', () => {
  const read = (path: string) => server.ask('GET', path, { token: null })

  test('llms.txt lists each of them with its title and content, at the root and beside them', async () => {
    const list = await read('/llms.txt')
    expect(list.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect((await read('/docs/llms.txt')).text).toBe(list.text)
    const names = (await readdir('docs')).filter((name) => name.endsWith('.md'))
    for (const name of names) expect(list.text).toMatch(new RegExp(`^- \\[[^\\]]+\\]\\(/docs/${name}\\): .+`, 'm'))
    expect(list.text).toMatch(/^# Rescind\n\n> Rescind is an Ethereum transaction relayer/)
  })

  test('each is served, and every link in them leads to another page and to a heading in it', async () => {
    const list = (await read('/llms.txt')).text
    const paths = [...list.matchAll(/\((\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
    const texts = new Map<string, string>()
    for (const path of paths) {
      const page = await read(path)
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
      texts.set(path, page.text)
    }
    const broken = [...texts].flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
        const { pathname, hash, protocol } = new URL(target, `docs:${path}`)
        if (protocol !== 'docs:') return []
        const anchors = [...(texts.get(pathname) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
          anchorOf(heading),
        )
        return texts.has(pathname) && (hash === '' || anchors.includes(hash.slice(1))) ? [] : [`${path}: ${target}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('a browser gets a page as HTML, with a heading at each anchor, and it loads nothing', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const page = await server.ask('GET', '/docs/runbook.md', { token: null, headers })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; style-src 'unsafe-inline';")
    expect(page.text).toContain('<h3 id="node_unreachable">')
    expect(page.text).not.toMatch(/<(?:script|img|link)/)
    const plain = await read('/docs/runbook.md')
    expect([page, plain].map((each) => each.headers['vary'])).toEqual([
      'accept, accept-encoding',
      'accept, accept-encoding',
    ])
    expect(page.headers['etag']).not.toBe(plain.headers['etag'])
  })

  test('nothing else of the package is served', async () => {
    for (const path of [
      '/docs/LICENSE.md',
      '/docs/package.json',
      '/docs/..%2Fpackage.json',
      '/docs/%2e%2e%2fpackage.md',
    ])
      expect((await read(path)).status).toBe(404)
  })
})

test('an address has a limit of requests without a key, and a key passes all the same', async () => {
  // The window lasts an hour, so that only the number of requests counts, however slow the machine is.
  await using limited = await serve({ limits: { requestsPerSecond: 3 / 3_600, burst: 3 } })
  const statuses = []
  for (let count = 0; count < 5; count += 1) {
    statuses.push((await limited.ask('GET', '/api/v1/openapi.json', { token: null })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  const refused = await limited.ask('GET', '/docs', { token: null })
  expect([refused.status, refused.headers['ratelimit-policy']]).toEqual([429, '"address";q=3;w=3600'])
  expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  expect((await limited.ask('GET', '/api/v1/relayers')).status).toBe(200)
  expect((await limited.ask('GET', '/api/v1/health', { token: null })).status).toBe(200)
})

test('without documentation these paths do not exist', async () => {
  await using silent = await serve({ serves: 'operations' })
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/api.md', '/llms.txt']) {
    expect((await silent.ask('GET', path, { token: null })).status).toBe(404)
  }
  expect((await silent.ask('GET', '/api/v1/openapi.json')).status).toBe(404)
})

// The pages and files of the dashboard: small, never framed, and without a script that is not their own.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const read = (path: string, headers: Record<string, string> = {}) => server.ask('GET', path, { token: null, headers })

test.each([
  '/',
  '/relayers/one',
  '/relayers/one/transactions/queued',
  '/relayers/one/cancel-all',
  '/search?query=x',
  '/audit-log',
  '/nodes',
])('%s is the page, under a policy that allows its own files only', async (path) => {
  const page = await read(path)
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = String(page.headers['content-security-policy']).split('; ')
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "script-src 'self'", "base-uri 'none'"]),
  )
  expect(policy.join(' ')).not.toMatch(/unsafe|\*|https?:/)
  expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' })
  // No inline script, no inline style, no other host.
  expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?:\/\//)
})

test.each([
  ['/dashboard/app.js', 90_000],
  ['/dashboard/app.css', 10_000],
])('%s has at most %i bytes, compressed, and is sent again only after a change', async (path, bytesMax) => {
  const file = await server.ask('HEAD', path, { token: null, headers: { 'accept-encoding': 'gzip' } })
  expect(file.status).toBe(200)
  expect(file.headers['content-encoding']).toBe('gzip')
  expect(Number(file.headers['content-length'])).toBeLessThanOrEqual(bytesMax)
  expect(Number(file.headers['content-length'])).toBeGreaterThan(1_000)
  const { etag } = file.headers
  const again = await read(path, { 'if-none-match': String(etag) })
  expect([again.status, again.text]).toEqual([304, ''])
})

test('the script has no part that evaluates text, and no source that another host serves', async () => {
  const { text } = await read('/dashboard/app.js')
  expect(text).not.toMatch(/\beval\(|new Function\(|dangerouslySetInnerHTML:/)
  expect(text).not.toMatch(/import\(|fetch\(["'`]https?:/)
})

// Serves the OpenAPI document, and the reference page that shows it without contacting another host.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { basePath, type Mounting } from '../request/mount.ts'
import { renderPage } from './render-page.ts'

/** The page runs its own script and style, and may fetch from this service only. */
const pagePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Built once and shared by all responses: a reader who reads slowly holds no copy. */
interface Asset {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly gzipped: Buffer
}

/** Needs no key, so requests are limited by address. */
export function documentationRoutes({ app, door }: Pick<Mounting, 'app' | 'door'>): void {
  const open = {
    schema: { hide: true },
    onRequest: (request: FastifyRequest) => door.rates.checkOpenLimit(request.ip),
  }
  const document = once(() => assetOf('application/json; charset=utf-8', Buffer.from(JSON.stringify(app.swagger()))))
  app.get(`${basePath}/openapi.json`, open, async (request, reply) => send(request, reply, await document()))

  const page = once(openPage)
  app.get('/docs', open, async (_request, reply) => reply.redirect('/docs/', 301))
  for (const name of ['html', 'script'] as const) {
    app.get(name === 'html' ? '/docs/' : '/docs/js/scalar.js', open, async (request, reply) => {
      const { [name]: asset } = await page()
      return send(request, reply.header('content-security-policy', pagePolicy), asset)
    })
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { type, etag, plain, gzipped }: Asset) {
  // A reader keeps its copy, and each time checks whether it is the newest.
  reply.header('cache-control', 'no-cache').header('etag', etag).header('vary', 'accept-encoding')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''))
  if (takesGzip) reply.header('content-encoding', 'gzip')
  return reply.type(type).send(takesGzip ? gzipped : plain)
}

async function assetOf(type: string, plain: Buffer): Promise<Asset> {
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`
  return { type, etag, plain, gzipped: await promisify(gzip)(plain) }
}

/** A failed build is tried again with the next request. */
function once<T>(build: () => Promise<T>): () => Promise<T> {
  let built: Promise<T> | undefined
  return () => {
    built ??= build().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
}

/** Built at its first request: a service without readers needs no page. */
async function openPage(): Promise<{ html: Asset; script: Asset }> {
  const { html, script } = await renderPage({
    routePrefix: '/docs',
    configuration: {
      url: `${basePath}/openapi.json`,
      pageTitle: 'Rescind API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // The page of a service that holds keys must not link to other companies' servers.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  return { html: await assetOf(html.type, html.bytes), script: await assetOf(script.type, script.bytes) }
}

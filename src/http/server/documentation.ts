// Serves the OpenAPI document, the reference page that shows it without contacting another host, and the pages of `docs/`:
// for browsers as HTML, for others as Markdown.

import { Worker } from 'node:worker_threads'
import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference'
import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import type { Mounting } from '../request/mount.ts'
import { basePath } from '../request/path-of.ts'
import { type Asset, assetOf, once, sendAsset } from '../response/asset.ts'
import { listPages, readPages } from './markdown-pages.ts'
import { renderMarkdown } from './render-markdown.ts'

/** The page runs its own script and style, and may fetch from this service only. */
const pagePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Needs no key, so requests are limited by address. */
export function documentationRoutes({ app, door }: Pick<Mounting, 'app' | 'door'>, packageRoot: URL | undefined): void {
  const open = {
    schema: { hide: true },
    onRequest: (request: FastifyRequest) => door.rates.checkOpenLimit(request.ip),
  }
  const document = once(() => assetOf('application/json; charset=utf-8', Buffer.from(JSON.stringify(app.swagger()))))
  app.get(`${basePath}/openapi.json`, open, async (request, reply) => sendAsset(request, reply, await document()))

  const page = once(openPage)
  app.get('/docs', open, async (_request, reply) => reply.redirect('/docs/', 301))
  for (const name of ['html', 'script'] as const) {
    app.get(name === 'html' ? '/docs/' : '/docs/js/scalar.js', open, async (request, reply) => {
      const { [name]: asset } = await page()
      return sendAsset(request, reply.header('content-security-policy', pagePolicy), asset)
    })
  }

  if (packageRoot) pageRoutes(app, open, packageRoot)
}

/** `open`: of routes that need no key. */
function pageRoutes(app: Mounting['app'], open: RouteShorthandOptions, packageRoot: URL): void {
  const pages = once(async () => {
    const texts = await readPages(packageRoot)
    const assets = [...texts].map(async ([name, text]) => {
      const forPrograms = await assetOf(markdown, Buffer.from(text))
      return [name, { forPrograms, forBrowsers: await assetOf(html, Buffer.from(renderMarkdown(text))) }] as const
    })
    return {
      list: await assetOf(plain, Buffer.from(listPages(texts, '/docs/'))),
      byName: new Map(await Promise.all(assets)),
    }
  })
  // Programs look for it at the root.
  for (const path of ['/llms.txt', '/docs/llms.txt']) {
    app.get(path, open, async (request, reply) => sendAsset(request, reply, (await pages()).list))
  }
  app.get<{ Params: { page: string } }>('/docs/:page', open, async (request, reply) => {
    const page = (await pages()).byName.get(request.params.page)
    if (!page) throw new RescindError('ROUTE_NOT_FOUND', 'no such page; /llms.txt lists those that are')
    const forBrowser = /\btext\/html\b/.test(String(request.headers.accept ?? ''))
    reply.header('vary', 'accept')
    if (!forBrowser) return sendAsset(request, reply, page.forPrograms)
    return sendAsset(request, reply.header('content-security-policy', textPolicy), page.forBrowsers)
  })
}

/** A rendered page has a style, and nothing else. */
const textPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const plain = 'text/plain; charset=utf-8'

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

// Renders the reference page in a thread of its own: to load its package blocks a thread for half a second, and takes 40 MB of
// memory, which the thread gives back.
interface Rendered {
  readonly html: RenderedFile
  readonly script: RenderedFile
}

interface RenderedFile {
  readonly type: string
  readonly bytes: Buffer
}

/** The program of the thread. A file of its own would have another name in each build. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')

async function render() {
  const [{ default: fastify }, { default: reference }] = await Promise.all(workerData.modules.map((each) => import(each)))
  const page = fastify()
  await page.register(reference, workerData.options)
  const read = async (url) => {
    const { headers, rawPayload } = await page.inject({ method: 'GET', url })
    return { type: String(headers['content-type']), bytes: Uint8Array.from(rawPayload) }
  }
  const prefix = workerData.options.routePrefix
  const [html, script] = [await read(prefix + '/'), await read(prefix + '/js/scalar.js')]
  parentPort.postMessage({ html, script }, [html.bytes.buffer, script.bytes.buffer])
  await page.close()
}

render()
`

/** Limits of the thread, which does one thing once: a small nursery is enough. */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 }

type Page = Readonly<Record<keyof Rendered, { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }>>

async function renderPage(options: FastifyApiReferenceOptions): Promise<Rendered> {
  const modules = ['fastify', '@scalar/fastify-api-reference'].map((name) => import.meta.resolve(name))
  const { promise, resolve, reject } = Promise.withResolvers<Page>()
  const thread = new Worker(program, { eval: true, workerData: { modules, options }, execArgv: [], resourceLimits })
  thread.once('message', resolve).once('error', reject)
  thread.once('exit', () => reject(new Error('the thread that renders the reference page ended without it')))
  const { html, script } = await promise
  const bytesOf = ({ type, bytes }: Page['html']): RenderedFile => ({ type, bytes: Buffer.from(bytes.buffer) })
  return { html: bytesOf(html), script: bytesOf(script) }
}

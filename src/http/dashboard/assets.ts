// Serves the pages of the dashboard. All are one document, whose script shows the view of the URL.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import type { Mounting } from '../request/mount.ts'
import { pathOf } from '../request/path-of.ts'
import { type Asset, assetOf, once, sendAsset } from '../response/asset.ts'

/** Each view has a path, so that it can be linked to. `state/route.ts` of the script has the same list. */
const views = [
  '/',
  '/relayers/:relayer_id',
  '/relayers/:relayer_id/cancel-all',
  '/relayers/:relayer_id/transactions/:transaction_id',
  '/bulk-cancellations',
  '/bulk-cancellations/new',
  '/bulk-cancellations/:bulk_cancellation_id',
  '/stop-everything',
  '/search',
  '/nodes',
  '/figures',
  '/gas',
  '/dead-letters',
  '/api-keys',
  '/audit-log',
]

/** The page runs no script but its own file, is never framed, and talks to this service only. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Answers a browser at a path that is none with the page, which says so. */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

type Files = Readonly<Record<'script' | 'style' | 'icon', Asset>>

/** Routes of the dashboard's files. They need no key, so requests are limited by address. */
export function assetRoutes({ app, door }: Pick<Mounting, 'app' | 'door'>): UnknownPage {
  const files = once(openFiles)
  const read = async (file: keyof Files | 'html', url: string) =>
    file === 'html' ? assetOf('text/html; charset=utf-8', Buffer.from(pageAt(url))) : (await files())[file]
  const send = async (request: FastifyRequest, reply: FastifyReply, file: keyof Files | 'html') => {
    reply.header('content-security-policy', pagePolicy)
    reply.header('referrer-policy', 'no-referrer')
    reply.header('cross-origin-opener-policy', 'same-origin')
    reply.header('cross-origin-resource-policy', 'same-origin')
    return sendAsset(request, reply, await read(file, request.url))
  }
  const serve = (url: string, file: keyof Files | 'html') =>
    app.get(url, {
      schema: { hide: true },
      onRequest: (request: FastifyRequest) => door.rates.checkOpenLimit(request.ip),
      handler: (request: FastifyRequest, reply: FastifyReply) => send(request, reply, file),
    })
  for (const url of views) serve(url, 'html')
  serve('/dashboard/app.js', 'script')
  serve('/dashboard/app.css', 'style')
  serve('/dashboard/icon.svg', 'icon')
  return async (request, reply) => {
    await door.rates.checkOpenLimit(request.ip)
    return send(request, reply.code(404), 'html')
  }
}

async function openFiles(): Promise<Files> {
  const { script, style } = await readBundle()
  const [js, css, svg] = await Promise.all([
    assetOf('text/javascript; charset=utf-8', Buffer.from(script)),
    assetOf('text/css; charset=utf-8', Buffer.from(style)),
    assetOf('image/svg+xml', Buffer.from(icon)),
  ])
  return { script: js, style: css, icon: svg }
}

/** The package has the built files. A checkout has their source, and builds them at the first request. */
async function readBundle(): Promise<Bundle> {
  const built = (name: string) => readFile(new URL(`../../dashboard/${name}`, import.meta.url))
  try {
    const [script, style] = await Promise.all([built('main.js'), built('main.css')])
    return { script, style }
  } catch (error) {
    if (memberOf(error, 'code') !== 'ENOENT') throw error
    return bundleDashboard(fileURLToPath(new URL('../../dashboard/main.tsx', import.meta.url)))
  }
}

/** The page at a path names its files as seen from there: a proxy may serve all of it below a path of its own. */
function pageAt(url: string): string {
  const root = '../'.repeat(pathOf(url).split('/').length - 2)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rescind</title>
<link rel="icon" href="${root}dashboard/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}dashboard/app.css">
<script type="module" src="${root}dashboard/app.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript. The API does not: see /docs.</noscript>
</body>
</html>
`
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3451d1"/><path d="M22.5 21a7.5 7.5 0 1 0-12-8.5M9.5 7.5v5.5H15" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`

interface Bundle {
  readonly script: Uint8Array
  readonly style: Uint8Array
}

/** `entry` is the path of `src/dashboard/main.tsx`. Throws OperatorError where esbuild is not installed. */
export async function bundleDashboard(entry: string): Promise<Bundle> {
  const { build } = await import('esbuild').catch((cause: unknown) => {
    throw new OperatorError(
      'the dashboard needs esbuild to be built from a checkout; run npm ci, also for development',
      {
        cause,
      },
    )
  })
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
  })
  const ending = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.contents ?? new Uint8Array()
  return { script: ending('.js'), style: ending('.css') }
}

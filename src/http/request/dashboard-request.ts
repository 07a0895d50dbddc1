// Requests of the dashboard: their path, their cookie, and the proof that a page of this service sent them.
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { RescindError } from '../../domain/errors.ts'
import { basePath, isUnder } from './path-of.ts'

export const dashboardPath = '/dashboard/api'

const operationPath = new RegExp(`^${dashboardPath}/v1(?=[/?#]|$)`)

/** The dashboard's paths lead to the same operations as those of the API. */
export function rewriteDashboardUrl({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return url.replace(operationPath, basePath)
}

/** Whether the request came in under the dashboard's path: only then its cookie counts, and nothing else does. */
export function isFromDashboard({ originalUrl }: Pick<FastifyRequest, 'originalUrl'>): boolean {
  return isUnder(dashboardPath, originalUrl)
}

/** Browsers keep a cookie with this prefix to its host, and to HTTPS. */
const secureCookie = '__Host-rescind'
/** The cookie over HTTP, on this machine only: no browser keeps a `Secure` cookie reliably there. */
const loopbackCookie = 'rescind'

type Addressed = Pick<FastifyRequest, 'headers' | 'host' | 'hostname' | 'method'>

export function sessionTokenOf({ headers, hostname }: Addressed): string | undefined {
  const cookies = new Map(
    (headers.cookie ?? '').split(';').map((pair): [string, string] => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )
  return cookies.get(secureCookie) ?? (isLoopback(hostname) ? cookies.get(loopbackCookie) : undefined)
}

/** The Set-Cookie header of a new session; of none, to end it in the browser. Throws INSECURE_CONNECTION. */
export function sessionCookie(request: Addressed, token: string | undefined): string {
  const isSecure = originOf(request)?.protocol === 'https:'
  if (!isSecure && !isLoopback(request.hostname)) {
    throw new RescindError('INSECURE_CONNECTION', 'sign in over HTTPS; plain HTTP is for this machine only')
  }
  const named = isSecure ? `${secureCookie}=${token ?? ''}; Secure` : `${loopbackCookie}=${token ?? ''}`
  return `${named}; Path=/; HttpOnly; SameSite=Strict${token === undefined ? '; Max-Age=0' : ''}`
}

/**
 * Throws FOREIGN_ORIGIN unless a page of this service sent the request. Browsers add the two headers by themselves, and no page
 * can change them: Origin to every request that may change something, Sec-Fetch-Site to every request.
 */
export function checkOrigin(request: Addressed): void {
  const { headers, method, host } = request
  const site = headers['sec-fetch-site']
  const origin = originOf(request)
  const mayChange = method !== 'GET' && method !== 'HEAD'
  const ownHost = host.replace(origin?.protocol === 'https:' ? /:443$/ : /:80$/, '')
  // Browsers leave it out of reads by the own page. `null` is the origin of sandboxed frames and of files.
  const isOwn = headers.origin === undefined ? !mayChange : origin?.host === ownHost
  if (isOwn && (site === undefined || site === 'same-origin')) return
  throw new RescindError('FOREIGN_ORIGIN', 'another site sent this request; open the dashboard at its own address')
}

/** A page that refreshes itself, or a stream that is open, does not count as use of the session. */
export function isBackground({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['x-background'] !== undefined || (headers.accept ?? '').includes('text/event-stream')
}

function originOf({ headers: { origin } }: Pick<FastifyRequest, 'headers'>): URL | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

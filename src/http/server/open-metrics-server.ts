// GET /metrics for Prometheus, on a port of its own: API requests can't delay it, and clients can't reach it.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../ops/clock.ts'
import { loggingOutage } from '../../ops/log-outage.ts'
import type { Logger } from '../../ops/logger.ts'
import { waitBriefly } from '../../ops/within.ts'
import { headersTimeoutMs } from '../limits.ts'
import { listenError } from './listen-error.ts'

interface MetricsServerOptions {
  readonly expose: () => Promise<{ readonly contentType: string; readonly text: string }>
  /** Updates the values that are read only for a scrape. */
  readonly sample: () => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

interface MetricsAddress {
  readonly host: string
  readonly port: number
  /** Whether METRICS_HOST is not set, so that the host is that of the API. */
  readonly isHostOfApi?: boolean
}

export interface MetricsServer extends AsyncDisposable {
  /** Resolves to the URL. Throws OperatorError when the port can't be opened. */
  listen(at: MetricsAddress): Promise<string>
}

/** A scrape that waited for a hanging store would hide every other metric. */
const sampleTimeoutMs = 2_000

export function openMetricsServer({ expose, sample, clock, logger }: MetricsServerOptions): MetricsServer {
  let scraping: ReturnType<typeof scrape> | undefined
  const [began, over] = ['metrics could not be updated', 'metrics are updated again']
  const outage = loggingOutage(logger, { began, over, level: 'warn' })

  async function scrape() {
    const sampled = sample().then(outage.worked, (error: unknown) => void outage.failed(error))
    await waitBriefly(clock, sampleTimeoutMs, () => sampled)
    return expose()
  }

  const server = createServer(
    { headersTimeout: headersTimeoutMs, requestTimeout: headersTimeoutMs },
    (request, answer) => {
      const [path = ''] = (request.url ?? '').split('?')
      if (!/^\/(metrics|debug\/metrics\/scrape)(\/|$)/.test(path)) return unknown(answer)
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return void answer.writeHead(405, { allow: 'GET, HEAD' }).end()
      }
      // Concurrent scrapes share one sample.
      scraping ??= scrape().finally(() => {
        scraping = undefined
      })
      scraping.then(
        ({ contentType, text }) => {
          const part = metricsByPath(path, request.headers.accept, text)
          if (!part) return unknown(answer)
          const type = part.kind === 'json' ? 'application/json; charset=utf-8' : contentType
          answer.writeHead(200, { 'content-type': type }).end(part.body)
        },
        (error: unknown) => {
          logger.error({ err: error }, 'a scrape failed')
          answer.writeHead(500).end()
        },
      )
    },
  )

  return {
    listen: (at) => listening(server, at),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function unknown(answer: ServerResponse): void {
  answer.writeHead(404).end('metrics are at /metrics, and one of them at /metrics/NAME\n')
}

function listening(server: Server, { host, port, isHostOfApi }: MetricsAddress): Promise<string> {
  const hostVariable = isHostOfApi ? 'HOST' : 'METRICS_HOST'
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(listenError(cause, { host, port, hostVariable, portVariable: 'METRICS_PORT' }))
    })
    server.listen(port, host, () => {
      // `address()` returns null or a string only for a server that does not listen, or on a pipe.
      const { address, family, port: given } = server.address() as AddressInfo
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${given}/metrics`)
    })
  })
}

type MetricsAnswer = { readonly kind: 'text' | 'json'; readonly body: string } | undefined

/**
 * `text` is in Prometheus's format. Undefined for an unknown path. The paths of OpenZeppelin Relayer exist beside
 * `/metrics`. Its own `/metrics` is a list of names: a client that prefers JSON, as its clients do, receives that list.
 */
function metricsByPath(path: string, accept: string | undefined, text: string): MetricsAnswer {
  const wantsNames = /^\s*application\/json\b/i.test(accept ?? '')
  if (path === '/metrics' && wantsNames) return { kind: 'json', body: JSON.stringify([...familiesOf(text).keys()]) }
  if (path === '/metrics' || path === '/debug/metrics/scrape') return { kind: 'text', body: text }
  const family = path.startsWith('/metrics/') ? familiesOf(text).get(path.slice('/metrics/'.length)) : undefined
  return family === undefined ? undefined : { kind: 'text', body: family }
}

/** The lines of each metric, by its name. */
function familiesOf(text: string): ReadonlyMap<string, string> {
  const families = text.split(/^(?=# HELP )/m).filter((family) => family.startsWith('# HELP '))
  return new Map(families.map((family) => [family.split(' ', 3)[2] ?? '', family]))
}

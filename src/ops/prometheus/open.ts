// The metrics on prom-client: a registry of this service's own, and its text for a scrape.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import type { HttpMetrics, Metrics } from '../metrics.ts'
import { countChains } from './chains.ts'
import { countRelayers } from './relayers.ts'
import { countSigners } from './signers.ts'
import { countStore } from './store.ts'
import { countWebhooks } from './webhooks.ts'

export interface Exposition {
  /** The text format of Prometheus, as of now. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly text: string }>
}

export function openPrometheus({ version, clock }: { version: string; clock: Clock }): Metrics & Exposition {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'rescind_build_info',
    help: 'Always 1; its labels name the version of the service and of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
  const { networkOf, ...relayers } = countRelayers(registry)
  return {
    http: countHttp(registry),
    store: countStore(registry, clock, networkOf),
    relayers,
    webhooks: countWebhooks(registry),
    signers: countSigners(registry),
    chain: countChains(registry, clock),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

/** Counts requests by operation: the API bounds the labels, clients can't add any. */
function countHttp(registry: Registry): HttpMetrics {
  const requests = new Counter({
    name: 'rescind_http_requests_total',
    help: 'Requests answered, by operation and HTTP status; "unmatched" for paths that are not in the API.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'rescind_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  })
  return {
    operation(id) {
      const duration = durations.labels(id)
      const byStatus = new Map<number, Counter.Internal>()
      return (status, ms) => {
        duration.observe(ms / 1000)
        let count = byStatus.get(status)
        if (!count) {
          count = requests.labels(id, String(status))
          byStatus.set(status, count)
        }
        count.inc()
      }
    },
  }
}

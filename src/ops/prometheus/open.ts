// The metrics on prom-client: a registry of this service's own, and its text for a scrape.
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import type { Metrics } from '../metrics.ts'
import type { ProcessStates } from '../process-states.ts'
import { countChains } from './chains.ts'
import { countHttp } from './http.ts'
import { metricsIn } from './metrics-in.ts'
import { countProcess } from './process.ts'
import { countRelayers } from './relayers.ts'
import { countSigners } from './signers.ts'
import { countStore } from './store.ts'
import { countWebhooks } from './webhooks.ts'

export interface Exposition {
  /** The text format of Prometheus, as of now. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly text: string }>
}

interface Exposed {
  readonly version: string
  readonly clock: Clock
  readonly states: Pick<ProcessStates, 'all' | 'held'>
}

export function openPrometheus({ version, clock, states }: Exposed): Metrics & Exposition {
  const registry = new Registry()
  const metrics = metricsIn(registry)
  collectDefaultMetrics({ register: registry })
  metrics
    .gauge('rescind_build_info', 'Always 1; its labels name the version of the service and of Node.', [
      'version',
      'node',
    ])
    .set({ version, node: process.versions.node }, 1)
  const { networkOf, ...relayers } = countRelayers(metrics)
  return {
    http: countHttp(metrics),
    process: countProcess(metrics, states),
    store: countStore(metrics, clock, networkOf),
    relayers,
    webhooks: countWebhooks(metrics),
    signers: countSigners(metrics),
    chain: countChains(metrics),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

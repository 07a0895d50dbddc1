// The metrics on prom-client: a registry of this service's own, and its text for a scrape.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import type { Metrics } from '../metrics.ts'
import type { ProcessStates } from '../process-states.ts'
import { countChains } from './chains.ts'
import { countHttp } from './http.ts'
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
    process: countProcess(registry, states),
    store: countStore(registry, clock, networkOf),
    relayers,
    webhooks: countWebhooks(registry),
    signers: countSigners(registry),
    chain: countChains(registry, clock),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

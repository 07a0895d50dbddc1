// Counts the calls to the services that hold keys.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { SignerMetrics } from '../metrics.ts'

const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]

export function countSigners(registry: Registry): SignerMetrics {
  const registers = [registry]
  const calls = new Counter({
    name: 'rescind_signer_calls_total',
    help: 'Calls to a key service by their result: signed, throttled, transient (tried again), permanent, wrong (the signature is not of the key).',
    labelNames: ['signer', 'result'],
    registers,
  })
  const took = new Histogram({
    name: 'rescind_signer_call_duration_seconds',
    help: 'The time of one call to a key service.',
    labelNames: ['signer'],
    buckets: seconds,
    registers,
  })
  const delivered = new Histogram({
    name: 'rescind_signer_signature_duration_seconds',
    help: 'From the request of a signature until it came, with the queue for the quota and all retries.',
    labelNames: ['signer', 'purpose'],
    buckets: seconds,
    registers,
  })
  const available = new Gauge({
    name: 'rescind_signer_available',
    help: '1 while the key service signs, 0 after it failed until it signs again; see /docs/runbook.md#signer_unavailable.',
    labelNames: ['signer'],
    registers,
  })
  const rate = new Gauge({
    name: 'rescind_signer_quota_rate',
    help: 'Signatures a second that the service requests at most: the documented quota, or less after throttling.',
    labelNames: ['signer'],
    registers,
  })
  return {
    called(signer, result, ms) {
      calls.inc({ signer, result })
      took.observe({ signer }, ms / 1000)
    },
    signed: (signer, purpose, ms) => delivered.observe({ signer, purpose }, ms / 1000),
    available: (signer, isAvailable) => available.set({ signer }, isAvailable ? 1 : 0),
    quota: (signer, perSecond) => rate.set({ signer }, perSecond),
  }
}

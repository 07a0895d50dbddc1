// Counts the calls to the services that hold keys.
import type { SignerMetrics } from '../metrics.ts'
import type { MetricsIn } from './metrics-in.ts'

const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]

export function countSigners(metrics: MetricsIn): SignerMetrics {
  const calls = metrics.counter(
    'rescind_signer_calls_total',
    'Calls to a key service by their result: signed, throttled, transient (tried again), permanent, wrong (the signature is not of the key).',
    ['signer', 'result'],
  )
  const took = metrics.histogram(
    'rescind_signer_call_duration_seconds',
    'The time of one call to a key service.',
    seconds,
    ['signer'],
  )
  const delivered = metrics.histogram(
    'rescind_signer_signature_duration_seconds',
    'From the request of a signature until it came, with the queue for the quota and all retries.',
    seconds,
    ['signer', 'purpose'],
  )
  const available = metrics.gauge(
    'rescind_signer_available',
    '1 while the key service signs, 0 after it failed until it signs again; see /docs/runbook.md#signer_unavailable.',
    ['signer'],
  )
  const rate = metrics.gauge(
    'rescind_signer_quota_rate',
    'Signatures a second that the service requests at most: the documented quota, or less after throttling.',
    ['signer'],
  )
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

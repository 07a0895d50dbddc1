// Counts requests by operation: the API bounds the labels, clients can't add any.
import type { Counter } from 'prom-client'
import type { HttpMetrics } from '../metrics.ts'
import type { MetricsIn } from './metrics-in.ts'

export function countHttp(metrics: MetricsIn): HttpMetrics {
  const requests = metrics.counter(
    'rescind_http_requests_total',
    'Requests answered, by operation and HTTP status; "unmatched" for paths that are not in the API.',
    ['operation', 'status'],
  )
  const durations = metrics.histogram(
    'rescind_http_request_duration_seconds',
    'From the arrival of a request to the end of its answer.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    ['operation'],
  )
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

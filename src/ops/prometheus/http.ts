// Counts requests by operation: the API bounds the labels, clients can't add any.
import { Counter, Histogram, type Registry } from 'prom-client'
import type { HttpMetrics } from '../metrics.ts'

export function countHttp(registry: Registry): HttpMetrics {
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

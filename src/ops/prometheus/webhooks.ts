// Counts requests to webhooks, waiting events and dead letters.
import type { QueueCount } from '../../domain/delivery.ts'
import type { WebhookMetrics } from '../metrics.ts'
import type { MetricsIn } from './metrics-in.ts'

export function countWebhooks(metrics: MetricsIn): WebhookMetrics {
  let counts: readonly QueueCount[] = []
  const tries = metrics.counter(
    'rescind_webhook_tries_total',
    'Requests to a notification by their result: delivered, failed (tried again), dead (given up).',
    ['notification', 'result'],
  )
  const overdue = metrics.counter(
    'rescind_webhook_overdue_total',
    'Events of a notification that were given up while they waited, because their day was over.',
    ['notification'],
  )
  const dropped = metrics.counter(
    'rescind_webhook_dropped_total',
    'Dead letters of a notification that were deleted early, because it had more than are kept.',
    ['notification'],
  )
  gauge('rescind_webhook_waiting', 'Events that wait to be delivered.', ({ waiting }) => waiting)
  gauge(
    'rescind_webhook_oldest_timestamp_seconds',
    'When the oldest event that waits to be delivered was committed, or redelivered; absent without one.',
    ({ oldestAt }) => (oldestAt === undefined ? undefined : oldestAt / 1000),
  )
  gauge(
    'rescind_webhook_dead_letters',
    'Events that were given up and are kept, counted to 10,000.',
    ({ deadLetters }) => deadLetters,
  )
  return {
    tried: (notification, result) => tries.inc({ notification, result }),
    givenUp(notification, counts) {
      overdue.inc({ notification }, counts.givenUp)
      dropped.inc({ notification }, counts.dropped)
    },
    counted(queues) {
      counts = queues
    },
  }

  function gauge(name: string, help: string, of: (count: QueueCount) => number | undefined): void {
    metrics.collected(name, help, ['notification'], (shown) => {
      for (const count of counts) {
        const value = of(count)
        if (value !== undefined) shown.set({ notification: count.notificationId }, value)
      }
    })
  }
}

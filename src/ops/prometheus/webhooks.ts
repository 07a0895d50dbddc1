// Counts requests to webhooks, waiting events and dead letters.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { QueueCount } from '../../domain/delivery.ts'
import type { WebhookMetrics } from '../metrics.ts'

export function countWebhooks(registry: Registry): WebhookMetrics {
  let counts: readonly QueueCount[] = []
  const tries = new Counter({
    name: 'rescind_webhook_tries_total',
    help: 'Requests to a notification by their result: delivered, failed (tried again), dead (given up).',
    labelNames: ['notification', 'result'],
    registers: [registry],
  })
  const overdue = new Counter({
    name: 'rescind_webhook_overdue_total',
    help: 'Events of a notification that were given up while they waited, because their day was over.',
    labelNames: ['notification'],
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'rescind_webhook_dropped_total',
    help: 'Dead letters of a notification that were deleted early, because it had more than are kept.',
    labelNames: ['notification'],
    registers: [registry],
  })
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
    const shown = new Gauge({
      name,
      help,
      labelNames: ['notification'],
      registers: [registry],
      collect() {
        shown.reset()
        for (const count of counts) {
          const value = of(count)
          if (value !== undefined) shown.set({ notification: count.notificationId }, value)
        }
      },
    })
  }
}

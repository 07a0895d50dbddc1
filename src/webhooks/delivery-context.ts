// The dependencies of a delivery: the store, time, and the address of each notification.
import type { StoredEvent } from '../domain/event.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { WebhookMetrics } from '../ops/metrics.ts'
import type { Random } from '../ops/random.ts'
import type { Store } from '../store/store.ts'
import type { Webhook, WebhookPoster } from './post-webhook.ts'

export interface DeliveryContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly metrics: WebhookMetrics
  /** Names this process among those that share the database: a queue has one owner at a time. */
  readonly owner: string
  /** The webhook of a notification; undefined if none of that id is configured. */
  readonly webhookOf: (notificationId: string) => Webhook | undefined
  readonly present: (event: StoredEvent) => { readonly id: string }
  readonly poster: Pick<WebhookPoster, 'post'>
}

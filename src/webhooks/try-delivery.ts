// One try of one delivery: its dependencies, the event, its receiver, and the result.
import { type Due, nextTry, type Tried } from '../domain/delivery.ts'
import type { StoredEvent } from '../domain/event.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { WebhookMetrics } from '../ops/metrics.ts'
import type { Random } from '../ops/random.ts'
import type { Store } from '../store/store.ts'
import type { PostResult, Webhook, WebhookPoster } from './post-webhook.ts'

/** The dependencies of a delivery: the store, time, and the address of each notification. */
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

/** Never rejects. Undefined if it was cut off before an answer: then it does not count as a try. */
export async function tryDelivery(
  context: DeliveryContext,
  notificationId: string,
  due: Due,
  cutting: AbortSignal,
): Promise<Tried | undefined> {
  const { clock, logger, random } = context
  const posted = await post(context, notificationId, due, cutting).catch((error: unknown): PostResult => {
    logger.error({ err: error, notification: notificationId, event: due.eventId }, 'an event could not be sent')
    return failure('this service could not send it; its log says why')
  })
  if (posted.result === 'delivered') return { due, result: 'delivered' }
  if (cutting.aborted) return undefined
  const { error, retryAfterMs } = posted
  const facts = { notification: notificationId, event: due.eventId, subject: due.subjectId, error }
  const dueAt = nextTry(due, clock.now(), draw(random.bytes(4)), retryAfterMs)
  if (dueAt === undefined) {
    logger.warn({ ...facts, tries: due.tries + 1 }, 'an event was not delivered within a day, and is a dead letter now')
    return { due, result: 'dead', error }
  }
  logger.debug({ ...facts, tries: due.tries + 1 }, 'an event was not delivered; trying again')
  return { due, result: 'failed', error, dueAt }
}

async function post(
  { store, webhookOf, present, poster }: DeliveryContext,
  notificationId: string,
  due: Due,
  cutting: AbortSignal,
): Promise<PostResult> {
  const webhook = webhookOf(notificationId)
  if (!webhook) return failure(`no notification "${notificationId}" is configured`)
  const event = await store.reads.event(due.eventId)
  if (!event) throw new Error(`event ${due.eventId} is gone before it was delivered`)
  const body = present(event)
  return poster.post(webhook, { id: body.id, body: JSON.stringify(body) }, cutting)
}

function failure(error: string): PostResult {
  return { result: 'failed', error, retryAfterMs: 0 }
}

/** A number from [0, 1). */
function draw(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** (8 * bytes.length)
}

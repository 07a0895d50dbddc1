// Delivers events to webhooks: each queue with due deliveries is advanced, independently of the others.

import { backOff } from '../ops/clock.ts'
import { loggingOutage, type Outage } from '../ops/log-outage.ts'
import { waitBriefly } from '../ops/within.ts'
import { deliverQueue, healthy, isResting, type QueueHealth } from './deliver-queue.ts'
import type { DeliveryContext } from './try-delivery.ts'

const lookEveryMs = 100
/** For requests under way when the process has to stop. The next process repeats those that are cut off. */
const graceMs = 3_000
/** Concurrent requests over all queues; but each queue may have one. */
const requestsMax = 256

/** Disposing lets the requests under way finish, within a bound. */
export function deliverEvents(context: DeliveryContext): AsyncDisposable {
  const { clock, logger, store } = context
  const stopping = new AbortController()
  const cutting = new AbortController()
  const queues = new Map<string, { readonly health: QueueHealth; readonly outage: Outage }>()
  const working = new Map<string, Promise<void>>()

  function queueOf(notification: string) {
    const [began, over] = ['events could not be delivered; trying again', 'events can be delivered again']
    const queue = queues.get(notification) ?? {
      health: healthy(),
      outage: loggingOutage(logger, { began, over, facts: { notification } }),
    }
    queues.set(notification, queue)
    return queue
  }

  function start(notificationId: string): void {
    const { health, outage } = queueOf(notificationId)
    if (working.has(notificationId) || isResting(health, clock.now())) return
    const roomOf = () => Math.max(1, Math.floor(requestsMax / working.size))
    const work = deliverQueue(context, notificationId, {
      health,
      roomOf,
      stopping: stopping.signal,
      cutting: cutting.signal,
    })
      .then(outage.worked, (error: unknown) => clock.sleep(backOff(outage.failed(error) - 1), stopping.signal))
      .finally(() => working.delete(notificationId))
    working.set(notificationId, work)
  }

  async function run(): Promise<void> {
    const [began, over] = [
      'the queues of events could not be read; trying again',
      'the queues of events can be read again',
    ]
    const outage = loggingOutage(logger, { began, over })
    while (!stopping.signal.aborted) {
      let restMs = lookEveryMs
      try {
        const toDo = await store.reads.queuesToDo(clock.now())
        outage.worked()
        for (const notificationId of toDo) start(notificationId)
      } catch (error) {
        restMs = backOff(outage.failed(error) - 1)
      }
      await clock.sleep(restMs, stopping.signal)
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      const done = Promise.all([running, ...working.values()])
      await waitBriefly(clock, graceMs, () => done)
      cutting.abort()
      await done
    },
  }
}

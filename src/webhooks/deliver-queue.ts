// One queue of deliveries. Each advance records the results of tries and returns what is due, until nothing is left.

import type { Due, Tried } from '../domain/delivery.ts'
import { bell } from '../ops/bell.ts'
import { waitBriefly } from '../ops/within.ts'
import type { DeliveryContext } from './delivery-context.ts'
import { tryDelivery } from './try-delivery.ts'

/** What the last advances say of a receiver. Kept in memory: it spares one that is down, and decides nothing else. */
export interface QueueHealth {
  /** In each of which every try failed. */
  failuresInARow: number
  /** Nothing is tried before. */
  restsUntil: number
}

export interface QueueRun {
  readonly health: QueueHealth
  /** Requests that the queue may have under way. */
  readonly roomOf: () => number
  /** Nothing new is begun. */
  readonly stopping: AbortSignal
  /** What is under way is given up. */
  readonly cutting: AbortSignal
}

/** Who holds it and is silent for so long is gone. It is renewed while requests are under way. */
const leaseMs = 15_000
/** Twice: whose clock is ahead by up to a lease keeps what it works at, and the lease of who died ahead ends all the same. */
const leaseBelievedMs = 2 * leaseMs
const renewAfterMs = 5_000
/** From so many on, one request at a time finds out whether the receiver is back. */
const failuresInARowMax = 5
const restMs = { first: 250, most: 30_000 }
/** While requests are under way and none ends, something else may become due. */
const recheckMs = 100
/** Until the queue of somebody else is looked at again. */
const otherOwnerRestMs = 1_000

/** Resolves when nothing is due or under way. Rejects when the store fails: what was due before is due again then. */
export async function deliverQueue(context: DeliveryContext, notificationId: string, run: QueueRun): Promise<void> {
  const { store, clock, metrics, owner } = context
  const { health, stopping } = run
  const answered = bell()
  const busy = new Map<number, Promise<void>>()
  let tried: Tried[] = []
  /** The last advance, by the time that has passed; none yet. */
  let advancedAt: number | undefined

  async function begin(due: Due): Promise<void> {
    const result = await tryDelivery(context, notificationId, due, run.cutting)
    busy.delete(due.eventId)
    if (result) tried.push(result)
    answered.ring()
  }

  try {
    for (let first = true; ; first = false) {
      const now = clock.now()
      const room = stopping.aborted ? 0 : roomIn(health, run.roomOf(), busy.size, now)
      const eventsBusy = new Set(busy.keys())
      const more = room > 0 && (first || (await store.reads.moreToDo(notificationId, eventsBusy, now)))
      const renews = busy.size > 0 && advancedAt !== undefined && clock.elapsed() - advancedAt >= renewAfterMs
      if (tried.length > 0 || more || renews) {
        const results = tried
        tried = []
        const advance = { notificationId, owner, leaseMs, leaseBelievedMs, now, tried: results, busy: eventsBusy, room }
        advancedAt = clock.elapsed()
        const due = await store.commit((session) => session.advanceQueue(advance))
        if (!due) {
          // What came of our tries the other finds out again.
          health.restsUntil = now + otherOwnerRestMs
          return
        }
        for (const { result } of results) metrics.tried(notificationId, result)
        updateHealth(health, results, now)
        // Asked for before the stop, perhaps: nowhere but here is it under way, so the next owner finds it due.
        if (!stopping.aborted) for (const each of due) busy.set(each.eventId, begin(each))
        if (results.length > 0 || due.length > 0) continue
      }
      if (busy.size === 0 && tried.length === 0) {
        // Another process need not wait for the lease to end.
        if (stopping.aborted && advancedAt !== undefined) await releaseQueue(context, notificationId)
        return
      }
      if (tried.length === 0) await waitBriefly(context.clock, recheckMs, answered.wait)
    }
  } finally {
    await Promise.all(busy.values())
  }
}

async function releaseQueue({ store, clock, owner }: DeliveryContext, notificationId: string): Promise<void> {
  const nothing = { tried: [], busy: new Set<number>(), room: 0 }
  const advance = { notificationId, owner, leaseMs: 0, leaseBelievedMs, now: clock.now(), ...nothing }
  await store.commit((session) => session.advanceQueue(advance))
}

/** A rest that is longer than any was begun before the machine's clock was set back: it is over. */
export function isResting({ restsUntil }: QueueHealth, now: number): boolean {
  return restsUntil > now && restsUntil - now <= restMs.most
}

function roomIn(health: QueueHealth, room: number, busy: number, now: number): number {
  if (health.failuresInARow < failuresInARowMax) return Math.max(0, room - busy)
  return busy === 0 && !isResting(health, now) ? 1 : 0
}

function updateHealth(health: QueueHealth, results: readonly Tried[], now: number): void {
  if (results.length === 0) return
  const inVain = results.every(({ result }) => result !== 'delivered')
  health.failuresInARow = inVain ? health.failuresInARow + 1 : 0
  const beyond = health.failuresInARow - failuresInARowMax
  if (beyond >= 0) health.restsUntil = now + Math.min(restMs.most, restMs.first * 2 ** Math.min(beyond, 20))
}

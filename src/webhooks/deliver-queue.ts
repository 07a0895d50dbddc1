// Advances one queue of deliveries. Each round records the results of tries and returns due deliveries, until none is
// left.

import type { Due, Tried } from '../domain/delivery.ts'
import { bell } from '../ops/bell.ts'
import { waitBriefly } from '../ops/within.ts'
import { type DeliveryContext, tryDelivery } from './try-delivery.ts'

/**
 * The health of a receiver by the last rounds. Kept in memory: it spares a receiver that is down, and decides nothing
 * else.
 */
export interface QueueHealth {
  /** Logged once, at the start and at the end. */
  isReportedDown: boolean
  /** Rounds in a row in which every try failed. */
  failuresInARow: number
  /** No try begins before this time. */
  restsUntil: number
  /** Requests that may be under way. */
  requestsMax: number
  /** Events that the receiver took since that number changed. */
  takenInARow: number
}

interface QueueRun {
  readonly health: QueueHealth
  /** The queue's share of the requests that all queues may have under way. */
  readonly roomOf: () => number
  /** No try begins after this. */
  readonly stopping: AbortSignal
  /** The requests under way are aborted after this. */
  readonly cutting: AbortSignal
}

/** An owner that is silent for so long is gone. A live one renews its lease while requests are under way. */
const leaseMs = 15_000
/**
 * Twice the lease. An owner whose clock is ahead by up to a lease keeps its queue, and the lease of an owner that died
 * with a clock ahead still ends.
 */
const leaseBelievedMs = 2 * leaseMs
const renewAfterMs = 5_000
/** Failures in a row after which one request at a time tests whether the receiver is back. */
const failuresInARowMax = 5
const restMs = { first: 250, most: 30_000 }
/**
 * Requests under way to one receiver. A receiver far away needs more for the same rate; and only one that takes all gets more, so that
 * none is flooded.
 */
const requestsMin = 16
const requestsMost = 256
/** While requests are under way and none ends, other deliveries may become due. */
const recheckMs = 100
/** The pause before another owner's queue is tried again. */
const otherOwnerRestMs = 1_000

export function healthy(): QueueHealth {
  return { isReportedDown: false, failuresInARow: 0, restsUntil: 0, requestsMax: requestsMin, takenInARow: 0 }
}

/** Resolves when nothing is due or under way. Rejects when the store fails: the due deliveries are then due again. */
export async function deliverQueue(context: DeliveryContext, notificationId: string, run: QueueRun): Promise<void> {
  const { store, clock, metrics, owner } = context
  const { health, stopping } = run
  const answered = bell()
  const busy = new Map<number, Promise<void>>()
  let tried: Tried[] = []
  /** The time of the last round, by the elapsed time; undefined before the first. */
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
          // The other owner repeats our tries and finds their results again.
          health.restsUntil = now + otherOwnerRestMs
          return
        }
        for (const { result } of results) metrics.tried(notificationId, result)
        updateHealth(health, results, now)
        growRoom(health, results, busy.size, room > 0 && due.length === room)
        logHealth(context, notificationId, health)
        // The stop may have come during the commit. These are under way only in this memory, so the next owner finds
        // them due.
        if (!stopping.aborted) for (const each of due) busy.set(each.eventId, begin(each))
        if (results.length > 0 || due.length > 0) continue
      }
      if (busy.size === 0 && tried.length === 0) {
        // Another process then need not wait for the end of the lease.
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

/** A rest that exceeds the longest one began before the machine's clock was set back: it is over. */
export function isResting({ restsUntil }: QueueHealth, now: number): boolean {
  return restsUntil > now && restsUntil - now <= restMs.most
}

function roomIn(health: QueueHealth, room: number, busy: number, now: number): number {
  if (health.failuresInARow < failuresInARowMax) return Math.max(0, Math.min(room, health.requestsMax) - busy)
  return busy === 0 && !isResting(health, now) ? 1 : 0
}

function updateHealth(health: QueueHealth, results: readonly Tried[], now: number): void {
  if (results.length === 0) return
  const inVain = results.every(({ result }) => result !== 'delivered')
  health.failuresInARow = inVain ? health.failuresInARow + 1 : 0
  const beyond = health.failuresInARow - failuresInARowMax
  if (beyond >= 0) health.restsUntil = now + Math.min(restMs.most, restMs.first * 2 ** Math.min(beyond, 20))
}

/** Doubles the requests once the receiver took as many events as it may have requests, and others wait. The first failure ends that. */
function growRoom(health: QueueHealth, results: readonly Tried[], busy: number, moreWait: boolean): void {
  health.takenInARow += results.length
  if (results.some(({ result }) => result !== 'delivered')) {
    // What is under way began before the failure, and proves nothing about the time after it.
    Object.assign(health, { requestsMax: requestsMin, takenInARow: -busy })
  } else if (moreWait && health.takenInARow >= health.requestsMax) {
    Object.assign(health, { requestsMax: Math.min(requestsMost, 2 * health.requestsMax), takenInARow: 0 })
  }
}

function logHealth({ logger }: DeliveryContext, notification: string, health: QueueHealth): void {
  const isDown = health.failuresInARow >= failuresInARowMax
  if (isDown && !health.isReportedDown) logger.warn({ notification }, 'a receiver of webhooks fails; its events wait')
  // One success is enough: a receiver that fails now and then has no outage.
  if (health.failuresInARow === 0 && health.isReportedDown)
    logger.info({ notification }, 'a receiver of webhooks works again')
  health.isReportedDown = isDown || (health.isReportedDown && health.failuresInARow > 0)
}

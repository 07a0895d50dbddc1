// One queue of deliveries: turn by turn, what came of tries is recorded and what is due is tried, until nothing is left.

import type { Due, Tried } from '../domain/delivery.ts'
import { bell } from '../ops/bell.ts'
import { waitWithin } from '../ops/within.ts'
import type { DeliveryContext } from './delivery-context.ts'
import { tryDelivery } from './try-delivery.ts'

/** What the last turns tell of a receiver. Kept in memory: it spares one that is down, and decides nothing else. */
export interface QueueHealth {
  /** In each of which every try failed. */
  turnsInVain: number
  /** Nothing is tried before. */
  restsUntil: number
}

export interface Shift {
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
const turnsInVainMax = 5
const restMs = { first: 250, most: 30_000 }
/** While requests are under way and none ends, something else may become due. */
const lookAgainMs = 100
/** Until the queue of somebody else is looked at again. */
const aloofMs = 1_000

/** Resolves when nothing is due or under way. Rejects when the store fails: what was due before is due again then. */
export async function workOff(context: DeliveryContext, notificationId: string, shift: Shift): Promise<void> {
  const { store, clock, metrics, owner } = context
  const { health, stopping } = shift
  const answered = bell()
  const busy = new Map<number, Promise<void>>()
  let tried: Tried[] = []
  /** The last turn, by the time that has passed; none yet. */
  let turnAt: number | undefined

  async function begin(due: Due): Promise<void> {
    const result = await tryDelivery(context, notificationId, due, shift.cutting)
    busy.delete(due.eventId)
    if (result) tried.push(result)
    answered.ring()
  }

  try {
    for (let first = true; ; first = false) {
      const now = clock.now()
      const room = stopping.aborted ? 0 : roomIn(health, shift.roomOf(), busy.size, now)
      const eventsBusy = new Set(busy.keys())
      const more = room > 0 && (first || (await store.reads.moreToDo(notificationId, eventsBusy, now)))
      const renews = busy.size > 0 && turnAt !== undefined && clock.elapsed() - turnAt >= renewAfterMs
      if (tried.length > 0 || more || renews) {
        const results = tried
        tried = []
        const turn = { notificationId, owner, leaseMs, leaseBelievedMs, now, tried: results, busy: eventsBusy, room }
        turnAt = clock.elapsed()
        const due = await store.commit((session) => session.advanceQueue(turn))
        if (!due) {
          // What came of our tries the other finds out again.
          health.restsUntil = now + aloofMs
          return
        }
        for (const { result } of results) metrics.tried(notificationId, result)
        judge(health, results, now)
        // Asked for before the stop, perhaps: nowhere but here is it under way, so the next owner finds it due.
        if (!stopping.aborted) for (const each of due) busy.set(each.eventId, begin(each))
        if (results.length > 0 || due.length > 0) continue
      }
      if (busy.size === 0 && tried.length === 0) {
        // Another process need not wait for the lease to end.
        if (stopping.aborted && turnAt !== undefined) await leave(context, notificationId)
        return
      }
      if (tried.length === 0) await waitWithin(context.clock, lookAgainMs, answered.wait)
    }
  } finally {
    await Promise.all(busy.values())
  }
}

async function leave({ store, clock, owner }: DeliveryContext, notificationId: string): Promise<void> {
  const nothing = { tried: [], busy: new Set<number>(), room: 0 }
  const turn = { notificationId, owner, leaseMs: 0, leaseBelievedMs, now: clock.now(), ...nothing }
  await store.commit((session) => session.advanceQueue(turn))
}

/** A rest that is longer than any was begun before the machine's clock was set back: it is over. */
export function isResting({ restsUntil }: QueueHealth, now: number): boolean {
  return restsUntil > now && restsUntil - now <= restMs.most
}

function roomIn(health: QueueHealth, room: number, busy: number, now: number): number {
  if (health.turnsInVain < turnsInVainMax) return Math.max(0, room - busy)
  return busy === 0 && !isResting(health, now) ? 1 : 0
}

function judge(health: QueueHealth, results: readonly Tried[], now: number): void {
  if (results.length === 0) return
  const inVain = results.every(({ result }) => result !== 'delivered')
  health.turnsInVain = inVain ? health.turnsInVain + 1 : 0
  const beyond = health.turnsInVain - turnsInVainMax
  if (beyond >= 0) health.restsUntil = now + Math.min(restMs.most, restMs.first * 2 ** Math.min(beyond, 20))
}

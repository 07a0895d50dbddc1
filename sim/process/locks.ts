// The database server's locks as replicas meet them: sessions with a lease, which may break, be cut off, or sleep too long.
import { type LockSession, type Locks, lease, type Member, type Slot, type Survey } from '../../src/store/locks.ts'
import type { Dice } from '../../tooling/dice.ts'
import type { History } from '../history.ts'
import type { Timeline } from '../timeline.ts'
import { type Instance, leave, reach } from './instance.ts'

/** The same as in `src/store/postgres/locks.ts`. */
const heartbeatMs = 500
const watchMs = 100

export interface SimSession {
  readonly instance: Instance
  /** The server has not ended it. */
  isOpen(): boolean
  /** The process may assume that it holds its locks: its last beat is recent, and no end was reported to it. */
  isBelieved(): boolean
  holds(slot: Slot): boolean
}

export interface LockServer {
  locksOf(instance: Instance): Locks
  /** The latest that this process was given. */
  sessionOf(instance: Instance): SimSession | undefined
  /** The server ends the session; its process notices some time later. */
  breakSession(instance: Instance): void
  /** Nothing gets through for so long: the server and the process find out by their clocks. */
  cutOff(instance: Instance, forMs: number): void
  froze(instance: Instance): void
  woke(instance: Instance): void
  died(instance: Instance): void
}

/** A process has no locks now, and may have them later. */
export class LocksUnavailable extends Error {
  override readonly name = 'LocksUnavailable'
}

interface Held extends SimSession {
  readonly id: Member
  readonly slots: Set<Slot>
  readonly lost: AbortController
  open: boolean
  /** The time of the last beat that reached the server. Undefined: beats arrive. */
  silentSince: number | undefined
}

export function openLockServer(timeline: Timeline, dice: Dice, history: History): LockServer {
  const sessions: Held[] = []
  const latest = new Map<Instance, Held>()
  const cutUntil = new Map<Instance, number>()
  let lastId = 1_000

  const restOfCut = (instance: Instance) => (cutUntil.get(instance) ?? 0) - timeline.now()
  const isCut = (instance: Instance) => restOfCut(instance) > 0

  function drop(held: Held, why: string): void {
    if (!held.open) return
    held.open = false
    sessions.splice(sessions.indexOf(held), 1)
    history.note(`the server ends p${held.instance.id}'s session (${why})`)
  }

  /** The process notices that its session has ended. Over a working line the server notices, too. */
  function lose(held: Held): void {
    if (held.lost.signal.aborted) return
    held.lost.abort()
    if (!isCut(held.instance)) timeline.after(dice.between(0, 20), () => drop(held, 'given up'))
  }

  function isAlive(held: Held): boolean {
    const { silentSince, lost, instance } = held
    if (silentSince !== undefined && timeline.now() - silentSince >= lease.believedMs) lose(held)
    return !lost.signal.aborted && instance.state !== 'dead'
  }

  /** No beat arrives from now on, and the last one was a while ago. */
  function silence(held: Held): void {
    if (held.silentSince !== undefined) return
    const since = timeline.now() - dice.below(heartbeatMs)
    held.silentSince = since
    timeline.after(since + lease.serverMs - timeline.now(), () => {
      if (held.silentSince === since) drop(held, 'it was silent')
    })
  }

  /** As the client's own timer does, however late it comes. */
  function watch(held: Held, untilMs: number): void {
    timeline.after(Math.max(0, untilMs - timeline.now()) + dice.below(watchMs), () =>
      reach(held.instance, () => isAlive(held)),
    )
  }

  function ask<T>(held: Held, run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(new LocksUnavailable('the session that holds the locks is over'))
      if (!isAlive(held)) return refuse()
      const { signal } = held.lost
      signal.addEventListener('abort', refuse, { once: true })
      const answer = () => {
        // Sent again until it gets through, as TCP does.
        if (isCut(held.instance)) return void timeline.after(restOfCut(held.instance), answer)
        if (!held.open) return reach(held.instance, () => lose(held))
        const done = run()
        const hear = () =>
          reach(held.instance, () => {
            signal.removeEventListener('abort', refuse)
            if (isAlive(held)) resolve(done)
            else refuse()
          })
        // Most answers come at once: what they cost is events. Some are old when they come.
        if (dice.chance(0.7)) hear()
        else timeline.after(dice.pick([20, 80, 400, 1_500]), hear)
      }
      leave(held.instance, () => (dice.chance(0.7) ? answer() : timeline.after(dice.between(1, 80), answer)))
    })
  }

  function survey(self: Held): Survey {
    return {
      self: self.id,
      members: new Map(sessions.map(({ id, slots }) => [id, new Set(slots)])),
      barred: new Set(),
    }
  }

  function open(instance: Instance): Held {
    lastId += 1
    const held: Held = {
      instance,
      id: lastId,
      slots: new Set(),
      lost: new AbortController(),
      open: true,
      silentSince: undefined,
      isOpen: () => held.open,
      isBelieved: () => isAlive(held),
      holds: (slot) => held.open && held.slots.has(slot),
    }
    sessions.push(held)
    latest.set(instance, held)
    if (instance.state === 'paused') silence(held)
    return held
  }

  const sessionFor = (held: Held): LockSession => ({
    lost: held.lost.signal,
    isAlive: () => isAlive(held),
    lock: (slots) =>
      ask(held, () => {
        const taken = new Set(sessions.flatMap((each) => [...each.slots]))
        const got = slots.filter((slot) => !taken.has(slot))
        for (const slot of got) held.slots.add(slot)
        if (got.length > 0) history.note(`p${held.instance.id} locks ${got}`)
        return got
      }),
    unlock: (slots) =>
      ask(held, () => {
        for (const slot of slots) held.slots.delete(slot)
        if (slots.length > 0) history.note(`p${held.instance.id} unlocks ${slots}`)
      }),
    survey: () => ask(held, () => survey(held)),
    async end() {
      lose(held)
    },
  })

  const current = (instance: Instance) => {
    const held = latest.get(instance)
    return held?.open && !held.lost.signal.aborted ? held : undefined
  }

  return {
    locksOf: (instance) => ({
      join: () =>
        new Promise((resolve, reject) => {
          leave(instance, () => {
            if (isCut(instance)) {
              timeline.after(dice.between(200, 3_000), () =>
                reach(instance, () => reject(new LocksUnavailable('the database can’t be reached'))),
              )
            } else
              timeline.after(dice.between(1, 100), () => reach(instance, () => resolve(sessionFor(open(instance)))))
          })
        }),
    }),
    sessionOf: (instance) => latest.get(instance),
    breakSession(instance) {
      const held = current(instance)
      if (!held) return
      drop(held, 'broken')
      timeline.after(dice.pick([0, 50, 1_000, 2_900]), () => reach(instance, () => lose(held)))
    },
    cutOff(instance, forMs) {
      cutUntil.set(instance, timeline.now() + forMs)
      const held = current(instance)
      if (!held) return
      history.note(`p${instance.id}'s line is cut for ${forMs} ms`)
      silence(held)
      const since = held.silentSince
      watch(held, timeline.now() + lease.believedMs)
      timeline.after(forMs, () => {
        // A beat that comes through in time, and all is as before.
        if (held.open && held.silentSince === since && instance.state === 'alive' && isAlive(held)) {
          held.silentSince = undefined
        }
      })
    },
    froze(instance) {
      const held = current(instance)
      if (held) silence(held)
    },
    woke(instance) {
      const held = latest.get(instance)
      if (held?.silentSince === undefined || isCut(instance)) return
      const isInTime = timeline.now() - held.silentSince < lease.believedMs
      if (isInTime && held.open) held.silentSince = undefined
      else watch(held, timeline.now())
    },
    died(instance) {
      const held = latest.get(instance)
      if (!held) return
      // Its machine may have died with it: then no message reaches the server.
      if (dice.chance(0.7)) drop(held, 'its process died')
      else silence(held)
      held.lost.abort()
    },
  }
}

// The slots that one session holds: what of a survey is to be taken and given up, in which order it is done.

import type { RelayerId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { waitBriefly } from '../ops/within.ts'
import type { LockSession, Member, Slot, Survey } from '../store/locks.ts'
import type { Holdings } from './holdings.ts'
import { shareOut } from './share-out.ts'
import { bySlot, slotOf } from './slots.ts'

export interface HeldSlots {
  /** Whether the lock of this relayer is held, and is to stay. */
  covers(relayer: RelayerId): boolean
  /** Takes and gives up what the shares want, and sees to it that it is acquired and released. Rejects when the session fails. */
  look(relayers: readonly RelayerId[]): Promise<void>
  /** Gives everything up, each as soon as its last step is over. Never rejects. */
  leave(): Promise<void>
}

/** What nobody takes for so long is anybody's, whatever the shares say: it may be that others lack its key or network. */
const orphanedMs = 3_000
/** So long it is not given up for the sake of shares then, unless somebody comes. */
const keptMs = 300_000
/** A last step takes longer than that only where a node hangs. Others go on then: for them it is as after a crash. */
const lastStepMs = 3_000
/** Relayers acquired at once. */
const acquiredAtOnce = 64

export interface SlotsContext {
  readonly session: LockSession
  readonly holdings: Holdings
  readonly clock: Clock
  readonly logger: Logger
  /** Locks were given up: others may want them. */
  readonly onFreed: () => void
}

export function holdSlots({ session, holdings, clock, logger, onFreed }: SlotsContext): HeldSlots {
  const locked = new Set<Slot>()
  const leaving = new Map<Slot, Promise<void>>()
  const freeSince = new Map<Slot, number>()
  const keptUntil = new Map<Slot, number>()
  let met: ReadonlySet<Member> = new Set()
  let wanted: readonly RelayerId[] = []
  let acquiring: Promise<void> | undefined
  let logged = ''

  async function giveUp(slot: Slot, relayers: readonly RelayerId[]): Promise<void> {
    try {
      await waitBriefly(clock, lastStepMs, () => Promise.all(relayers.map(holdings.release)))
      if (!session.isAlive()) return
      await session.unlock([slot])
      locked.delete(slot)
      onFreed()
    } catch (error) {
      // The session is over, and with it the lock; or it is not, and the next look finds the slot here as before.
      logger.debug({ err: error, slot }, 'a lock was not given up')
    } finally {
      leaving.delete(slot)
    }
  }

  function beginToLeave(slots: Iterable<Slot>): void {
    const relayers = bySlot(holdings.relayers())
    for (const slot of slots) if (!leaving.has(slot)) leaving.set(slot, giveUp(slot, relayers.get(slot) ?? []))
  }

  /** Those that nobody has taken for a while. */
  function orphansAmong(free: readonly Slot[], now: number): readonly Slot[] {
    const isFree = new Set(free)
    for (const slot of freeSince.keys()) if (!isFree.has(slot)) freeSince.delete(slot)
    for (const slot of free) if (!freeSince.has(slot)) freeSince.set(slot, now)
    return free.filter((slot) => now - (freeSince.get(slot) ?? now) >= orphanedMs)
  }

  /** Whoever comes may have what the others lack. */
  function meet({ members }: Survey): void {
    if ([...members.keys()].some((member) => !met.has(member))) keptUntil.clear()
    met = new Set(members.keys())
  }

  /** Each of them is tried once. What is taken meanwhile comes with it. */
  async function acquireAll(): Promise<void> {
    const tried = new Set<RelayerId>()
    const isMissing = (relayer: RelayerId) => covers(relayer) && !holdings.has(relayer) && !tried.has(relayer)
    for (;;) {
      const next = wanted.filter(isMissing).slice(0, acquiredAtOnce)
      if (next.length === 0 || !session.isAlive()) return
      for (const relayer of next) tried.add(relayer)
      await Promise.all(next.map(acquire))
    }
  }

  async function acquire(relayer: RelayerId): Promise<void> {
    try {
      await holdings.acquire(relayer)
    } catch (error) {
      logger.warn({ err: error, relayer_id: relayer }, 'a relayer could not be acquired; trying again')
    }
  }

  const covers = (relayer: RelayerId) => {
    const slot = slotOf(relayer)
    return locked.has(slot) && !leaving.has(slot)
  }

  /** Once for each change. */
  function logSurvey({ members, barred }: Survey): void {
    const now = `${members.size} ${[...barred]}`
    if (now === logged) return
    logged = now
    logger.info({ replicas: members.size }, 'relayers are shared among the replicas')
    if (barred.size > 0) {
      logger.warn(
        { slots: [...barred] },
        'locks of relayers are held by sessions that are no replicas: their relayers stand still; see "Locks" in docs/scale.md',
      )
    }
  }

  return {
    covers,
    async look(relayers) {
      wanted = relayers
      const survey = await session.survey()
      logSurvey(survey)
      meet(survey)
      const now = clock.elapsed()
      for (const [slot, until] of keptUntil) if (until <= now) keptUntil.delete(slot)
      const slots = bySlot(relayers)
      const weights = new Map([...slots].map(([slot, its]) => [slot, its.length]))
      const { take, give, free } = shareOut(survey, {
        weights,
        leaving: new Set(leaving.keys()),
        kept: new Set(keptUntil.keys()),
      })
      beginToLeave(give)
      const orphans = new Set(orphansAmong(free, now))
      for (const slot of await session.lock([...new Set([...take, ...orphans])])) {
        locked.add(slot)
        if (orphans.has(slot)) keptUntil.set(slot, now + keptMs)
      }
      // Not waited for: others that come meanwhile are to be seen.
      acquiring ??= acquireAll().finally(() => {
        acquiring = undefined
      })
    },
    async leave() {
      beginToLeave(locked)
      await Promise.all([acquiring, ...leaving.values()])
    },
  }
}

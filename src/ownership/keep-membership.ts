// Membership among the replicas: one session of locks after the other, and a look around twice a second for as long as each lives.
//
// When a session is lost, all that is owned is lost with it before anything else happens, and the replica joins anew.

import type { RelayerId } from '../domain/ids.ts'
import type { Bell } from '../ops/bell.ts'
import { backOff, type Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import { waitBriefly } from '../ops/within.ts'
import type { Hints } from '../store/hints.ts'
import type { LockSession, Locks } from '../store/locks.ts'
import { holdSlots, type LockedSlots } from './hold-slots.ts'
import { type Holdings, releaseUnattended } from './holdings.ts'

/** Between looks; hints come sooner. */
const lookEveryMs = 500
/** Hints this close together are one look. */
const gatherMs = 20

interface Membership {
  readonly session: LockSession
  readonly slots: LockedSlots
}

interface MembershipContext {
  readonly locks: Locks
  readonly hints: Hints
  readonly clock: Clock
  readonly logger: Logger
  /** Rings for a look before it is due. */
  readonly looks: Bell
  /** The relayers that this replica can advance. */
  readonly wanted: () => readonly RelayerId[]
  readonly stopping: AbortSignal
  /** Another service of the database has the accounts of exactly these. */
  readonly onInUse: (relayers: readonly RelayerId[]) => void
}

export interface Memberships {
  /** The present membership; undefined between two sessions. */
  current(): Membership | undefined
  /** Resolves once stopping has ended the last session. Never rejects. */
  run(first: LockSession, holdings: Holdings, afterLook: () => void): Promise<void>
}

export function keepMembership(context: MembershipContext): Memberships {
  const { locks, hints, clock, logger, looks, wanted, stopping, onInUse } = context
  let membership: Membership | undefined

  async function follow({ session, slots }: Membership, afterLook: () => void): Promise<void> {
    const until = AbortSignal.any([session.lost, stopping])
    while (!until.aborted) {
      await slots.look(wanted())
      afterLook()
      await clock.sleep(gatherMs, until)
      await waitBriefly(clock, lookEveryMs, looks.wait, until)
    }
  }

  async function belong(session: LockSession, holdings: Holdings, afterLook: () => void): Promise<void> {
    const onFreed = () => hints.notify({ kind: 'locks' })
    const slots = holdSlots({ session, holdings, clock, logger, onFreed, onInUse })
    membership = { session, slots }
    const lose = () => {
      if (!stopping.aborted) logger.warn({}, 'the session that holds the locks is lost, and all relayers with it')
      releaseUnattended(holdings.releaseAll(), logger)
    }
    if (session.lost.aborted) lose()
    else session.lost.addEventListener('abort', lose, { once: true })
    try {
      // Who is there already looks again, and makes room.
      onFreed()
      await follow(membership, afterLook)
      if (stopping.aborted) await slots.leave()
    } finally {
      membership = undefined
      onInUse([])
      session.lost.removeEventListener('abort', lose)
      if (!session.lost.aborted) releaseUnattended(holdings.releaseAll(), logger)
      await session.end()
      onFreed()
    }
  }

  return {
    current: () => membership,
    async run(first, holdings, afterLook) {
      let session: LockSession | undefined = first
      const outage = loggingOutage(logger, {
        began: 'relayers can’t be owned at the moment; trying again',
        over: 'relayers can be owned again',
        level: 'warn',
      })
      let failures = 0
      while (!stopping.aborted) {
        try {
          session ??= await locks.join()
          failures = 0
          outage.worked()
          await belong(session, holdings, afterLook)
        } catch (error) {
          failures += 1
          outage.failed(error)
        }
        session = undefined
        await clock.sleep(backOff(failures), stopping)
      }
    },
  }
}

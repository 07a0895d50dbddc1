// Ownership among replicas of one database: a lock a slot, fair shares, and a look around twice a second.
//
// A relayer is acquired in this order: the lock, then its epoch, and only then is it read. It is given up in the reverse
// order: the step under way ends, then the lock goes. When the session of the locks is lost, all that is owned is lost
// with it before anything else happens, and the replica joins anew.

import type { RelayerId } from '../domain/ids.ts'
import { backOff } from '../ops/back-off.ts'
import { bell } from '../ops/bell.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { waitBriefly } from '../ops/within.ts'
import type { Hints } from '../store/hints.ts'
import type { LockSession, Locks } from '../store/locks.ts'
import type { Store } from '../store/store.ts'
import { type HeldSlots, holdSlots } from './hold-slots.ts'
import { type Holdings, openHoldings } from './holdings.ts'
import type { OwnershipHandlers, Ownerships } from './ownership.ts'
import { raisingEpochs } from './raise-epochs.ts'
import { trackBacklogs } from './track-backlogs.ts'

export interface OwnByLocks {
  readonly store: Store
  readonly locks: Locks
  readonly hints: Hints
  readonly clock: Clock
  readonly logger: Logger
}

/** Between looks; hints come sooner. */
const lookEveryMs = 500
/** Hints this close together are one look. */
const gatherMs = 20

interface Membership {
  readonly session: LockSession
  readonly slots: HeldSlots
}

/** Starting rejects where the locks can't be reached. */
export function ownByLocks(context: OwnByLocks): Ownerships {
  const { store, locks, hints, clock, logger } = context
  const stopping = new AbortController()
  const looks = bell()
  const findLost = trackBacklogs(store.reads)
  let wanted: ReadonlySet<RelayerId> = new Set()
  let membership: Membership | undefined
  let started: { readonly handlers: OwnershipHandlers; readonly holdings: Holdings } | undefined
  let running: Promise<void> = Promise.resolve()

  const present = () => {
    if (!started) throw new Error('start comes first')
    return started
  }

  /** Whatever happens to sessions, a relayer that is acquired anew waits for the end of what it was acquired for before. */
  function openAll(handlers: OwnershipHandlers): Holdings {
    return openHoldings({
      raiseEpoch: raisingEpochs(store),
      handlers,
      mayAcquire: (relayer) =>
        !stopping.signal.aborted &&
        wanted.has(relayer) &&
        membership?.session.isAlive() === true &&
        membership.slots.covers(relayer),
      isOver: () => {
        const session = membership?.session
        return () => !session?.isAlive()
      },
    })
  }

  function unattended(releasing: Promise<void>): void {
    releasing.catch((error: unknown) => logger.error({ err: error }, 'a relayer could not be given up'))
  }

  let finding = false
  /** Not waited for: the store may be slow to answer while the locks are well. */
  async function wakeLost(): Promise<void> {
    if (finding) return
    finding = true
    try {
      for (const relayer of await findLost()) present().handlers.wake(relayer)
    } catch (error) {
      logger.debug({ err: error }, 'work whose hint was lost could not be looked for')
    } finally {
      finding = false
    }
  }

  async function follow({ session, slots }: Membership): Promise<void> {
    const until = AbortSignal.any([session.lost, stopping.signal])
    while (!until.aborted) {
      await slots.look([...wanted])
      void wakeLost()
      await clock.sleep(gatherMs, until)
      await waitBriefly(clock, lookEveryMs, looks.wait, until)
    }
  }

  async function belong(session: LockSession): Promise<void> {
    const { holdings } = present()
    const onFreed = () => hints.notify({ kind: 'locks' })
    const slots = holdSlots({ session, holdings, clock, logger, onFreed })
    membership = { session, slots }
    const lose = () => {
      if (!stopping.signal.aborted)
        logger.warn({}, 'the session that holds the locks is lost, and all relayers with it')
      unattended(holdings.releaseAll())
    }
    if (session.lost.aborted) lose()
    else session.lost.addEventListener('abort', lose, { once: true })
    try {
      // Who is there already looks again, and makes room.
      onFreed()
      await follow(membership)
      if (stopping.signal.aborted) await slots.leave()
    } finally {
      membership = undefined
      session.lost.removeEventListener('abort', lose)
      if (!session.lost.aborted) unattended(holdings.releaseAll())
      await session.end()
      onFreed()
    }
  }

  async function run(first: LockSession): Promise<void> {
    let session: LockSession | undefined = first
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        session ??= await locks.join()
        failures = 0
        await belong(session)
      } catch (error) {
        failures += 1
        logger.warn({ err: error }, 'relayers can’t be owned at the moment; trying again')
      }
      session = undefined
      await clock.sleep(backOff(failures), stopping.signal)
    }
  }

  return {
    async start(handlers) {
      const first = await locks.join()
      started = { handlers, holdings: openAll(handlers) }
      hints.listen((hint) => {
        if (hint.kind === 'work') handlers.wake(hint.relayer)
        if (hint.kind === 'locks') looks.ring()
      }, stopping.signal)
      running = run(first)
    },
    async assign(assigned) {
      const { holdings, handlers } = present()
      wanted = new Set(assigned)
      const held = holdings.relayers()
      for (const relayer of held) if (!wanted.has(relayer)) unattended(holdings.release(relayer))
      // Whatever was changed of them, their hint may be lost.
      for (const relayer of held) handlers.wake(relayer)
      looks.ring()
    },
    wake(relayer) {
      if (started?.holdings.has(relayer)) started.handlers.wake(relayer)
      else hints.notify({ kind: 'work', relayer })
    },
    renew: (ownership) => present().holdings.renew(ownership),
    async yield(ownership) {
      await present().holdings.yield(ownership)
    },
    async stop() {
      stopping.abort()
      await running
      await started?.holdings.releaseAll()
    },
  }
}

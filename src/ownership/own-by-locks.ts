// Ownership among replicas of one database: a lock a slot, fair shares, and a look around twice a second.
//
// A relayer is acquired in this order: the lock, then its epoch, and only then is it read. It is given up in the reverse
// order: the step under way ends, then the lock goes.
import { LocksElsewhere } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import { bell } from '../ops/bell.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { Hints } from '../store/hints.ts'
import type { Locks } from '../store/locks.ts'
import type { Reads, Store } from '../store/store.ts'
import { slotOf } from './choose-slots.ts'
import { type Holdings, openHoldings, type RaiseEpoch, releaseUnattended } from './holdings.ts'
import { keepMembership, type Memberships } from './keep-membership.ts'
import type { OwnershipHandlers, Ownerships } from './ownership.ts'

interface OwnByLocks {
  readonly store: Store
  readonly locks: Locks
  readonly hints: Hints
  readonly clock: Clock
  readonly logger: Logger
}

/** Each commit finds the slot's lock on its own server. */
function provenEpochs(store: Store, membership: Memberships): RaiseEpoch {
  return async (relayer) => {
    const session = membership.current()?.session
    try {
      return await store.commit(async (unit) => {
        const proof = session?.proof?.([slotOf(relayer)])
        if (proof) await unit.proveLocks(proof)
        return unit.acquire(relayer)
      }, relayer)
    } catch (error) {
      if (error instanceof LocksElsewhere) await session?.end()
      throw error
    }
  }
}

/** Starting rejects where the locks can't be reached. */
export function ownByLocks(context: OwnByLocks): Ownerships {
  const { store, locks, hints, logger } = context
  const stopping = new AbortController()
  const looks = bell()
  let wanted: ReadonlySet<RelayerId> = new Set()
  let started: { readonly handlers: OwnershipHandlers; readonly holdings: Holdings } | undefined
  let running: Promise<void> = Promise.resolve()
  const membership = keepMembership({
    ...context,
    looks,
    wanted: () => [...wanted],
    stopping: stopping.signal,
    onInUse: (relayers) => started?.handlers.accountsInUse?.(relayers),
  })

  const present = () => {
    if (!started) throw new Error('start comes first')
    return started
  }

  /**
   * Opens the holdings of all sessions: a relayer that is acquired anew waits for the end of its earlier ownership, whatever
   * happens to sessions.
   */
  function openAll(handlers: OwnershipHandlers): Holdings {
    return openHoldings({
      raiseEpoch: provenEpochs(store, membership),
      handlers,
      mayAcquire: (relayer) => {
        if (stopping.signal.aborted || !wanted.has(relayer)) return false
        const current = membership.current()
        return current?.session.isAlive() === true && current.slots.covers(relayer)
      },
      isOver: () => {
        const session = membership.current()?.session
        return () => !session?.isAlive()
      },
    })
  }

  return {
    async start(handlers) {
      const first = await locks.join()
      const holdings = openAll(handlers)
      const wakeBacklogs = backlogWaker({ reads: store.reads, logger, handlers })
      started = { handlers, holdings }
      hints.listen((hint) => {
        if (hint.kind === 'work') handlers.wake(hint.relayer)
        if (hint.kind === 'locks') looks.ring()
      }, stopping.signal)
      // Not waited for: the store may be slow to answer while the locks are well.
      running = membership.run(first, holdings, () => void wakeBacklogs())
    },
    async assign(assigned) {
      const { holdings, handlers } = present()
      wanted = new Set(assigned)
      const held = holdings.relayers()
      for (const relayer of held) if (!wanted.has(relayer)) releaseUnattended(holdings.release(relayer), logger)
      // Whatever was changed of them, their hint may be lost.
      for (const relayer of held) handlers.wake(relayer)
      looks.ring()
    },
    wake(relayer, cause) {
      if (started?.holdings.has(relayer)) started.handlers.wake(relayer, cause)
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

interface WakeBacklogs {
  readonly reads: Pick<Reads, 'backlogs'>
  readonly handlers: Pick<OwnershipHandlers, 'wake' | 'wakeIfIdle'>
  readonly logger: Logger
}

/**
 * Wakes the owners of relayers with a queue, as a hint may be lost: once for each new sequence, and always while the owner is idle. A
 * transaction that is released again, after a replacement that was on hold, has the sequence that was seen before. A call during another
 * one does nothing. Never rejects.
 */
function backlogWaker({ reads, handlers, logger }: WakeBacklogs): () => Promise<void> {
  let seen: ReadonlyMap<RelayerId, number> = new Map()
  let finding = false

  async function wakeAll(): Promise<void> {
    const found = await reads.backlogs()
    for (const [relayer, sequence] of found) {
      if (seen.get(relayer) === sequence) handlers.wakeIfIdle(relayer)
      else handlers.wake(relayer)
    }
    seen = found
  }

  return async () => {
    if (finding) return
    finding = true
    try {
      await wakeAll()
    } catch (error) {
      logger.debug({ err: error }, 'work whose hint was lost could not be looked for')
    } finally {
      finding = false
    }
  }
}

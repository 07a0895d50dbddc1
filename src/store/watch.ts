// Reports every durable change of a transaction, from one place, for all writers.
import { verdictOn } from '../domain/cancel.ts'
import { OwnershipLost, RescindError, StaleWrite } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import { feesPaid, isTerminal, statusOf, type Transaction } from '../domain/transaction.ts'
import type { TimestampMs } from '../domain/units.ts'
import { statusReasonOf } from '../domain/wait.ts'
import type { FinalVerdict, StoreMetrics, TransactionChange } from '../ops/metrics.ts'
import type { Session, Store } from './store.ts'

type Seen = { readonly change: TransactionChange } | { readonly relayer: RelayerId; readonly dropped: number }

export function watchStore(store: Store, watch: StoreMetrics): Store {
  // A session runs one unit after the other, so each session has one watcher.
  const watchers = new WeakMap<Session, Watcher>()
  const watcherOf = (session: Session) => {
    const known = watchers.get(session) ?? watched(session)
    watchers.set(session, known)
    return known
  }
  return {
    ...store,
    async commit(unit, ...of) {
      const end = watch.committing()
      let seen: readonly Seen[] = []
      try {
        const done = await store.commit(
          (session) => {
            const watcher = watcherOf(session)
            // A unit may run again: only its last run counts.
            seen = watcher.begin()
            return unit(watcher.session)
          },
          ...of,
        )
        end('durable')
        for (const each of seen) {
          if ('change' in each) watch.changed(each.change)
          else watch.dropped(each.relayer, each.dropped)
        }
        return done
      } catch (error) {
        end(isAnswer(error) ? 'refused' : 'failed')
        throw error
      }
    },
  }
}

/** An error by which a unit that ran refuses a request. */
function isAnswer(error: unknown): boolean {
  if (error instanceof RescindError) return error.status < 500 || error.code === 'STORAGE_LOW'
  return error instanceof StaleWrite || error instanceof OwnershipLost
}

interface Watcher {
  readonly session: Session
  /** A unit begins: its changes go into the returned list. */
  begin(): readonly Seen[]
}

function watched(session: Session): Watcher {
  let seen: Seen[] = []
  const watching: Pick<Session, 'insertTransaction' | 'saveTransaction' | 'takeBulk' | 'cancelPending'> = {
    async insertTransaction(transaction) {
      await session.insertTransaction(transaction)
      seen.push({ change: changeOf(undefined, transaction, transaction.createdAt) })
    },
    async saveTransaction(before, after, now) {
      const saved = await session.saveTransaction(before, after, now)
      // Not `saved`, which may have attempts of an earlier binding: they were counted when they were signed.
      seen.push({ change: changeOf(before, after, now) })
      return saved
    },
    async cancelPending(relayer, now, by) {
      const bulk = await session.cancelPending(relayer, now, by)
      seen.push({ relayer, dropped: bulk.canceled.length - bulk.racing })
      return bulk
    },
    async takeBulk(part, now, reckoning) {
      const stop = await session.takeBulk(part, now, reckoning)
      if (stop) seen.push({ relayer: part.relayerId, dropped: stop.taken.canceled.length - stop.taken.racing })
      return stop
    },
  }
  return {
    session: { ...session, ...watching },
    begin() {
      seen = []
      return seen
    },
  }
}

function changeOf(before: Transaction | undefined, after: Transaction, now: TimestampMs): TransactionChange {
  const { relayerId, id, createdAt, lifecycle, cancellation } = after
  const reason = statusReasonOf(after)
  const ended = isTerminal(after) && !(before && isTerminal(before))
  const inclusion = ended && lifecycle.phase === 'final' ? lifecycle.inclusion : undefined
  const paid = inclusion && inclusion.by !== 'external' ? feesPaid(inclusion) : undefined
  const verdict = ended && cancellation ? verdictOn(after) : undefined
  return {
    relayer: relayerId,
    transaction: id,
    ...(before && { from: statusOf(before) }),
    to: statusOf(after),
    afterMs: now - createdAt,
    ...(reason !== undefined && { reason }),
    signed: attemptsOf(after)
      .slice(before ? attemptsOf(before).length : 0)
      .map(({ kind }) => kind),
    ...(verdict && cancellation && { verdict: finalVerdict(verdict, cancellation, now) }),
    ...(paid !== undefined && { paid }),
  }
}

function finalVerdict(
  { state, cost }: ReturnType<typeof verdictOn>,
  { origin, requestedAt }: NonNullable<Transaction['cancellation']>,
  now: TimestampMs,
): FinalVerdict {
  return { state, origin, ...(cost !== undefined && { cost }), afterMs: now - requestedAt }
}

function attemptsOf({ lifecycle }: Transaction) {
  return 'attempts' in lifecycle ? lifecycle.attempts : []
}

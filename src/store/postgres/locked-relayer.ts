// The relayer that a transaction has locked: nobody else changes its row, transactions and counts, so units read each of them
// once.
import type { Claimed } from '../../domain/claim.ts'
import type { Deferred } from '../deferred.ts'
import type { RelayerRow } from '../relayers/relayer-row.ts'
import { rememberRow } from '../relayers/remember-row.ts'
import type { Executor } from '../statement.ts'
import type { Session } from '../store.ts'
import { type Counts, countByStatus, pendingAmong, type Tallies } from '../transactions/counted/tallies.ts'
import type { FoundRow } from '../transactions/rows/find-transaction.ts'
import { claimUnclaimed, nameOfClaim } from '../transactions/written/claim.ts'

interface Locked {
  readonly executor: Executor
  readonly session: Session
  readonly tallies: Tallies
  readonly row: RelayerRow
  /** Transactions that were read since the row was locked: nobody else changes them either. */
  readonly transactions: readonly FoundRow[]
  /** The claims under idempotency keys at that time, by the keys' names. */
  readonly claims: ReadonlyMap<string, Claimed | undefined>
}

/** The session of a transaction that has locked a relayer, and what it has to write at the end. */
export function ofLockedRelayer(locked: Locked): { readonly session: Session; readonly sequences: Deferred } {
  const { remembering, sequences } = rememberRow(locked)
  return { session: { ...locked.session, ...rememberTransactions(locked), ...remembering }, sequences }
}

function rememberTransactions(locked: Locked): Partial<Session> {
  const { executor, session, tallies, transactions, claims } = locked
  const { id } = locked.row
  /** Transactions that no unit has written since, also where that unit failed. */
  const unwritten = new Map(transactions.map((found) => [found.id, found]))
  /** Keys that no unit of this relayer has claimed since. A claim for another relayer makes the commit fail, which runs again. */
  const looked = new Map(claims)
  let counts: Promise<Counts> | undefined

  return {
    transaction: async (relayerId, transactionId) =>
      (relayerId === id && unwritten.get(transactionId)?.transaction()) ||
      session.transaction(relayerId, transactionId),
    current: async (known) =>
      (known.relayerId === id && unwritten.get(known.id)?.transaction()) || session.current(known),
    saveTransaction(before, after, now) {
      unwritten.delete(before.id)
      return session.saveTransaction(before, after, now)
    },
    cancelPending(relayerId, now, by) {
      unwritten.clear()
      return session.cancelPending(relayerId, now, by)
    },
    takeBulk(part, now, reckoning) {
      unwritten.clear()
      return session.takeBulk(part, now, reckoning)
    },
    async claim(claimed, ids, now) {
      const name = nameOfClaim(claimed)
      if (!looked.has(name)) return session.claim(claimed, ids, now)
      const standing = looked.get(name)
      if (standing) return standing
      looked.delete(name)
      await claimUnclaimed(executor, claimed, ids, now)
      return undefined
    },
    async pending(relayerId) {
      if (relayerId !== id) return session.pending(relayerId)
      counts ??= countByStatus(executor, id)
      return pendingAmong(await counts, tallies, id)
    },
  }
}

// The relayer that a transaction has locked: nobody else changes its row, so what units ask of it is answered from memory,
// and the sequences they take are written once for all of them.
import type { Claimed } from '../../domain/claim.ts'
import { OwnershipLost } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Status, Transaction } from '../../domain/transaction.ts'
import type { Deferred } from '../deferred.ts'
import { inLists } from '../in-lists.ts'
import { type RelayerRow, relayerFromRow } from '../relayers/relayer-row.ts'
import { type Executor, statement } from '../statement.ts'
import type { Session } from '../store.ts'
import { claimUnclaimed, nameOfClaim } from '../transactions/claim.ts'
import { countByStatus, pendingAmong, type Tallies } from '../transactions/tallies.ts'

const saveLastSequence = inLists(
  statement<{ id: RelayerId; last: number }>((db, p) =>
    db.updateTable('relayers').set({ last_sequence: p.last }).where('id', '=', p.id),
  ),
  { id: 'text', last: 'bigint' },
  (given) => `UPDATE relayers SET last_sequence = given.last FROM ${given}
    WHERE relayers.id = ANY($1::text[]) AND relayers.id = given.id`,
  { writes: { table: 'relayers', key: 'id' }, joins: true },
)

export interface Locked {
  readonly executor: Executor
  readonly session: Session
  readonly tallies: Tallies
  readonly row: RelayerRow
  /** Transactions that were read since the row was locked: nobody else changes them either. */
  readonly transactions: readonly Transaction[]
  /** What stood under idempotency keys then, by their names. */
  readonly claims: ReadonlyMap<string, Claimed | undefined>
}

/** The session of a transaction that has locked a relayer, and what it has to write at the end. */
export function ofLockedRelayer(locked: Locked): { readonly session: Session; readonly sequences: Deferred } {
  const { remembering, sequences } = rememberRow(locked)
  return { session: { ...locked.session, ...rememberTransactions(locked), ...remembering }, sequences }
}

function rememberTransactions({ executor, session, tallies, row, transactions, claims }: Locked): Partial<Session> {
  const { id } = row
  /** Those that no unit has written since, also where that unit failed. */
  const unwritten = new Map(transactions.map((transaction) => [transaction.id, transaction]))
  /** Those that no unit of this relayer has claimed since. A claim for another relayer makes the commit fail, which runs again. */
  const looked = new Map(claims)
  let counts: Promise<Readonly<Record<Status, number>>> | undefined

  return {
    transaction: async (relayerId, transactionId) =>
      (relayerId === id && unwritten.get(transactionId)) || session.transaction(relayerId, transactionId),
    current: async (known) => (known.relayerId === id && unwritten.get(known.id)) || session.current(known),
    saveTransaction(before, after, now) {
      unwritten.delete(before.id)
      return session.saveTransaction(before, after, now)
    },
    cancelPending(relayerId, now) {
      unwritten.clear()
      return session.cancelPending(relayerId, now)
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

/** The relayer's row as it was locked, until a unit is about to change it otherwise than by the sequences that it reserves. */
function rememberRow({ executor, session, row }: Locked): {
  readonly remembering: Partial<Session>
  readonly sequences: Deferred
} {
  const { id } = row
  const relayer = relayerFromRow(row)
  /** The last sequence reserved, and whether this memory still stands for the row: of units that are through, and with the one that runs. */
  let kept = { last: row.last_sequence, known: true }
  let { last, known } = kept

  async function write(): Promise<void> {
    if (known && last !== row.last_sequence) await executor.all(saveLastSequence, { id, last })
  }

  /** From here on the row itself is asked: it is about to be something else, or to be gone. */
  async function leaveToRow(): Promise<void> {
    await write()
    known = false
  }

  function take(count: number) {
    last += count
    return { relayer, first: last - count + 1 }
  }

  const remembering: Partial<Session> = {
    relayer: async (relayerId) => (known && relayerId === id ? relayer : session.relayer(relayerId)),
    async reserveSequence(relayerId) {
      if (!known || relayerId !== id) return session.reserveSequence(relayerId)
      return { relayer, sequence: take(1).first }
    },
    reserveSequences: async (relayerId, count) =>
      known && relayerId === id ? take(count) : session.reserveSequences(relayerId, count),
    async fence(relayerId, epoch) {
      if (!known || relayerId !== id) return session.fence(relayerId, epoch)
      if (BigInt(row.epoch) !== epoch)
        throw new OwnershipLost(`epoch ${epoch} of relayer ${id} is over: it has another owner`)
    },
    async raiseFloor(relayerId, floor) {
      const { spentBelow, explainedBelow } = floor
      const stands = row.spent_below >= spentBelow && row.explained_below >= explainedBelow
      if (!known || relayerId !== id || !stands) await session.raiseFloor(relayerId, floor)
    },
    async acquire(relayerId) {
      await leaveToRow()
      return session.acquire(relayerId)
    },
    async saveRelayer(changed) {
      await leaveToRow()
      return session.saveRelayer(changed)
    },
    async removeRelayer(relayerId, now) {
      await leaveToRow()
      return session.removeRelayer(relayerId, now)
    },
  }
  return {
    remembering,
    sequences: {
      keep() {
        kept = { last, known }
      },
      forget() {
        ;({ last, known } = kept)
      },
      // It lives no longer than its transaction.
      reset() {},
      write,
    },
  }
}

// A relayer's row, read in a transaction that keeps others from changing it: it answers units from memory, and counts the
// sequences that they take.
import { OwnershipLost } from '../../domain/errors.ts'
import type { Deferred } from '../deferred.ts'
import type { Executor } from '../statement.ts'
import type { Session } from '../store.ts'
import { keepFromReuse } from './last-sequence.ts'
import { type RelayerRow, relayerFromRow } from './relayer-row.ts'
import { gaveUp } from './relayers.ts'

export interface RememberedRow {
  readonly remembering: Pick<
    Session,
    | 'relayer'
    | 'reserveSequence'
    | 'reserveSequences'
    | 'insertTransaction'
    | 'fence'
    | 'raiseFloor'
    | 'acquire'
    | 'saveRelayer'
    | 'removeRelayer'
  >
  readonly sequences: Deferred
  /** The row is about to change. */
  leaveToRow(): Promise<void>
}

/** Remembers the row until a unit is about to change it otherwise than by the sequences that it reserves. */
export function rememberRow({
  executor,
  session,
  row,
}: {
  readonly executor: Executor
  readonly session: Session
  /** Nobody else changes it before the transaction ends. */
  readonly row: RelayerRow
}): RememberedRow {
  const { id } = row
  const relayer = relayerFromRow(row)
  /**
   * The last sequence reserved, the last one of a stored transaction, and whether this memory still stands for the row: of units
   * that are through, and with the one that runs.
   */
  let kept = { last: row.last_sequence, stored: row.last_sequence, known: true }
  let { last, stored, known } = kept

  /** The rows of transactions hold the sequences, except one that was reserved for nothing. */
  async function write(): Promise<void> {
    if (known && last > stored) await keepFromReuse(executor, id, last)
  }

  /** Units read the row itself from here on: it is about to be something else, or to be gone. */
  async function leaveToRow(): Promise<void> {
    await write()
    known = false
  }

  function take(count: number) {
    last += count
    return { relayer, first: last - count + 1, ...gaveUp(row) }
  }

  const remembering: RememberedRow['remembering'] = {
    relayer: async (relayerId) => (known && relayerId === id ? relayer : session.relayer(relayerId)),
    async reserveSequence(relayerId) {
      if (!known || relayerId !== id) return session.reserveSequence(relayerId)
      const { first, ...rest } = take(1)
      return { ...rest, sequence: first }
    },
    reserveSequences: async (relayerId, count) =>
      known && relayerId === id ? take(count) : session.reserveSequences(relayerId, count),
    async insertTransaction(transaction) {
      if (transaction.relayerId === id) stored = Math.max(stored, transaction.sequence)
      await session.insertTransaction(transaction)
    },
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
    leaveToRow,
    sequences: {
      keep() {
        kept = { last, stored, known }
      },
      forget() {
        ;({ last, stored, known } = kept)
      },
      // It lives no longer than its transaction.
      reset() {},
      write,
    },
  }
}

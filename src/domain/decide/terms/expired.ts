// The end of a transaction's validity.
import type { Transaction } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'

export function hasExpired(transaction: Transaction, now: TimestampMs): boolean {
  return transaction.validUntil !== undefined && transaction.validUntil <= now
}

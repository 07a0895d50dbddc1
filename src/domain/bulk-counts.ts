// The counts of a bulk cancellation. They follow from the verdicts on its transactions: a change of one adds what it is now and takes away
// what it was.
import type { BulkCancellation, BulkCounts } from './bulk-cancellation.ts'
import { verdictOn } from './cancel.ts'
import type { Transaction } from './transaction.ts'
import type { TimestampMs, Wei } from './units.ts'

/** The highest cost that counts. More is an error of a node: sums would leave the range of exact integers. */
const costMax: Wei = 2n ** 43n * 1_000_000_000n

export const noCounts: BulkCounts = {
  ...{ dropped: 0, racing: 0, won: 0, lost: 0, external: 0 },
  ...{ unsettled: 0, safe: 0, unpriced: 0, cost: 0n },
}

/** The counts of one transaction. */
export function countsOf(transaction: Transaction): BulkCounts {
  const { state, final, safeToRetry, cost } = verdictOn(transaction)
  const known = cost !== undefined && cost <= costMax ? cost : undefined
  return {
    ...noCounts,
    [state]: 1,
    unsettled: final ? 0 : 1,
    safe: safeToRetry ? 1 : 0,
    unpriced: known === undefined ? 1 : 0,
    cost: known ?? 0n,
  }
}

export function sumOf(counts: readonly BulkCounts[]): BulkCounts {
  return counts.reduce((sum, each) => combine(sum, each, 1), noCounts)
}

/** Undefined if no bulk cancellation has taken the transaction, or if its counts stay the same. */
export function countChange(before: Transaction, after: Transaction): BulkCounts | undefined {
  if (after.bulkPart === undefined) return undefined
  const change = combine(countsOf(after), before.bulkPart === undefined ? noCounts : countsOf(before), -1)
  return isNoChange(change) ? undefined : change
}

function combine(one: BulkCounts, other: BulkCounts, sign: 1 | -1): BulkCounts {
  return {
    dropped: one.dropped + sign * other.dropped,
    racing: one.racing + sign * other.racing,
    won: one.won + sign * other.won,
    lost: one.lost + sign * other.lost,
    external: one.external + sign * other.external,
    unsettled: one.unsettled + sign * other.unsettled,
    safe: one.safe + sign * other.safe,
    unpriced: one.unpriced + sign * other.unpriced,
    cost: one.cost + BigInt(sign) * other.cost,
  }
}

function isNoChange(counts: BulkCounts): boolean {
  return Object.values(counts).every((count) => count === 0 || count === 0n)
}

/** Whether it canceled and paused nothing. Once the bulk cancellation is final, the answer no longer changes. */
export function isEmptyBulk({ parts, pause }: Pick<BulkCancellation, 'parts' | 'pause'>): boolean {
  return !pause && parts.every(({ counts }) => isNoChange(counts))
}

/** When the last of its parts was final. Undefined before. */
export function finalAtOf({
  parts,
  requestedAt,
}: Pick<BulkCancellation, 'parts' | 'requestedAt'>): TimestampMs | undefined {
  const ends = parts.map(({ finalAt }) => finalAt)
  if (ends.includes(undefined)) return undefined
  return Math.max(requestedAt, ...ends.map((end) => end ?? requestedAt))
}

// Checks the verdict on a cancellation, as its client reads it, against the chain: the winner, the cost, and that a payload with
// `safe_to_retry` never executes.

import { type Verdict, verdictOn } from '../../src/domain/cancel.ts'
import type { Hash } from '../../src/domain/ids.ts'
import type { AttemptRow } from '../../src/store/transactions/rows/attempt-row.ts'
import { transactionFromRow } from '../../src/store/transactions/rows/transaction-row.ts'
import type { Blocks, Included } from '../chain/blocks.ts'
import { isNoOp, tagOf, tagsOf } from '../chain/transaction.ts'
import type { Disk } from '../process/database.ts'
import type { Bytes } from './bytes.ts'
import type { Row } from './row.ts'

export interface Verdicts {
  changed(row: Row): void
  /** The canonical chain executes this payload from now on. */
  executed(tag: number): void
  /** A copy was restored: verdicts that it does not hold were never reported. */
  forget(): void
}

export interface VerdictWatch {
  fail(what: string): void
  /** The number of executions of this payload on the canonical chain. */
  executions(tag: number): number
  /** Canceled by its client after a restore: the DELETE is answered from the restored copy. */
  wasUnknowable(id: string): boolean
  /** A node reports false inclusions, and all its answers agree. */
  isInclusionForged(): boolean
  /** A node named a false cost in its receipt. */
  isCostForged(hash: Hash): boolean
  /** The sequencer has ordered these bytes, for good. */
  wasOrdered(hash: Hash): boolean
}

export function watchVerdicts(
  { committed }: Disk,
  blocks: Blocks,
  bytes: Pick<Bytes, 'recorded'>,
  { fail, executions, wasUnknowable, isInclusionForged, isCostForged, wasOrdered }: VerdictWatch,
): Verdicts {
  const attemptsOf = committed<[string, number], AttemptRow>(
    'SELECT * FROM attempts WHERE transaction_id = ? AND nonce = ? ORDER BY position',
  )
  /** Payloads that their clients may send again, by number: the id of the transaction. */
  const safe = new Map<number, string>()

  /** The verdict that follows from the transaction on the chain. */
  function stateBy(row: Row, { transaction }: Included): Verdict['state'] {
    const tag = tagOf(transaction)
    if (tag !== undefined) return tagsOf(row).includes(tag) ? 'lost' : 'external'
    const attempt = bytes.recorded(transaction.hash)
    if (attempt?.transaction_id !== row.id || !isNoOp(transaction)) return 'external'
    // The payload of a gap filler looks like its cancellation.
    return attempt.kind === 'cancel' ? 'won' : 'lost'
  }

  function burned({ gasUsed, price, l1Fee = 0n }: Included): bigint {
    return BigInt(gasUsed) * price + l1Fee
  }

  function compare(row: Row, reported: Verdict, isOrdered: boolean): void {
    const name = row.id.slice(-6)
    if (reported.preconfirmed && !isOrdered) fail(`${name}: preconfirmed, and the sequencer has not ordered it`)
    if (reported.final !== (row.open === 0))
      fail(`${name}: its verdict is ${reported.final ? '' : 'not '}final as it is ${row.phase}`)
    if (reported.safeToRetry && !reported.final) fail(`${name}: safe to retry, and nothing is final yet`)
    const winner = reported.winner && includedIn(reported.winner.block.hash, reported.winner.hash)
    // A false inclusion is not final, and a witness takes it back.
    if (reported.winner && !winner && !reported.final && isInclusionForged()) return
    if (reported.winner && !winner) fail(`${name}: its verdict names a winner that no block holds`)
    const before = reported.preconfirmed ? 'lost' : row.phase === 'dropped' ? 'dropped' : 'racing'
    const state = winner ? stateBy(row, winner) : before
    // The payload shows that a transaction without a record is ours; a gap filler has no payload.
    const isUntold = row.included_kind === 'unrecorded' && tagsOf(row).length === 0
    if (reported.state !== state && !isUntold) fail(`${name}: its verdict is ${reported.state}, and should be ${state}`)
    const cost = winner && state === 'won' ? burned(winner) : 0n
    // Facts that the row lacks are checked elsewhere.
    const isUnknown =
      reported.cost === undefined && state === 'won' && [row.gas_used, row.effective_gas_price].includes(null)
    const isDoubted = reported.winner !== undefined && isCostForged(reported.winner.hash) && !reported.final
    if (reported.cost !== cost && !isUnknown && !isDoubted) {
      fail(`${name}: its verdict has a cost of ${reported.cost}, and the chain burned ${cost}`)
    }
  }

  function includedIn(block: Hash, hash: Hash): Included | undefined {
    return blocks.byHash(block)?.included.find(({ transaction }) => transaction.hash === hash)
  }

  return {
    changed(row) {
      if (row.canceled_at === null) return
      const attempts = row.nonce === null ? [] : attemptsOf(row.id, row.nonce)
      const reported = verdictOn(transactionFromRow(row, attempts))
      compare(
        row,
        reported,
        attempts.some(({ kind, hash }) => kind !== 'cancel' && wasOrdered(hash)),
      )
      if (!reported.safeToRetry || wasUnknowable(row.id)) return
      for (const tag of tagsOf(row)) {
        safe.set(tag, row.id)
        if (executions(tag) > 0) fail(`${row.id.slice(-6)}: safe to retry, and its payload ${tag} is on the chain`)
      }
    },
    executed(tag) {
      const id = safe.get(tag)
      if (id !== undefined) fail(`${id.slice(-6)}: safe to retry, and then its payload ${tag} was executed`)
    },
    forget: () => safe.clear(),
  }
}

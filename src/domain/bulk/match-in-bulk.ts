// Which of a relayer's open transactions a bulk cancellation matches: the same rule at its instant, and for a preview.
import { type BulkTerms, costLimitOf } from '../bulk-cancellation.ts'
import { matches } from '../bulk-filter.ts'
import type { StoredWork } from '../decide/plan/work.ts'
import type { TransactionId } from '../ids.ts'
import { isRacing, isTakenByBulk } from '../refusals.ts'
import { statusOf, type Transaction } from '../transaction.ts'
import type { TimestampMs } from '../units.ts'
import type { Matched } from './choose-within.ts'

interface Facts {
  readonly now: TimestampMs
  /** The tags of an open transaction, if the filter names some. */
  readonly tagsOf: (id: TransactionId) => readonly string[]
}

type Terms = Pick<BulkTerms, 'filter' | 'pause' | 'only' | 'maxCost'>

/** A `max_cost` also bounds matches that race already. */
export function matchInBulk(
  work: Matched['work'] & Pick<StoredWork, 'queued'>,
  terms: Terms,
  { now, tagsOf }: Facts,
): Matched {
  const limit = costLimitOf(terms)
  const bindsRaces = limit !== undefined && limit.only === undefined
  const isMatch = (each: Transaction) => matches(terms.filter, each, now, tagsOf(each.id))
  return {
    work,
    covers: (each) =>
      isMatch(each) && (isTakenByBulk(each) || (bindsRaces && isRacing(statusOf(each), each.lifecycle.phase))),
    staying: work.queued.filter((each) => !isMatch(each)),
    pauses: terms.pause,
  }
}

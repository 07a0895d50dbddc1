// What the limit of cost of a bulk cancellation leaves of a relayer's matches with a nonce: `only` and `max_cost`.
import { type BulkHead, costLimitOf } from '../../domain/bulk-cancellation.ts'
import { matches } from '../../domain/bulk-filter.ts'
import { needsPrice, type Reckoning, restOf } from '../../domain/cost-limit.ts'
import { chooseWithin, type MatchChoice, type Matched } from '../../domain/decide/choose-within.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { refuseUnobserved } from '../../domain/one-currency.ts'
import { isRacing, isTakenByBulk } from '../../domain/refusals.ts'
import { statusOf, type Transaction } from '../../domain/transaction.ts'
import type { TimestampMs, Wei } from '../../domain/units.ts'
import type { Executor } from '../statement.ts'
import { tagsFor } from './bulk-filter.ts'
import { lockSpent } from './bulk-rows.ts'
import { loadWork } from './load-work.ts'

export interface Chosen {
  /** Of each match with a nonce. */
  readonly of: ReadonlyMap<TransactionId, MatchChoice>
  readonly spent: Wei
}

/** Undefined without a limit, and for a relayer that is gone. Throws PRICE_UNOBSERVED. */
export async function chooseInBulk(
  executor: Executor,
  head: BulkHead,
  relayerId: RelayerId,
  now: TimestampMs,
  { policyOf, priceOf }: Reckoning,
): Promise<Chosen | undefined> {
  const limit = costLimitOf(head)
  const work = limit && (await loadWork(executor, relayerId))
  if (!limit || !work) return undefined
  const { relayer } = work
  const policy = policyOf(relayer)
  const price = priceOf(relayer)
  const { filter } = head
  const tagsOf = await tagsFor(
    executor,
    filter,
    [...work.open, ...work.queued].map(({ id }) => id),
  )
  const isMatch = (each: Transaction) => matches(filter, each, now, tagsOf(each.id))
  const matched: Matched = {
    work,
    covers: (each: Transaction) =>
      isMatch(each) &&
      (isTakenByBulk(each) || (limit.only === undefined && isRacing(statusOf(each), each.lifecycle.phase))),
    staying: work.queued.filter((each) => !isMatch(each)),
    pauses: head.pause,
  }
  // Another replica, or one that has just started, may not have read it yet. Without a match that costs something nothing is reckoned by it.
  if (needsPrice(limit) && !chooseWithin(matched, { only: 'free' }, policy, price).choices.every(({ taken }) => taken))
    refuseUnobserved([{ id: relayerId, profile: policy.profile, market: price?.market }])
  const committed = limit.maxCost === undefined ? [] : await lockSpent(executor, head.id)
  const { choices, spent } = chooseWithin(matched, restOf(limit, committed), policy, price)
  return { of: new Map(choices.map((each) => [each.id, each])), spent }
}

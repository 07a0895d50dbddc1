// What bounds the cost of a bulk cancellation leaves of a relayer's matches with a nonce: `only`, `max_cost` and a preview.
import { type BulkHead, costLimitOf } from '../../domain/bulk-cancellation.ts'
import type { BulkFilter } from '../../domain/bulk-filter.ts'
import { needsPrice, type Reckoning, refuseUnobserved, restOf } from '../../domain/cost-limit.ts'
import { chooseWithin, type MatchChoice } from '../../domain/decide/choose-within.ts'
import { matchInBulk } from '../../domain/decide/match-in-bulk.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { TimestampMs, Wei } from '../../domain/units.ts'
import type { BulkWork } from '../bulk-port.ts'
import type { Executor } from '../statement.ts'
import { tagsFor } from './bulk-filter.ts'
import type { ShownRows } from './bulk-previews.ts'
import { lockSpent } from './bulk-rows.ts'
import { loadWork } from './load-work.ts'

export interface Chosen {
  /** The choice for each match with a nonce. */
  readonly of: ReadonlyMap<TransactionId, MatchChoice>
  /** The sum of the shares. Absent: nothing bounds the cost, and no share is stored. */
  readonly spent?: Wei
}

/** Call it within a read of one instant. */
export async function loadBulkWork(
  executor: Executor,
  relayerId: RelayerId,
  filter: BulkFilter,
): Promise<BulkWork | undefined> {
  const work = await loadWork(executor, relayerId)
  if (!work) return undefined
  const ids = [...work.open, ...work.queued].map(({ id }) => id)
  return { work, tagsOf: await tagsFor(executor, filter, ids) }
}

/** Chooses the matches; undefined without a limit and a preview, and for a relayer that is gone. Throws PRICE_UNOBSERVED. */
export async function chooseInBulk(
  executor: Executor,
  head: BulkHead,
  relayerId: RelayerId,
  now: TimestampMs,
  {
    reckoning: { policyOf, priceOf },
    shown,
  }: { readonly reckoning: Reckoning; readonly shown?: ShownRows | undefined },
): Promise<Chosen | undefined> {
  const limit = costLimitOf(head)
  const isBounded = limit !== undefined || shown?.costMax !== undefined
  const found = limit || shown ? await loadBulkWork(executor, relayerId, head.filter) : undefined
  if (!found) return undefined
  const { work } = found
  const { relayer } = work
  const policy = policyOf(relayer)
  const price = priceOf(relayer)
  const { tagsOf } = found
  const matched = matchInBulk(work, head, { now, tagsOf, shown: shown?.set })
  // Another replica, or one that has just started, may not have read it yet. Without a match that costs something nothing is reckoned by it.
  const isFree = () => chooseWithin(matched, { only: 'free' }, policy, price, shown).choices.every(({ taken }) => taken)
  if ((limit ? needsPrice(limit) : isBounded) && !isFree()) {
    refuseUnobserved([{ id: relayerId, profile: policy.profile, market: price?.market }])
  }
  const committed = limit?.maxCost === undefined ? [] : await lockSpent(executor, head.id)
  const { choices, spent } = chooseWithin(matched, limit && restOf(limit, committed), policy, price, shown)
  return { of: new Map(choices.map((each) => [each.id, each])), ...(isBounded && { spent }) }
}

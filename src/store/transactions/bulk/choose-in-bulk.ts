// Which of a relayer's matches with a nonce a bulk cancellation takes within its limit of cost, and what a preview shows of all of them.

import { chooseWithin, type MatchChoice } from '../../../domain/bulk/choose-within.ts'
import { matchInBulk } from '../../../domain/bulk/match-in-bulk.ts'
import { type BulkHead, costLimitOf } from '../../../domain/bulk-cancellation.ts'
import type { BulkFilter } from '../../../domain/bulk-filter.ts'
import { needsPrice, type Reckoning, refuseUnobserved, restOf } from '../../../domain/cost-limit.ts'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { TimestampMs, Wei } from '../../../domain/units.ts'
import type { BulkMatches, BulkWork, MatchRequest } from '../../bulk-port.ts'
import type { Executor } from '../../statement.ts'
import { loadWork } from '../found/load-work.ts'
import { tagsFor } from './bulk-filter.ts'
import { lockSpent } from './bulk-rows.ts'
import { countMatches } from './drop-queue.ts'

export interface Chosen {
  /** The choice for each match with a nonce. */
  readonly of: ReadonlyMap<TransactionId, MatchChoice>
  /** The sum of the shares. */
  readonly spent: Wei
}

/** Call it within a read of one instant: a transaction that gets a nonce between two reads would be missing in both. */
export async function loadMatches(
  executor: Executor,
  relayerId: RelayerId,
  request: MatchRequest,
): Promise<BulkMatches | undefined> {
  const found = await loadBulkWork(executor, relayerId, request.filter)
  return found && { ...found, queued: await countMatches(executor, relayerId, request) }
}

async function loadBulkWork(
  executor: Executor,
  relayerId: RelayerId,
  filter: BulkFilter,
): Promise<BulkWork | undefined> {
  const work = await loadWork(executor, relayerId)
  if (!work) return undefined
  const ids = [...work.open, ...work.queued].map(({ id }) => id)
  return { work, tagsOf: await tagsFor(executor, filter, ids) }
}

/** Chooses the matches; undefined without a limit, and for a relayer that is gone. Throws PRICE_UNOBSERVED. */
export async function chooseInBulk(
  executor: Executor,
  head: BulkHead,
  relayerId: RelayerId,
  now: TimestampMs,
  { policyOf, priceOf }: Reckoning,
): Promise<Chosen | undefined> {
  const limit = costLimitOf(head)
  const found = limit && (await loadBulkWork(executor, relayerId, head.filter))
  if (!limit || !found) return undefined
  const { work } = found
  const { relayer } = work
  const policy = policyOf(relayer)
  const price = priceOf(relayer)
  const { tagsOf } = found
  const matched = matchInBulk(work, head, { now, tagsOf })
  // Another replica, or one that has just started, may not have read it yet. Without a match that costs something nothing is reckoned by it.
  const isFree = () => chooseWithin(matched, { only: 'free' }, policy, price).choices.every(({ taken }) => taken)
  if (needsPrice(limit) && !isFree()) {
    refuseUnobserved([{ id: relayerId, profile: policy.profile, market: price?.market }])
  }
  const committed = limit.maxCost === undefined ? [] : await lockSpent(executor, head.id)
  const { choices, spent } = chooseWithin(matched, restOf(limit, committed), policy, price)
  return { of: new Map(choices.map((each) => [each.id, each])), spent }
}

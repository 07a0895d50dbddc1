// The preview of a bulk cancellation: what it would cancel now, and at which cost. It changes no transaction, and calls no node.

import { type Choices, chooseInOrder, type RelayerMatch } from '../../domain/bulk/choose-within.ts'
import { matchInBulk } from '../../domain/bulk/match-in-bulk.ts'
import { type BulkTerms, costLimitOf } from '../../domain/bulk-cancellation.ts'
import { matches } from '../../domain/bulk-filter.ts'
import { type CostBy, type CostLimit, missingPrice, needsPrice, refuseUnlikeCosts } from '../../domain/cost-limit.ts'
import { relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { isRacing, isTakenByBulk } from '../../domain/refusals.ts'
import { statusOf } from '../../domain/transaction.ts'
import { maxWei, minWei, type Nonce, type TimestampMs, type Wei } from '../../domain/units.ts'
import type { Reads } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'
import type { BulkStops } from './stop-relayers.ts'

const breathMs = 1

/** The most matches of one relayer in a sample. */
const sampleMax = 5

type BulkMatches = NonNullable<Awaited<ReturnType<Reads['bulkMatches']>>>

interface PreviewOrder {
  readonly terms: BulkTerms
  readonly relayers: readonly RelayerId[] | 'all'
  /** The relayers of a key that is bound to some. */
  readonly visible?: readonly RelayerId[]
}

/** The part of one relayer. */
export interface PreviewedPart {
  readonly relayerId: RelayerId
  /** Transactions that would be canceled. */
  readonly matches: number
  /** No-ops, gap fillers included. */
  readonly noOps: number
  /** The cost at the last observed price. Absent without one. */
  readonly cost?: Wei
  /** The most that it may become. Absent without a price. */
  readonly costMax?: Wei
  /** Transactions that would be canceled, and cost nothing. */
  readonly free: number
  /** Matches whose earlier cancellation is racing. */
  readonly already: number
  /** Matches that `only` or `max_cost` leaves. */
  readonly left: number
  /** The symbol of the relayer's native currency. */
  readonly symbol: string
  readonly sample: readonly SampledMatch[]
}

interface SampledMatch {
  readonly id: TransactionId
  readonly nonce?: Nonce
  /** Absent if the match is free. */
  readonly by?: CostBy
  readonly cost?: Wei
}

export interface RequestedPreview {
  /** As `createdTo` of the request that follows, it excludes later sends. */
  readonly instant: TimestampMs
  readonly parts: readonly PreviewedPart[]
}

type Stops = Pick<BulkStops, 'costingOf' | 'reckoning'>

/** Throws RELAYER_NOT_FOUND, SYMBOLS_DIFFER and PRICE_UNOBSERVED. */
export async function previewBulk(
  context: CommandContext,
  stops: Stops,
  { terms, ...order }: PreviewOrder,
): Promise<RequestedPreview> {
  const instant = context.clock.now()
  const createdTo = Math.min(terms.filter.createdTo ?? instant, instant)
  const asOfNow = { ...terms, filter: { ...terms.filter, createdTo } }
  return { instant, parts: await readParts(context, stops, { ...order, terms: asOfNow }, instant) }
}

/** The parts that the request would cancel now. Each relayer is read at an instant of its own. */
export async function readParts(
  context: CommandContext,
  stops: Stops,
  { terms, relayers, visible }: PreviewOrder,
  now: TimestampMs,
): Promise<readonly PreviewedPart[]> {
  const { reads } = context.store
  const limit = costLimitOf(terms)
  const found: BulkMatches[] = []
  for (const id of relayers === 'all' ? await reads.relayerIds() : new Set(relayers)) {
    if (relayers === 'all' && visible && !visible.includes(id)) continue
    // Other requests come between.
    if (found.length > 0) await context.clock.sleep(breathMs)
    const matches = await reads.bulkMatches(id, { filter: terms.filter, now, oldest: sampleMax })
    if (matches) found.push(matches)
    else if (relayers !== 'all') throw relayerNotFound(id)
  }
  const works = found.map(({ work }) => work)
  const costings = works.map(({ relayer }) => stops.costingOf(relayer))
  if (limit && needsPrice(limit)) refuseUnlikeCosts(costings)
  const matched = found.map(({ work, tagsOf }, index): RelayerMatch => {
    const [costing, { reckoning }] = [costings[index], stops]
    const isPriced = costing !== undefined && missingPrice(costing) === undefined
    const price = isPriced ? reckoning.priceOf(work.relayer) : undefined
    return { ...matchInBulk(work, terms, { now, tagsOf }), policy: reckoning.policyOf(work.relayer), price }
  })
  const chosen = chooseInOrder(matched, limit)
  let spentBefore = 0n
  return found.map((matches, index): PreviewedPart => {
    const [match, { choices, spent }] = [matched[index], chosen[index] ?? { choices: [], spent: 0n }]
    const isPriced = match?.price !== undefined
    const symbol = costings[index]?.symbol ?? ''
    const part = partOf({ ...matches, terms, now, choices, symbol })
    const rest = limit?.maxCost === undefined ? undefined : maxWei(0n, limit.maxCost - spentBefore)
    spentBefore += spent
    return { ...part, ...(isPriced || limit?.only ? costOf({ choices, spent }, limit, rest) : {}) }
  })
}

interface Found extends Pick<Choices, 'choices'>, BulkMatches {
  readonly terms: BulkTerms
  readonly now: TimestampMs
  readonly symbol: string
}

function partOf({ work, tagsOf, queued, terms, now, choices, symbol }: Found): PreviewedPart {
  const open = new Map(work.open.map((each) => [each.id, each]))
  const taken = choices.filter((each) => each.taken)
  // With `max_cost` also races, which get a bound of their cost, and are canceled already.
  const isNew = ({ id }: Pick<SampledMatch, 'id'>) => {
    const transaction = open.get(id)
    return transaction !== undefined && isTakenByBulk(transaction)
  }
  const matchesNow = work.open.filter((each) => matches(terms.filter, each, now, tagsOf(each.id)))
  const costly = taken.flatMap(({ id, nonce, by, share }): SampledMatch[] =>
    by === undefined ? [] : [{ id, nonce, by, ...(share > 0n && { cost: share }) }],
  )
  const free = taken.filter(({ by }) => by === undefined).map(({ id, nonce }): SampledMatch => ({ id, nonce }))
  return {
    relayerId: work.relayer.id,
    matches: taken.filter(isNew).length + queued.count,
    noOps: costly.length,
    free: free.filter(isNew).length + queued.count,
    already: matchesNow.filter((each) => isRacing(statusOf(each), each.lifecycle.phase)).length,
    left: choices.length - taken.length,
    symbol,
    sample: [...costly.toReversed(), ...free, ...queued.oldest.map((id) => ({ id }))].slice(0, sampleMax),
  }
}

/** `rest`: of `max_cost`. */
function costOf(
  { choices, spent }: Choices,
  limit: CostLimit | undefined,
  rest: Wei | undefined,
): Required<Pick<PreviewedPart, 'cost' | 'costMax'>> {
  const most = choices.reduce((sum, each) => (each.taken ? sum + (each.most ?? each.share) : sum), 0n)
  const isLimited = limit !== undefined && rest !== undefined
  return { cost: spent, costMax: isLimited ? minWei(most, rest) : most }
}

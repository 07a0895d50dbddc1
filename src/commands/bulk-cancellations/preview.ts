// The preview of a bulk cancellation: what it would cancel now, and at which cost. It changes no transaction, and calls no node.
import { hash } from 'node:crypto'
import { type BulkTerms, costLimitOf } from '../../domain/bulk-cancellation.ts'
import { matches } from '../../domain/bulk-filter.ts'
import { type BulkPreview, previewKeptMs, type ShownPart } from '../../domain/bulk-preview.ts'
import { type CostBy, type CostLimit, missingPrice, needsPrice, refuseUnlikeCosts } from '../../domain/cost-limit.ts'
import { type Choices, chooseInOrder, type RelayerMatch } from '../../domain/decide/choose-within.ts'
import { matchInBulk } from '../../domain/decide/match-in-bulk.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../domain/ids.ts'
import { isRacing, isTakenByBulk } from '../../domain/refusals.ts'
import { runsOf } from '../../domain/sequence-runs.ts'
import { statusOf } from '../../domain/transaction.ts'
import { maxWei, minWei, type Nonce, type TimestampMs, type Wei } from '../../domain/units.ts'
import type { Reads } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'
import { digestOf } from '../digest-request.ts'
import type { BulkStops } from './stop-relayers.ts'

/** The most matches of all relayers together. */
const matchesMax = 2_000_000
/** Rows of a queue that one read decides, where the process shares the database with others. */
const rowsAtOnce = 20_000
const breathMs = 1

/** The most matches of one relayer in a sample. */
const sampleMax = 5

type BulkWork = NonNullable<Awaited<ReturnType<Reads['bulkWork']>>>

interface PreviewOrder {
  readonly terms: BulkTerms
  readonly relayers: readonly RelayerId[] | 'all'
  /** The relayers of a key that is bound to some. */
  readonly visible?: readonly RelayerId[]
}

export interface PreviewedPart extends ShownPart {
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

export interface RequestedPreview extends Pick<BulkPreview, 'expiresAt'> {
  readonly token: string
  readonly parts: readonly PreviewedPart[]
}

type Stops = Pick<BulkStops, 'costingOf' | 'reckoning'>
type QueuePage = Awaited<ReturnType<Reads['queuedMatches']>>
type QueuedMatch = QueuePage['found'][number]

/** Throws RELAYER_NOT_FOUND, SYMBOLS_DIFFER, PRICE_UNOBSERVED and INVALID_REQUEST. */
export async function previewBulk(
  context: CommandContext,
  stops: Stops,
  order: PreviewOrder,
  keyId: ApiKeyId,
): Promise<RequestedPreview> {
  const { store, clock, random } = context
  const parts = await readParts(context, stops, order)
  const token = Buffer.from(random.bytes(32)).toString('base64url')
  const expiresAt = clock.now() + previewKeptMs
  const preview = { id: previewIdOf(token), keyId, digest: digestOfOrder(order), expiresAt, parts }
  await store.commit((session) => session.recordPreview(preview))
  return { token, expiresAt, parts }
}

export function previewIdOf(token: string): string {
  return hash('sha256', token)
}

/** A name and a reason are no terms: they may differ. */
export function digestOfOrder({ terms, relayers }: Pick<PreviewOrder, 'terms' | 'relayers'>): string {
  const { filter, pause, only, maxCost } = terms
  return digestOf(relayers === 'all' ? relayers : relayers.toSorted(), { filter, pause, only, maxCost })
}

/** The parts that the request would cancel now. Each relayer is read at an instant of its own, and its queue in portions. */
export async function readParts(
  context: CommandContext,
  stops: Stops,
  { terms, relayers, visible }: PreviewOrder,
): Promise<readonly PreviewedPart[]> {
  const { reads } = context.store
  const now = context.clock.now()
  const limit = costLimitOf(terms)
  const found: BulkWork[] = []
  for (const id of relayers === 'all' ? await reads.relayerIds() : new Set(relayers)) {
    if (relayers === 'all' && visible && !visible.includes(id)) continue
    const work = await reads.bulkWork(id, terms.filter)
    if (work) found.push(work)
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
  const parts: PreviewedPart[] = []
  const before = { matches: 0, spent: 0n }
  for (const [index, { work, tagsOf }] of found.entries()) {
    const [match, { choices, spent }] = [matched[index], chosen[index] ?? { choices: [], spent: 0n }]
    const queue = await readQueue(context, work.relayer.id, terms, now, matchesMax - before.matches)
    const isPriced = match?.price !== undefined
    const symbol = costings[index]?.symbol ?? ''
    const part = partOf({ work, tagsOf, terms, now, choices, queue, symbol })
    const rest = limit?.maxCost === undefined ? undefined : maxWei(0n, limit.maxCost - before.spent)
    parts.push({ ...part, ...(isPriced || limit?.only ? costOf({ choices, spent }, limit, rest) : {}) })
    before.matches += part.matches
    before.spent += spent
  }
  return parts
}

/** Throws INVALID_REQUEST if there are more than `max`. */
async function readQueue(
  { store, clock, bulks }: CommandContext,
  relayerId: RelayerId,
  { filter }: BulkTerms,
  now: TimestampMs,
  max: number,
): Promise<readonly QueuedMatch[]> {
  const all: QueuedMatch[] = []
  const by = { filter, now, count: bulks?.portion ?? rowsAtOnce }
  for (let from: QueuePage['next']; ; ) {
    const { found, next } = await store.reads.queuedMatches(relayerId, by, from)
    for (const each of found) all.push(each)
    if (all.length > max) {
      const text = `filter: matches more than ${matchesMax} transactions, and a preview has no more; narrow the filter, or name fewer relayers`
      throw new RescindError('INVALID_REQUEST', text)
    }
    if (!next) return all
    from = next
    // Other requests come between.
    await clock.sleep(breathMs)
  }
}

interface Found extends Pick<Choices, 'choices'>, BulkWork {
  readonly terms: BulkTerms
  readonly now: TimestampMs
  readonly queue: readonly QueuedMatch[]
  readonly symbol: string
}

function partOf({ work, tagsOf, terms, now, choices, queue, symbol }: Found): PreviewedPart {
  const open = new Map(work.open.map((each) => [each.id, each]))
  const taken = choices.filter((each) => each.taken)
  const bound = taken.flatMap(({ id }) => open.get(id) ?? [])
  // A transaction that changed between two reads was seen twice, and counts once.
  const sequences = new Set([...bound, ...queue].map(({ sequence }) => sequence))
  const isNew = (id: TransactionId) => bound.some((each) => each.id === id && isTakenByBulk(each))
  const racing = bound.filter((each) => !isTakenByBulk(each)).length
  const matchesNow = work.open.filter((each) => matches(terms.filter, each, now, tagsOf(each.id)))
  const costly = taken.flatMap(({ id, nonce, by, share }): SampledMatch[] =>
    by === undefined ? [] : [{ id, nonce, by, ...(share > 0n && { cost: share }) }],
  )
  const free = taken.filter(({ by }) => by === undefined).map(({ id, nonce }): SampledMatch => ({ id, nonce }))
  return {
    relayerId: work.relayer.id,
    sequences: runsOf([...sequences]),
    matches: sequences.size - racing,
    noOps: costly.length,
    free: free.filter(({ id }) => isNew(id)).length + sequences.size - bound.length,
    already: matchesNow.filter((each) => isRacing(statusOf(each), each.lifecycle.phase)).length,
    left: choices.length - taken.length,
    symbol,
    sample: [...costly.toReversed(), ...free, ...queue.slice(0, sampleMax).map(({ id }) => ({ id }))].slice(
      0,
      sampleMax,
    ),
  }
}

/** `rest`: of `max_cost`. */
function costOf(
  { choices, spent }: Choices,
  limit: CostLimit | undefined,
  rest: Wei | undefined,
): Required<Pick<ShownPart, 'cost' | 'costMax'>> {
  const most = choices.reduce((sum, each) => (each.taken ? sum + (each.most ?? each.share) : sum), 0n)
  const isLimited = limit !== undefined && rest !== undefined
  return { cost: spent, costMax: isLimited ? minWei(most, rest) : most }
}

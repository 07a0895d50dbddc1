// POST of a bulk cancellation. Its own commit stores it with its relayers and the key of the request; then each relayer is stopped.
import { allowed, type Requester } from '../../domain/audit.ts'
import { type BulkCancellation, type BulkRequest, costLimitOf } from '../../domain/bulk-cancellation.ts'
import { checkClaim } from '../../domain/claim.ts'
import { needsPrice, refuseUnlikeCosts } from '../../domain/cost-limit.ts'
import { bulkGone, relayerNotFound, tooManyMatches } from '../../domain/errors.ts'
import type { BulkId, RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { freshId } from '../../ops/random.ts'
import type { Session } from '../../store/store.ts'
import type { CommandContext } from '../context.ts'
import { digestOf } from '../digest-request.ts'
import { readParts } from './preview.ts'
import type { BulkStops } from './stop-relayers.ts'

export interface BulkOrder {
  readonly request: BulkRequest
  readonly relayers: readonly RelayerId[] | 'all'
  /** The relayers of a key that is bound to some. */
  readonly visible?: readonly RelayerId[]
  /** Refused if more would be canceled. A condition of the request, and no member of the object. */
  readonly atMost?: number
  /** The idempotency key. */
  readonly key: string
  readonly requester: Requester
}

interface CreatedBulk {
  readonly bulk: BulkCancellation
  /** An earlier request made it. */
  readonly replayed: boolean
}

/**
 * Resolves once each relayer was stopped, or could not be: such a part waits, and is tried again. Throws RELAYER_NOT_FOUND,
 * IDEMPOTENCY_KEY_REUSED, BULK_CANCELLATION_GONE, SYMBOLS_DIFFER, PRICE_UNOBSERVED and TOO_MANY_MATCHES before anything changes.
 */
export async function createBulk(
  context: CommandContext,
  stops: Pick<BulkStops, 'stopAll' | 'costingOf' | 'reckoning'>,
  order: BulkOrder,
): Promise<CreatedBulk> {
  const { request, relayers, visible, key, requester } = order
  const { store, clock, random } = context
  const claim = {
    owner: requester.keyId,
    key,
    digest: digestOf(relayers === 'all' ? relayers : relayers.toSorted(), request),
  }
  const earlier = await store.reads.bulkOfKey(claim.owner, key)
  if (earlier) return replay(context, claim, earlier, visible)

  const limit = costLimitOf(request)
  await refuseTooMany(context, stops, order)
  const now = clock.now()
  const id = freshId<BulkId>(random, now)
  const head = {
    ...{ ...request, id, origin: 'request' as const, everyRelayer: relayers === 'all' },
    ...{ requestedAt: now, requestedBy: requester.keyId },
  }
  const recorded = await store.commit(async (session) => {
    const resolved = relayers === 'all' ? await everyRelayer(session, visible) : [...new Set(relayers)]
    const isPriced = limit !== undefined && needsPrice(limit)
    const found = isPriced || relayers !== 'all' ? await load(session, resolved) : []
    if (isPriced) refuseUnlikeCosts(found.map(stops.costingOf))
    const before = await session.recordBulk({ head, relayers: resolved, requester, claim })
    if (before) return { before }
    session.recordAudit(allowed(requester, now, { subjectId: id }))
    return { resolved }
  })
  if (recorded.before) return replay(context, claim, recorded.before, visible)
  const parts = recorded.resolved.map((relayerId) => ({ bulkId: id, relayerId, pause: request.pause }))
  // Each of them has what those before it left.
  await stops.stopAll(parts, { isInTurn: limit?.maxCost !== undefined })
  // Where all relayers of the key are deleted, this answer alone shows it.
  return { bulk: await read(context, id, parts.length === 0 ? undefined : visible), replayed: false }
}

/**
 * Counts as a preview does, once, before the relayers are stopped: each stops at an instant of its own, and what comes to match until then
 * is canceled as well. Throws TOO_MANY_MATCHES.
 */
async function refuseTooMany(
  context: CommandContext,
  stops: Parameters<typeof createBulk>[1],
  { request: terms, relayers, visible, atMost }: BulkOrder,
): Promise<void> {
  if (atMost === undefined) return
  const order = { terms, relayers, ...(visible && { visible }) }
  const parts = await readParts(context, stops, order, context.clock.now())
  const count = parts.reduce((sum, { matches }) => sum + matches, 0)
  if (count > atMost) throw tooManyMatches(count, atMost)
}

/** The relayers of the key that exist in this unit. */
async function everyRelayer(session: Session, visible: BulkOrder['visible']): Promise<readonly RelayerId[]> {
  const there = await session.relayerIds()
  return visible ? there.filter((id) => visible.includes(id)) : there
}

/** Throws RELAYER_NOT_FOUND. */
async function load(session: Session, ids: readonly RelayerId[]): Promise<readonly Relayer[]> {
  const found: Relayer[] = []
  for (const id of ids) {
    const relayer = await session.relayer(id)
    if (!relayer) throw relayerNotFound(id)
    found.push(relayer)
  }
  return found
}

async function replay(
  context: CommandContext,
  claim: Parameters<typeof checkClaim>[0],
  { id, digest }: { readonly id: BulkId; readonly digest: string },
  visible: BulkOrder['visible'],
): Promise<CreatedBulk> {
  checkClaim(claim, { digest, ids: [] })
  const bulk = await context.store.reads.bulk(id, visible)
  if (!bulk) throw bulkGone(id)
  return { bulk, replayed: true }
}

async function read({ store }: CommandContext, id: BulkId, visible: BulkOrder['visible']): Promise<BulkCancellation> {
  const bulk = await store.reads.bulk(id, visible)
  if (!bulk) throw new Error(`bulk cancellation ${id} is recorded, and can't be read`)
  return bulk
}

// Loads the data that an owner needs for one step. Its size depends on the transactions in progress only.
import { sql } from 'kysely'
import { heldMax, type Work } from '../../../domain/decide/plan/work.ts'
import { keptByEveryNode } from '../../../domain/decide/terms/window.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import { displaced, inProgress, onHold } from '../../open-rows.ts'
import { findRelayerAndFloor } from '../../relayers/relayers.ts'
import { type Executor, statement } from '../../statement.ts'
import type { EarlierWork } from '../../store.ts'
import { listPresigned } from '../written/presigned-no-ops.ts'
import { explainedRuns, summarizeConfirmedNotFinal } from './load-unsettled.ts'
import { isSameQueue, queueOf } from './queue.ts'
import { readChanged, type Version, versionColumns } from './read-changed.ts'

// Each part reads by its own index.
const bound = statement<{ relayerId: RelayerId }, Version>((db, p) => {
  const rows = (which: typeof inProgress) =>
    db.selectFrom('transactions').select(versionColumns).where('relayer_id', '=', p.relayerId).where(which)
  return rows(inProgress).unionAll(rows(displaced)).orderBy('nonce')
})

type Beyond = Version & { readonly for: 'release' | 'expiry' | 'suspicion' }

/**
 * Beyond the head of the queue: the transactions that expire first, those whose hold ends first, and the oldest suspected one, which says
 * how far back a history check goes. Those without a time are in no index.
 */
const beyondHead = statement<{ relayerId: RelayerId; expiries: number; releases: number }, Beyond>((db, p) => {
  const ofRelayer = db.selectFrom('transactions').select(versionColumns).where('relayer_id', '=', p.relayerId)
  const expiring = ofRelayer
    .select(sql.lit<Beyond['for']>('expiry').as('for'))
    .where(sql<boolean>`open = 1 AND nonce IS NULL AND valid_until IS NOT NULL`)
    .orderBy('valid_until')
    .limit(p.expiries)
  const ending = ofRelayer
    .select(sql.lit<Beyond['for']>('release').as('for'))
    .where(onHold)
    .orderBy('held_until')
    .limit(p.releases)
  const oldest = ofRelayer
    .select(sql.lit<Beyond['for']>('suspicion').as('for'))
    .where(sql<boolean>`open = 1 AND suspected_hash IS NOT NULL`)
    .orderBy('sequence')
    .limit(1)
  return db
    .selectFrom(expiring.as('expiring'))
    .selectAll()
    .unionAll(db.selectFrom(ending.as('ending')).selectAll())
    .unionAll(db.selectFrom(oldest.as('oldest')).selectAll())
})

const expiringMax = 64

/** Call it within a read of one instant. Of the transactions in `earlier`, only those that changed since are read. */
export async function loadWork(
  executor: Executor,
  relayerId: RelayerId,
  queuedMax = keptByEveryNode,
  earlier?: EarlierWork,
): Promise<Work | undefined> {
  // In parallel: a remote database costs two round trips instead of six.
  const [found, open, beyond, unsettled, likely] = await Promise.all([
    findRelayerAndFloor(executor, relayerId),
    executor.all(bound, { relayerId }),
    executor.all(beyondHead, { relayerId, expiries: expiringMax, releases: heldMax }),
    summarizeConfirmedNotFinal(executor, relayerId),
    earlier && queueOf(executor, earlier.relayer, queuedMax),
  ])
  if (!found) return undefined
  const isCurrent = earlier && isSameQueue(earlier.relayer, found.relayer)
  const queued = (isCurrent && likely) || (await queueOf(executor, found.relayer, queuedMax))
  // Only a history check counts their nonces.
  const isChecking = unsettled !== undefined && found.uncheckedThrough !== undefined
  const [current, explained, presigned] = await Promise.all([
    readChanged(executor, [open, queued, beyond].flat(), earlier?.transactions ?? new Map()),
    isChecking ? explainedRuns(executor, relayerId) : undefined,
    found.relayer.policies.presignCancel ? listPresigned(executor, relayerId) : undefined,
  ])
  const beyondFor = (what: Beyond['for']) => beyond.filter((each) => each.for === what).map(current)
  return {
    ...found,
    open: open.map(current),
    ...(unsettled && { confirmedNotFinal: { ...unsettled, ...(explained && { explained }) } }),
    ...(presigned && { presigned }),
    queued: queued.map(current),
    suspected: beyondFor('suspicion'),
    expiring: beyondFor('expiry'),
    held: beyondFor('release'),
  }
}

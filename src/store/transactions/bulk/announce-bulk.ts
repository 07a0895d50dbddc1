// Writes the events of a bulk cancellation into the outbox, from what its parts say. It locks the object alone, so no commit that counts a
// verdict waits for it.
import { type Selectable, sql } from 'kysely'
import type { BulkCancellation } from '../../../domain/bulk-cancellation.ts'
import { isEmptyBulk } from '../../../domain/bulk-counts.ts'
import {
  announcementOf,
  type BulkAnnouncement,
  type BulkEventParts,
  type BulkShown,
  isToAnnounce,
  nothingShown,
} from '../../../domain/bulk-event.ts'
import type { BulkId, RelayerId } from '../../../domain/ids.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { BulkTable } from '../../bulk-tables.ts'
import { isAmong } from '../../in-lists.ts'
import { insertion } from '../../insert-rows.ts'
import type { BulkRowKind } from '../../schema.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { fromJson, type Json, toJson } from '../../values.ts'
import { findBulks } from './bulk-rows.ts'

/** Objects whose parts one statement reads. */
const readAtOnce = 20

// A literal: the planner matches only that with the partial index.
const isUnannounced = sql<boolean>`announced = 0`

const unannounced = statement<{ after: string; limit: number }, { id: BulkId; shown: Json<BulkShown> | null }>(
  (db, p) =>
    db
      .selectFrom('bulks')
      .select(['id', 'shown'])
      .where(isUnannounced)
      .where(sql<boolean>`id > ${p.after}`)
      .orderBy('id')
      .limit(p.limit),
)

/** The objects that have changed, among the next `limit` after `after` that may. */
export async function bulksToAnnounce(
  executor: Executor,
  after: string,
  limit: number,
): Promise<{ readonly changed: readonly BulkId[]; readonly last?: BulkId }> {
  const rows = await executor.all(unannounced, { after, limit })
  const changed: BulkId[] = []
  for (let from = 0; from < rows.length; from += readAtOnce) {
    const some = rows.slice(from, from + readAtOnce)
    const shownOf = new Map(some.map(({ id, shown }) => [id, shownFrom(shown)]))
    for (const bulk of await findBulks(executor, [...shownOf.keys()])) {
      if (isToAnnounce(bulk, shownOf.get(bulk.id) ?? nothingShown)) changed.push(bulk.id)
    }
  }
  const last = rows.length === limit ? rows.at(-1)?.id : undefined
  return { changed, ...(last !== undefined && { last }) }
}

function shownFrom(shown: Json<BulkShown> | null): BulkShown {
  return shown === null ? nothingShown : fromJson(shown)
}

type Locked = Pick<Selectable<BulkTable>, 'shown' | 'announced_at'>

const lock = statement<{ id: BulkId }, Locked>((db, p, dialect) =>
  db
    .selectFrom('bulks')
    .select(['shown', 'announced_at'])
    .where('id', '=', p.id)
    .where(isUnannounced)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const notifications = statement<{ ids: Json<readonly RelayerId[]> }, { id: RelayerId; notification_id: string | null }>(
  (db, p, dialect) =>
    db
      .selectFrom('relayers')
      .select(['id', 'notification_id'])
      .where(isAmong('id', p.ids, dialect)),
)

const publish = insertion('outbox', [
  ...(['relayer_id', 'transaction_id', 'kind', 'status', 'terminal'] as const),
  ...(['occurred_at', 'notification_id', 'bulk_parts'] as const),
])

const show = statement<{ id: BulkId; shown: Json<BulkShown>; now: number; announced: 0 | 1; empty: 0 | 1 }>((db, p) =>
  db
    .updateTable('bulks')
    .set({ shown: p.shown, announced_at: p.now, announced: p.announced, empty: p.empty })
    .where('id', '=', p.id),
)

/** Publishes the changes since the last event, at most one event for readers in a second. Resolves to whether it did. */
export async function announceBulk(executor: Executor, id: BulkId, now: TimestampMs): Promise<boolean> {
  const locked = await first(executor, lock, { id })
  const [bulk] = locked ? await findBulks(executor, [id]) : []
  if (!locked || !bulk) return false
  const ids = toJson(bulk.parts.map(({ relayerId }) => relayerId))
  const rows = bulk.origin === 'delete' ? [] : await executor.all(notifications, { ids })
  const named = new Map(rows.map((row) => [row.id, row.notification_id ?? undefined]))
  const last = { shown: shownFrom(locked.shown), announcedAt: locked.announced_at ?? undefined }
  const announcement = announcementOf(bulk, last, (relayer) => named.get(relayer), now)
  if (!announcement) return false
  await publishAll(executor, bulk, announcement, now)
  const { shown, isOver } = announcement
  const empty = isOver && isEmptyBulk(bulk) ? 1 : 0
  await executor.all(show, { id, shown: toJson(shown), now, announced: isOver ? 1 : 0, empty })
  return true
}

async function publishAll(
  executor: Executor,
  { id, parts }: BulkCancellation,
  { event, notices }: BulkAnnouncement,
  now: TimestampMs,
): Promise<void> {
  const first = ({ changed }: BulkEventParts) => parts.find(({ number }) => changed.includes(number))?.relayerId
  const one = async (kind: BulkRowKind, notificationId: string | null, of: BulkEventParts) => {
    const relayerId = first(of)
    if (relayerId === undefined) return
    const terminal = of.open.length === 0 ? 1 : 0
    await executor.all(publish, {
      ...{ relayer_id: relayerId, transaction_id: id, kind, status: 'canceled', terminal },
      ...{ occurred_at: now, notification_id: notificationId, bulk_parts: toJson(of) },
    })
  }
  if (event) await one('bulk', null, event)
  for (const notice of notices) await one('bulk_notice', notice.notificationId, { changed: notice.parts, open: [] })
}

// The rows of previews of bulk cancellations: what each showed, until it expires or, with an object that its token made, as long as that.
import { sql } from 'kysely'
import type { BulkPart } from '../../domain/bulk-cancellation.ts'
import type { BulkPreview, ShownBound, ShownPart } from '../../domain/bulk-preview.ts'
import type { ApiKeyId, BulkId, RelayerId } from '../../domain/ids.ts'
import { type SequenceSet, setOf } from '../../domain/sequence-runs.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { BulkPreviewPartTable, BulkPreviewTable } from '../bulk-tables.ts'
import { inLists, isAmong } from '../in-lists.ts'
import { type Executor, first, statement } from '../statement.ts'
import { fromJson, type Json, toJson } from '../values.ts'

/** The bound that a preview sets for an object at a relayer. */
export interface ShownRows extends ShownBound {
  readonly set: SequenceSet
}

/** Unused ones of one key. A newer one removes the oldest. */
const keptMax = 20

const insert = statement<Omit<BulkPreviewTable, 'used_by'>>((db, p) =>
  db.insertInto('bulk_previews').values({ id: p.id, key_id: p.key_id, digest: p.digest, expires_at: p.expires_at }),
)

const insertParts = inLists(
  statement<BulkPreviewPartTable>((db, p) =>
    db.insertInto('bulk_preview_parts').values({
      preview_id: p.preview_id,
      relayer_id: p.relayer_id,
      shown: p.shown,
      matches: p.matches,
      no_ops: p.no_ops,
      cost: p.cost,
      cost_max: p.cost_max,
    }),
  ),
  {
    ...({ preview_id: 'text', relayer_id: 'text', shown: 'text', matches: 'bigint' } as const),
    ...({ no_ops: 'bigint', cost: 'text', cost_max: 'text' } as const),
  },
  (given, columns) => `INSERT INTO bulk_preview_parts (${columns}) SELECT given.* FROM ${given}`,
)

const isUnused = sql<boolean>`used_by IS NULL`

const beyond = statement<{ keyId: ApiKeyId; skip: number }, { id: string }>((db, p) =>
  db
    .selectFrom('bulk_previews')
    .select('id')
    .where('key_id', '=', p.keyId)
    .where(isUnused)
    .orderBy('expires_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(p.skip),
)

export async function recordPreview(executor: Executor, { parts, ...preview }: BulkPreview): Promise<void> {
  const { id, keyId, digest, expiresAt } = preview
  await executor.all(insert, { id, key_id: keyId, digest, expires_at: expiresAt })
  for (const part of parts) {
    await executor.all(insertParts, {
      preview_id: id,
      relayer_id: part.relayerId,
      shown: toJson(part.sequences),
      matches: part.matches,
      no_ops: part.noOps,
      cost: part.cost?.toString() ?? null,
      cost_max: part.costMax?.toString() ?? null,
    })
  }
  await remove(executor, await executor.all(beyond, { keyId, skip: keptMax }))
}

const byId = statement<{ id: string }, BulkPreviewTable>((db, p) =>
  db.selectFrom('bulk_previews').selectAll().where('id', '=', p.id),
)

const partsOf = statement<{ id: string }, BulkPreviewPartTable>((db, p) =>
  db.selectFrom('bulk_preview_parts').selectAll().where('preview_id', '=', p.id).orderBy('relayer_id'),
)

/** Used or expired ones as well, until they are removed. */
export async function findPreview(executor: Executor, id: string): Promise<BulkPreview | undefined> {
  const row = await first(executor, byId, { id })
  if (!row) return undefined
  const parts = (await executor.all(partsOf, { id })).map(partFrom)
  return { id, keyId: row.key_id, digest: row.digest, expiresAt: row.expires_at, parts }
}

function partFrom(row: BulkPreviewPartTable): ShownPart {
  return { relayerId: row.relayer_id, sequences: fromJson(row.shown), ...summaryOf(row) }
}

type SummaryRow = Pick<BulkPreviewPartTable, 'matches' | 'no_ops' | 'cost' | 'cost_max'>

function summaryOf(row: SummaryRow): Omit<ShownPart, 'relayerId' | 'sequences'> {
  return {
    matches: row.matches,
    noOps: row.no_ops,
    ...(row.cost !== null && { cost: BigInt(row.cost) }),
    ...(row.cost_max !== null && { costMax: BigInt(row.cost_max) }),
  }
}

const claiming = statement<{ id: string; bulkId: BulkId; now: number }, { id: string }>((db, p) =>
  db
    .updateTable('bulk_previews')
    .set({ used_by: p.bulkId })
    .where('id', '=', p.id)
    .where(isUnused)
    .where('expires_at', '>', p.now)
    .returning('id'),
)

/** Whether this object is the first with its token, and in time. */
export async function claimPreview(executor: Executor, id: string, bulkId: BulkId, now: TimestampMs): Promise<boolean> {
  return (await first(executor, claiming, { id, bulkId, now })) !== undefined
}

const partAt = statement<{ id: string; relayerId: RelayerId }, BulkPreviewPartTable>((db, p) =>
  db.selectFrom('bulk_preview_parts').selectAll().where('preview_id', '=', p.id).where('relayer_id', '=', p.relayerId),
)

/** The bound of an object at a relayer. Without a row the preview showed nothing of it. */
export async function findShown(executor: Executor, id: string, relayerId: RelayerId): Promise<ShownRows> {
  const row = await first(executor, partAt, { id, relayerId })
  if (!row) return { set: setOf([]), noOps: 0, costMax: 0n }
  const { noOps, costMax } = summaryOf(row)
  return { set: setOf(fromJson(row.shown)), noOps, ...(costMax !== undefined && { costMax }) }
}

const forgetting = statement<{ id: string; relayerId: RelayerId; none: BulkPreviewPartTable['shown'] }>((db, p) =>
  db
    .updateTable('bulk_preview_parts')
    .set({ shown: p.none })
    .where('preview_id', '=', p.id)
    .where('relayer_id', '=', p.relayerId),
)

/** The part is written, and its counts say the rest. */
export async function forgetShown(executor: Executor, id: string, relayerId: RelayerId): Promise<void> {
  await executor.all(forgetting, { id, relayerId, none: toJson([]) })
}

interface Ids {
  ids: Json<readonly string[]>
}

type Summary = SummaryRow & Pick<BulkPreviewPartTable, 'preview_id' | 'relayer_id'>

const summaries = statement<Ids, Summary>((db, p, dialect) =>
  db
    .selectFrom('bulk_preview_parts')
    .select(['preview_id', 'relayer_id', 'matches', 'no_ops', 'cost', 'cost_max'])
    .where(isAmong('preview_id', p.ids, dialect)),
)

/** The summaries of these previews, by preview and relayer. */
export async function findShownSummaries(
  executor: Executor,
  ids: readonly string[],
): Promise<(id: string, relayerId: RelayerId) => BulkPart['shown']> {
  const rows = ids.length === 0 ? [] : await executor.all(summaries, { ids: toJson(ids) })
  const known = new Map(rows.map((row) => [`${row.preview_id} ${row.relayer_id}`, summaryOf(row)]))
  return (id, relayerId) => known.get(`${id} ${relayerId}`)
}

const expired = statement<{ now: number; limit: number }, { id: string }>((db, p) =>
  db
    .selectFrom('bulk_previews')
    .select('id')
    .where(isUnused)
    .where('expires_at', '<=', p.now)
    .orderBy('expires_at')
    .limit(p.limit),
)

/** Deletes at most `rows` previews that expired unused. Returns whether there may be more. */
export async function prunePreviews(executor: Executor, now: TimestampMs, rows: number): Promise<boolean> {
  const found = await executor.all(expired, { now, limit: rows })
  await remove(executor, found)
  return found.length === rows
}

const usedBy = statement<Ids, { id: string }>((db, p, dialect) =>
  db
    .selectFrom('bulk_previews')
    .select('id')
    .where('used_by', 'is not', null)
    .where(isAmong('used_by', p.ids, dialect)),
)

/** Deletes the previews of objects that are removed. */
export async function removePreviewsOf(executor: Executor, ids: Json<readonly BulkId[]>): Promise<void> {
  await remove(executor, await executor.all(usedBy, { ids }))
}

const removeParts = statement<Ids>((db, p, dialect) =>
  db.deleteFrom('bulk_preview_parts').where(isAmong('preview_id', p.ids, dialect)),
)

const removePreviews = statement<Ids>((db, p, dialect) =>
  db.deleteFrom('bulk_previews').where(isAmong('id', p.ids, dialect)),
)

async function remove(executor: Executor, found: readonly { readonly id: string }[]): Promise<void> {
  if (found.length === 0) return
  const ids = toJson(found.map(({ id }) => id))
  await executor.all(removeParts, { ids })
  await executor.all(removePreviews, { ids })
}

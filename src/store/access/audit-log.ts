// The audit log: one row for each share of a commit, with all its records. A row per record would add an insert to every send.

import { type AuditEntry, type AuditPosition, type AuditRecord, type AuditShare, shareOf } from '../../domain/audit.ts'
import { overShare } from '../../domain/fair-share.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { AuditLogTable } from '../access-tables.ts'
import type { Deferred } from '../deferred.ts'
import { insertion } from '../insert-rows.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { AuditWindow } from '../store.ts'
import { fromJson, toJson } from '../values.ts'

export interface AuditPad extends Deferred {
  recordAudit(record: AuditRecord): void
}

const insert = insertion('audit_log', ['share', 'last_at', 'count', 'entries'])

export function openAuditPad(executor: Executor): AuditPad {
  let kept: AuditRecord[] = []
  let noted: AuditRecord[] = []
  return {
    recordAudit: (record) => noted.push(record),
    keep() {
      if (noted.length === 0) return
      for (const record of noted) kept.push(record)
      noted = []
    },
    forget() {
      noted = []
    },
    reset() {
      kept = []
      noted = []
    },
    async write() {
      const records = kept
      const last = records.at(-1)
      if (!last) return
      kept = []
      for (const [share, each] of Map.groupBy(records, shareOf)) {
        await executor.all(insert, { share, last_at: last.at, count: each.length, entries: toJson(each) })
      }
    },
  }
}

const newest = statement<{ limit: number }, { id: number }>((db, p) =>
  db.selectFrom('audit_log').select('id').orderBy('id', 'desc').limit(p.limit),
)

const upTo = statement<{ id: number; limit: number }, { id: number }>((db, p) =>
  db.selectFrom('audit_log').select('id').where('id', '<=', p.id).orderBy('id', 'desc').limit(p.limit),
)

const entriesOf = statement<{ id: number }, Pick<AuditLogTable, 'entries'>>((db, p) =>
  db.selectFrom('audit_log').select('entries').where('id', '=', p.id),
)

interface ShareCount {
  share: AuditShare
  count: number
}

// SQLite has triggers that count. PostgreSQL reads an index with the counts, which stays small when the rows are large.
const counts = statement<object, ShareCount>((db, _, dialect) =>
  dialect === 'sqlite'
    ? db.selectFrom('audit_count').select(['share', 'count'])
    : db
        .selectFrom('audit_log')
        .select((eb) => ['share', eb.fn.sum<number>('count').as('count')])
        .groupBy('share'),
)

/** Newest first; only records older than `before`, if it is given. */
export async function readAudit(executor: Executor, limit: number, before?: AuditPosition): Promise<AuditWindow> {
  // Each row holds at least one record, and the row of `before` may hold none that is older. A row may hold thousands, so it
  // is read only if the page needs it.
  const rows = before
    ? await executor.all(upTo, { id: before.commit, limit: limit + 1 })
    : await executor.all(newest, { limit })
  const entries: AuditEntry[] = []
  for (const { id } of rows) {
    if (entries.length >= limit) break
    const row = await first(executor, entriesOf, { id })
    // Pruned meanwhile.
    if (!row) continue
    const records = fromJson(row.entries)
    const end = before?.commit === id ? Math.min(before.index, records.length) : records.length
    for (const [index, record] of [...records.entries()].slice(0, end).reverse()) {
      if (entries.length >= limit) break
      entries.push({ ...record, position: { commit: id, index } })
    }
  }
  return { entries, total: await totalOf(executor) }
}

async function totalOf(executor: Executor): Promise<number> {
  return (await countsOf(executor)).reduce((sum, { count }) => sum + count, 0)
}

/** PostgreSQL returns a sum as text. */
async function countsOf(executor: Executor): Promise<readonly ShareCount[]> {
  return (await executor.all(counts, {})).map(({ share, count }) => ({ share, count: Number(count) }))
}

const oldest = statement<{ limit: number }, { id: number; last_at: number }>((db, p) =>
  db.selectFrom('audit_log').select(['id', 'last_at']).orderBy('id').limit(p.limit),
)

const remove = statement<{ id: number }>((db, p) => db.deleteFrom('audit_log').where('id', '<=', p.id))

// The newest row of all has to stay, so that no id is used twice.
const oldestOfShare = statement<{ share: AuditShare; limit: number }, { id: number; count: number }>((db, p) =>
  db
    .selectFrom('audit_log')
    .select(['id', 'count'])
    .where('share', '=', p.share)
    .where('id', '<', (eb) => eb.selectFrom('audit_log').select((max) => max.fn.max('id').as('id')))
    .orderBy('id')
    .limit(p.limit),
)

const removeOfShare = statement<{ share: AuditShare; id: number }>((db, p) =>
  db.deleteFrom('audit_log').where('share', '=', p.share).where('id', '<=', p.id),
)

/** Reads `limit` rows of each kind only. True when there may be more to delete. */
export async function pruneAudit(
  executor: Executor,
  keep: { readonly entriesMax: number; readonly since: TimestampMs },
  limit: number,
): Promise<boolean> {
  const isMoreOld = await pruneOld(executor, keep.since, limit)
  return (await pruneShare(executor, keep.entriesMax, limit)) || isMoreOld
}

async function pruneOld(executor: Executor, since: TimestampMs, limit: number): Promise<boolean> {
  // The newest row stays, as above.
  const rows = (await executor.all(oldest, { limit: limit + 1 })).slice(0, -1)
  const kept = rows.findIndex((row) => row.last_at >= since)
  const last = rows.at(kept === -1 ? -1 : kept - 1)
  if (kept === 0 || !last) return false
  await executor.all(remove, { id: last.id })
  return kept === -1 && rows.length === limit
}

/** Takes from the share with the most records, and none from one that has fewer. */
async function pruneShare(executor: Executor, entriesMax: number, limit: number): Promise<boolean> {
  const held = (await countsOf(executor)).filter(({ share }) => share !== 'lasting')
  const over = overShare(
    held.map(({ share, count }) => ({ key: share, count })),
    entriesMax,
  )
  if (!over) return false
  let excess = over.count
  let through: number | undefined
  for (const { id, count } of await executor.all(oldestOfShare, { share: over.key, limit })) {
    // A row goes as a whole, and takes no record of the share with it.
    if (count > excess) break
    excess -= count
    through = id
  }
  if (through === undefined) return false
  await executor.all(removeOfShare, { share: over.key, id: through })
  return true
}

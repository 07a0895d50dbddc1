// The audit log: one row per commit, with all its records. A row per record would add an insert to every send.

import type { AuditEntry, AuditPosition, AuditRecord } from '../../domain/audit.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { AuditLogTable } from '../access-tables.ts'
import type { Deferred } from '../deferred.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { AuditWindow } from '../store.ts'
import { fromJson, toJson } from '../values.ts'

export interface AuditPad extends Deferred {
  recordAudit(record: AuditRecord): void
}

const insert = statement<{ lastAt: number; count: number; entries: AuditLogTable['entries'] }>((db, p) =>
  db.insertInto('audit_log').values({ last_at: p.lastAt, count: p.count, entries: p.entries }),
)

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
      const entries = toJson(records)
      await executor.all(insert, { lastAt: last.at, count: records.length, entries })
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

// SQLite has triggers that count. PostgreSQL reads an index of the counts alone, which stays small when the rows are large.
const total = statement<object, { total: number | null }>((db, _, dialect) =>
  dialect === 'sqlite'
    ? db.selectFrom('audit_count').select('count as total')
    : db.selectFrom('audit_log').select((eb) => eb.fn.sum<number>('count').as('total')),
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
    // Pruned meanwhile, and with it all that is older.
    if (!row) break
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
  return Number((await first(executor, total, {}))?.total ?? 0)
}

const oldest = statement<{ limit: number }, { id: number; last_at: number; count: number }>((db, p) =>
  db.selectFrom('audit_log').select(['id', 'last_at', 'count']).orderBy('id').limit(p.limit),
)

const remove = statement<{ id: number }>((db, p) => db.deleteFrom('audit_log').where('id', '<=', p.id))

/** Reads the `limit` oldest rows only. True when there may be more to delete. */
export async function pruneAudit(
  executor: Executor,
  keep: { readonly entriesMax: number; readonly since: TimestampMs },
  limit: number,
): Promise<boolean> {
  // Deletes all but one of the rows read: the newest row has to stay, so that no id is used twice.
  const rows = (await executor.all(oldest, { limit: limit + 1 })).slice(0, -1)
  let entries = await totalOf(executor)
  let through: number | undefined
  for (const { id, last_at: lastAt, count } of rows) {
    if (entries <= keep.entriesMax && lastAt >= keep.since) break
    entries -= count
    through = id
  }
  if (through === undefined) return false
  await executor.all(remove, { id: through })
  return rows.length === limit && through === rows.at(-1)?.id
}

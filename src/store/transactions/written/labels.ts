// A client's names for its transactions: stored with them, read beside them, and removed with them.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import { holdsExternalId, type IdHolder, type Labels } from '../../../domain/labels.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { LabelTable } from '../../access-tables.ts'
import { isAmong } from '../../in-lists.ts'
import { listedInsertion } from '../../insert-rows.ts'
import { type Executor, first, statement } from '../../statement.ts'
import type { TransactionChanges } from '../../transaction-port.ts'
import { fromJson, type Json, toJson } from '../../values.ts'
import { type Ids, lockTransaction } from '../rows/find-transaction.ts'

const place = { transaction_id: 'text', relayer_id: 'text', sequence: 'bigint', created_at: 'bigint' } as const
const insert = listedInsertion('transaction_labels', { ...place, external_id: 'text', tags: 'text', note: 'text' })
const insertTag = listedInsertion('transaction_tags', { ...place, position: 'integer', tag: 'text' })

async function insertLabels(executor: Executor, transaction: Transaction, labels: Labels): Promise<void> {
  const { externalId, tags, note } = labels
  const place = {
    transaction_id: transaction.id,
    relayer_id: transaction.relayerId,
    sequence: transaction.sequence,
    created_at: transaction.createdAt,
  }
  await executor.all(insert, {
    ...place,
    external_id: externalId ?? null,
    tags: tags ? toJson(tags) : null,
    note: note ?? null,
  })
  for (const [position, tag] of (tags ?? []).entries()) await executor.all(insertTag, { ...place, position, tag })
}

type LabelRow = Pick<LabelTable, 'transaction_id' | 'external_id' | 'tags' | 'note'>

const byIds = statement<Ids, LabelRow>((db, p, dialect) =>
  db
    .selectFrom('transaction_labels')
    .select(['transaction_id', 'external_id', 'tags', 'note'])
    .where(isAmong('transaction_id', p.ids, dialect)),
)

export async function readLabels(
  executor: Executor,
  ids: readonly TransactionId[],
): Promise<ReadonlyMap<TransactionId, Labels>> {
  if (ids.length === 0) return new Map()
  const rows = await executor.all(byIds, { ids: toJson(ids) })
  return new Map(rows.map((row) => [row.transaction_id, labelsFrom(row)]))
}

const byId = statement<{ id: TransactionId }, LabelRow>((db, p) =>
  db
    .selectFrom('transaction_labels')
    .select(['transaction_id', 'external_id', 'tags', 'note'])
    .where('transaction_id', '=', p.id),
)

export async function findLabels(executor: Executor, id: TransactionId): Promise<Labels | undefined> {
  const row = await first(executor, byId, { id })
  return row && labelsFrom(row)
}

function labelsFrom({ external_id: externalId, tags, note }: LabelRow): Labels {
  return {
    ...(externalId !== null && { externalId }),
    ...(tags !== null && { tags: fromJson(tags) }),
    ...(note !== null && { note }),
  }
}

const newestWithId = statement<
  { relayerId: RelayerId; externalId: string },
  Pick<LabelTable, 'transaction_id' | 'removed_end'>
>((db, p) =>
  db
    .selectFrom('transaction_labels')
    .select(['transaction_id', 'removed_end'])
    .where('relayer_id', '=', p.relayerId)
    .where('external_id', '=', p.externalId)
    .where('external_id', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** The holder of the id. Only the newest can be it: each was sent when none before it held the id, and a free one stays free. */
async function holderOf(executor: Executor, relayerId: RelayerId, externalId: string): Promise<IdHolder | undefined> {
  const newest = await first(executor, newestWithId, { relayerId, externalId })
  if (!newest) return undefined
  const { transaction_id: transactionId } = newest
  if (newest.removed_end !== null) return { transactionId }
  const transaction = await lockTransaction(executor, relayerId, transactionId)
  return transaction && holdsExternalId(transaction) ? { transactionId, transaction } : undefined
}

const named = statement<Ids, { transaction_id: TransactionId }>((db, p, dialect) =>
  db
    .selectFrom('transaction_labels')
    .select('transaction_id')
    .where(isAmong('transaction_id', p.ids, dialect))
    .where('external_id', 'is not', null),
)

const removeTags = statement<Ids>((db, p, dialect) =>
  db.deleteFrom('transaction_tags').where(isAmong('transaction_id', p.ids, dialect)),
)

const keepExternalId = statement<{ id: TransactionId }>((db, p) =>
  db
    .updateTable('transaction_labels')
    .set((eb) => ({
      tags: null,
      note: null,
      removed_end: eb.selectFrom('transactions').select('ended_at').where('id', '=', p.id),
    }))
    .where('transaction_id', '=', p.id),
)

const removeUnkept = statement<Ids>((db, p, dialect) =>
  db
    .deleteFrom('transaction_labels')
    .where(isAmong('transaction_id', p.ids, dialect))
    .where('removed_end', 'is', null),
)

/** Call it while their rows and attempts still stand: an `external_id` that was executed stays. */
export async function removeLabels(
  executor: Executor,
  relayerId: RelayerId,
  ids: Json<readonly TransactionId[]>,
): Promise<void> {
  for (const { transaction_id: id } of await executor.all(named, { ids })) {
    const transaction = await lockTransaction(executor, relayerId, id)
    if (transaction && holdsExternalId(transaction)) await executor.all(keepExternalId, { id })
  }
  await executor.all(removeTags, { ids })
  await executor.all(removeUnkept, { ids })
}

const prune = statement<{ before: number; limit: number }, { transaction_id: TransactionId }>((db, p) =>
  db
    .deleteFrom('transaction_labels')
    .where('transaction_id', 'in', (eb) =>
      eb
        .selectFrom('transaction_labels')
        .select('transaction_id')
        .where('removed_end', 'is not', null)
        .where('removed_end', '<', p.before)
        .orderBy('removed_end')
        .limit(p.limit),
    )
    .returning('transaction_id'),
)

async function pruneExternalIds(executor: Executor, before: TimestampMs, limit: number): Promise<number> {
  return (await executor.all(prune, { before, limit })).length
}

export function labelChangesOver(executor: Executor): Omit<TransactionChanges, 'addNodeCalls' | 'pruneFigures'> {
  return {
    insertLabels: (transaction, labels) => insertLabels(executor, transaction, labels),
    holderOf: (relayerId, externalId) => holderOf(executor, relayerId, externalId),
    pruneExternalIds: (before, rows) => pruneExternalIds(executor, before, rows),
  }
}

/** Whether a row of `transactions` has this tag: a condition for any statement over that table. It begins at the row, and needs no scan. */
export function hasTag(tag: string): RawBuilder<SqlBool> {
  return sql`(SELECT COUNT(*) FROM transaction_tags WHERE transaction_tags.transaction_id = transactions.id
    AND transaction_tags.tag = ${tag}) > 0`
}

/** Whether a row of `transactions` has this `external_id`; otherwise as `hasTag`. */
export function hasExternalId(externalId: string): RawBuilder<SqlBool> {
  return sql`(SELECT COUNT(*) FROM transaction_labels WHERE transaction_labels.transaction_id = transactions.id
    AND transaction_labels.external_id = ${externalId}) > 0`
}

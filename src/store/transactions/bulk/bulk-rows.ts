// The rows of bulk cancellations: the object, and its part at each relayer.
import { type Selectable, sql } from 'kysely'
import type { Requester } from '../../../domain/audit.ts'
import type {
  BulkCancellation,
  BulkHead,
  BulkPart,
  BulkPartState,
  BulkRefusal,
  WaitingBulkPart,
} from '../../../domain/bulk-cancellation.ts'
import { noCounts } from '../../../domain/bulk-counts.ts'
import type { BulkFilter } from '../../../domain/bulk-filter.ts'
import type { ApiKeyId, BulkId, RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { TimestampMs, Wei } from '../../../domain/units.ts'
import type { ClaimedBulk, NewBulk } from '../../bulk-port.ts'
import type { BulkPartTable, BulkTable } from '../../bulk-tables.ts'
import { isAmong } from '../../in-lists.ts'
import { insertion, insertionOnce, listedInsertion } from '../../insert-rows.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { amountsFrom, amountsToText, fromJson, type Json, toJson } from '../../values.ts'
import { countsFrom } from '../counted/bulk-sheet.ts'
import type { Tallies } from '../counted/tallies.ts'
import { withSeenIds } from '../found/seen-ids.ts'
import type { Ids } from '../rows/find-transaction.ts'

/** A new row, without the columns of its events, which come later. */
type BulkRow = Omit<BulkTable, 'shown' | 'announced_at' | 'announced' | 'empty'>

const insert = insertion('bulks', [
  ...(['id', 'origin', 'name', 'reason', 'filter', 'every_relayer', 'pause', 'only_what'] as const),
  ...(['max_cost', 'requested_at', 'requested_by'] as const),
])

const insertKey = insertionOnce('bulk_keys', ['owner', 'key'], ['digest', 'bulk_id', 'created_at'], ['bulk_id'])

const ofKey = statement<{ owner: ApiKeyId; key: string }, { id: BulkId; digest: string }>((db, p) =>
  db.selectFrom('bulk_keys').select(['bulk_id as id', 'digest']).where('owner', '=', p.owner).where('key', '=', p.key),
)

const insertPart = insertion('bulk_parts', ['bulk_id', 'relayer_id', 'state', 'requester'], ['id'])

const insertParts = listedInsertion('bulk_parts', {
  bulk_id: 'text',
  relayer_id: 'text',
  state: 'text',
  requester: 'text',
})

function rowOf(head: BulkHead): BulkRow {
  return {
    id: head.id,
    origin: head.origin,
    name: head.name ?? null,
    reason: head.reason ?? null,
    filter: amountsToText(head.filter),
    every_relayer: head.everyRelayer ? 1 : 0,
    pause: head.pause ? 1 : 0,
    only_what: head.only ?? null,
    max_cost: head.maxCost?.toString() ?? null,
    requested_at: head.requestedAt,
    requested_by: head.requestedBy ?? null,
  }
}

export async function findBulkOfKey(
  executor: Executor,
  owner: ApiKeyId,
  key: string,
): Promise<ClaimedBulk | undefined> {
  return first(executor, ofKey, { owner, key })
}

/** Returns the earlier object under the same key; undefined if this one is recorded. */
export async function recordBulk(
  executor: Executor,
  { head, relayers, requester, claim }: NewBulk,
): Promise<ClaimedBulk | undefined> {
  const { owner, key, digest } = claim
  if (!(await first(executor, insertKey, { owner, key, digest, bulk_id: head.id, created_at: head.requestedAt }))) {
    const found = await findBulkOfKey(executor, claim.owner, claim.key)
    if (!found) throw new Error(`idempotency key "${claim.key}" is claimed, but its bulk cancellation is missing`)
    return found
  }
  await executor.all(insert, rowOf(head))
  for (const relayerId of relayers) {
    const part = { bulk_id: head.id, relayer_id: relayerId, state: 'waiting', requester: toJson(requester) } as const
    await executor.all(insertParts, part)
  }
  return undefined
}

/** An object with one part, which the same unit writes. Returns the part's number. */
export async function recordBulkOf(executor: Executor, head: BulkHead, relayerId: RelayerId): Promise<number> {
  await executor.all(insert, rowOf(head))
  const part = { bulk_id: head.id, relayer_id: relayerId, state: 'waiting', requester: null } as const
  const row = await first(executor, insertPart, part)
  if (!row) throw new Error(`bulk cancellation ${head.id} got no part`)
  return row.id
}

const byId = statement<{ id: BulkId }, BulkRow>((db, p) => db.selectFrom('bulks').selectAll().where('id', '=', p.id))

export async function findBulkHead(executor: Executor, id: BulkId): Promise<BulkHead | undefined> {
  const row = await first(executor, byId, { id })
  return row && headFrom(row)
}

function headFrom(row: BulkRow): BulkHead {
  return {
    id: row.id,
    origin: row.origin,
    ...(row.name !== null && { name: row.name }),
    ...(row.reason !== null && { reason: row.reason }),
    filter: amountsFrom<BulkFilter>(row.filter),
    everyRelayer: row.every_relayer === 1,
    pause: row.pause === 1,
    ...(row.only_what !== null && { only: row.only_what }),
    ...(row.max_cost !== null && { maxCost: BigInt(row.max_cost) }),
    requestedAt: row.requested_at,
    ...(row.requested_by !== null && { requestedBy: row.requested_by }),
  }
}

type StoredPart = Selectable<BulkPartTable>

const lockedHead = statement<{ id: BulkId }, { id: BulkId }>((db, p, dialect) =>
  db
    .selectFrom('bulks')
    .select('id')
    .where('id', '=', p.id)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const spentOf = statement<{ id: BulkId }, { spent: string | null }>((db, p) =>
  db.selectFrom('bulk_parts').select('spent').where('bulk_id', '=', p.id).where('spent', 'is not', null),
)

/** Returns the amounts that the object's other parts spent. Its parts do this one after the other, until the end of each commit. */
export async function lockSpent(executor: Executor, id: BulkId): Promise<readonly Wei[]> {
  await executor.all(lockedHead, { id })
  return (await executor.all(spentOf, { id })).map(({ spent }) => BigInt(spent ?? 0))
}

const partsOf = statement<{ ids: Json<readonly BulkId[]> }, StoredPart>((db, p, dialect) =>
  db
    .selectFrom('bulk_parts')
    .selectAll()
    .where(isAmong('bulk_id', p.ids, dialect))
    .orderBy('id'),
)

const partOf = statement<{ bulkId: BulkId; relayerId: RelayerId }, StoredPart>((db, p) =>
  db.selectFrom('bulk_parts').selectAll().where('bulk_id', '=', p.bulkId).where('relayer_id', '=', p.relayerId),
)

/** The part, if it waits for its first commit. */
export async function findWaitingPart(
  executor: Executor,
  bulkId: BulkId,
  relayerId: RelayerId,
): Promise<{ readonly number: number; readonly requester?: Requester } | undefined> {
  const row = await first(executor, partOf, { bulkId, relayerId })
  if (row?.state !== 'waiting') return undefined
  return { number: row.id, ...(row.requester !== null && { requester: fromJson(row.requester) }) }
}

function partFrom(row: StoredPart): BulkPart {
  return {
    number: row.id,
    relayerId: row.relayer_id,
    state: row.state,
    ...(row.instant !== null && { instant: row.instant }),
    counts: countsFrom(row),
    already: row.already,
    refused: row.refusals === null ? [] : amountsFrom<BulkRefusal[]>(row.refusals),
    ...(row.spent !== null && { spent: BigInt(row.spent) }),
    ...(row.final_at !== null && { finalAt: row.final_at }),
  }
}

/** Each with those of its parts that are at `relayers`; without such parts it is left out. */
async function withParts(
  executor: Executor,
  rows: readonly BulkRow[],
  relayers: readonly RelayerId[] | undefined,
): Promise<readonly BulkCancellation[]> {
  const found = await executor.all(partsOf, { ids: toJson(rows.map(({ id }) => id)) })
  const ofEach = Map.groupBy(found, (row) => row.bulk_id)
  const bulks = rows.flatMap((row) => {
    const all = (ofEach.get(row.id) ?? []).map(partFrom)
    const parts = relayers ? all.filter(({ relayerId }) => relayers.includes(relayerId)) : all
    return relayers && parts.length === 0 ? [] : [{ ...headFrom(row), parts }]
  })
  return relayers ? withSeenIds(executor, bulks, relayers) : bulks
}

export async function findBulk(
  executor: Executor,
  id: BulkId,
  relayers?: readonly RelayerId[],
): Promise<BulkCancellation | undefined> {
  return (await withParts(executor, await executor.all(byIds, { ids: toJson([id]) }), relayers))[0]
}

const byIds = statement<{ ids: Json<readonly BulkId[]> }, BulkRow>((db, p, dialect) =>
  db
    .selectFrom('bulks')
    .selectAll()
    .where(isAmong('id', p.ids, dialect))
    .orderBy('id'),
)

export async function findBulks(executor: Executor, ids: readonly BulkId[]): Promise<readonly BulkCancellation[]> {
  return withParts(executor, await executor.all(byIds, { ids: toJson(ids) }), undefined)
}

const ofTransactions = statement<Ids, { id: TransactionId; bulk_id: BulkId | null }>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select([
      'id',
      // Not a join: each row looks up its part by the key.
      sql<BulkId | null>`(SELECT bulk_id FROM bulk_parts WHERE bulk_parts.id = transactions.bulk_part)`.as('bulk_id'),
    ])
    .where(isAmong('id', p.ids, dialect))
    .where('bulk_part', 'is not', null),
)

export async function findBulksOf(
  executor: Executor,
  ids: readonly TransactionId[],
): Promise<ReadonlyMap<TransactionId, BulkId>> {
  const rows = await executor.all(ofTransactions, { ids: toJson(ids) })
  return new Map(rows.flatMap(({ id, bulk_id: bulk }) => (bulk === null ? [] : [[id, bulk]])))
}

interface Window {
  relayers: Json<readonly RelayerId[]>
  limit: number
  offset: number
}

const newestOf = (isAtSome: boolean) =>
  statement<Window, BulkRow>((db, p, dialect) =>
    db
      .selectFrom('bulks')
      .selectAll()
      .$if(isAtSome, (query) =>
        query.where((eb) =>
          eb.exists(
            eb
              .selectFrom('bulk_parts')
              .select('bulk_parts.id')
              .whereRef('bulk_parts.bulk_id', '=', 'bulks.id')
              .where(isAmong('bulk_parts.relayer_id', p.relayers, dialect)),
          ),
        ),
      )
      .orderBy('requested_at', 'desc')
      .orderBy('id', 'desc')
      .limit(p.limit)
      .offset(p.offset),
  )
const [newest, newestAt] = [newestOf(false), newestOf(true)]

const total = statement<object, { total: number }>((db) =>
  db.selectFrom('bulks').select((eb) => eb.fn.countAll<number>().as('total')),
)

const totalAt = statement<Pick<Window, 'relayers'>, { total: number }>((db, p, dialect) =>
  db
    .selectFrom('bulk_parts')
    .select(sql<number>`CAST(COUNT(DISTINCT bulk_id) AS BIGINT)`.as('total'))
    .where(isAmong('relayer_id', p.relayers, dialect)),
)

/** Newest first. With `relayers`, those that have a part at one of them. */
export async function listBulks(
  executor: Executor,
  { limit, offset }: Omit<Window, 'relayers'>,
  relayers?: readonly RelayerId[],
): Promise<{ readonly items: readonly BulkCancellation[]; readonly total: number }> {
  const at = { relayers: toJson(relayers ?? []) }
  const rows = await executor.all(relayers ? newestAt : newest, { ...at, limit, offset })
  const counted = await first(executor, relayers ? totalAt : total, at)
  return { items: await withParts(executor, rows, relayers), total: counted?.total ?? 0 }
}

type Written = Pick<StoredPart, 'instant' | 'already' | 'refusals' | 'spent'>

const end = statement<{ part: number } & Written>((db, p) =>
  db
    .updateTable('bulk_parts')
    .set({ state: 'written', instant: p.instant, already: p.already, refusals: p.refusals, spent: p.spent })
    .where('id', '=', p.part),
)

interface EndOfPart extends Partial<Pick<BulkPart, 'already' | 'refused' | 'spent'>> {
  /** Absent where the relayer was deleted first. */
  readonly instant?: TimestampMs
  readonly now: TimestampMs
}

/**
 * Every match is written; the counts of the commit decide whether the part is final. The row has what was not taken, and
 * the sum of the shares of what was.
 */
export async function endPart(
  executor: Executor,
  tallies: Tallies,
  part: number,
  { instant, now, already = 0, refused = [], spent }: EndOfPart,
): Promise<void> {
  await executor.all(end, {
    ...{ part, instant: instant ?? null, already, spent: spent?.toString() ?? null },
    refusals: refused.length === 0 ? null : amountsToText(refused),
  })
  tallies.addBulk({ part, at: now, counts: noCounts })
}

type WaitingRow = Pick<StoredPart, 'id' | 'bulk_id' | 'relayer_id'> & Pick<BulkTable, 'pause'>

const waiting = statement<{ limit: number; after: number }, WaitingRow>((db, p) =>
  db
    .selectFrom('bulk_parts')
    .innerJoin('bulks', 'bulks.id', 'bulk_parts.bulk_id')
    .select(['bulk_parts.id', 'bulk_parts.bulk_id', 'bulk_parts.relayer_id', 'bulks.pause'])
    // A literal: otherwise the planner does not match the query with the partial index.
    .where(sql<boolean>`state = ${sql.lit('waiting' satisfies BulkPartState)}`)
    .where('bulk_parts.id', '>', p.after)
    .orderBy('bulk_parts.id')
    .limit(p.limit),
)

export async function listWaitingParts(
  executor: Executor,
  limit: number,
  after: number,
): Promise<readonly (WaitingBulkPart & { readonly number: number })[]> {
  const rows = await executor.all(waiting, { limit, after })
  return rows.map((row) => ({ number: row.id, bulkId: row.bulk_id, relayerId: row.relayer_id, pause: row.pause === 1 }))
}

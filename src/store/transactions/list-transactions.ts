// Lists transactions by pages, newest first, from an index; the total is a stored tally.
import { type RawBuilder, sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import type { Status, Transaction } from '../../domain/transaction.ts'
import type { Page, PageItem, PageRequest } from '../page-port.ts'
import { type DialectName, type Executor, statement } from '../statement.ts'
import { itemsOf, type LightRow, lightColumns } from './light-rows.ts'
import { countByStatus } from './tallies.ts'
import { bucketSize, bucketsAddUp } from './tally-buckets.ts'
import { partsOf } from './tally-changes.ts'

interface Window {
  relayerId: RelayerId
  limit: number
  offset: number
}

const ofRelayer = statement<Window, LightRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .orderBy('sequence', 'desc')
    .limit(p.limit)
    .offset(p.offset),
)

const ofStatus = statement<Window & { status: Status }, LightRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', p.status)
    .orderBy('sequence', 'desc')
    .limit(p.limit)
    .offset(p.offset),
)

/**
 * The sequence of the first row of a deep page. It skips whole buckets, and then rows of one bucket. In one statement with
 * the page, so that counts and rows are of one instant. None where the buckets do not count every transaction
 * (count-buckets.ts), and where they do not add up to the tallies, which no version writes.
 */
function firstOfPage(
  { relayerId, offset }: Window,
  ofStatus: RawBuilder<unknown>,
  dialect: DialectName,
): RawBuilder<number> {
  return sql<number>`(
    WITH sized AS (
      SELECT bucket, SUM(count) AS count FROM tally_buckets WHERE relayer_id = ${relayerId} ${ofStatus} GROUP BY bucket
    ), placed AS (
      SELECT bucket, count, SUM(count) OVER (ORDER BY bucket DESC) AS through FROM sized
    ), start AS (
      SELECT bucket, CAST(${offset} - (through - count) AS BIGINT) AS skipped FROM placed
      WHERE through > ${offset} AND through - count <= ${offset} AND (SELECT SUM(count) FROM sized) =
        (SELECT SUM(count) FROM ${partsOf(relayerId, dialect)} AS parts WHERE true ${ofStatus})
        AND NOT EXISTS (SELECT 1 FROM uncounted_relayers WHERE relayer_id = ${relayerId})
    )
    SELECT sequence FROM transactions
    WHERE relayer_id = ${relayerId} ${ofStatus} AND sequence < (SELECT (bucket + 1) * ${sql.lit(bucketSize)} FROM start)
    ORDER BY sequence DESC LIMIT 1 OFFSET COALESCE((SELECT skipped FROM start), 0)
  )`
}

const deepOfRelayer = statement<Window, LightRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .where('sequence', '<=', firstOfPage(p, sql``, dialect))
    .orderBy('sequence', 'desc')
    .limit(p.limit),
)

const deepOfStatus = statement<Window & { status: Status }, LightRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', p.status)
    .where('sequence', '<=', firstOfPage(p, sql`AND status = ${p.status}`, dialect))
    .orderBy('sequence', 'desc')
    .limit(p.limit),
)

/** The whole page in memory. */
export async function listTransactions(
  executor: Executor,
  relayerId: RelayerId,
  filter: { status?: Status },
  page: PageRequest,
): Promise<Page<Transaction>> {
  const { items, total } = await listItems(executor, relayerId, filter, page)
  const read = await Promise.all(items.map((item) => item.read()))
  return { items: read.filter((each) => each !== undefined), total }
}

export async function listItems(
  executor: Executor,
  relayerId: RelayerId,
  filter: { status?: Status },
  { page, perPage }: PageRequest,
): Promise<Page<PageItem<Transaction>>> {
  const counts = await countByStatus(executor, relayerId)
  const total = filter.status ? counts[filter.status] : Object.values(counts).reduce((sum, count) => sum + count, 0)
  const offset = (page - 1) * perPage
  if (offset >= total) return { items: [], total }

  const rows = await rowsOf(executor, { relayerId, limit: perPage, offset }, filter.status)
  return { items: await itemsOf(executor, rows), total }
}

async function rowsOf(executor: Executor, window: Window, status?: Status): Promise<readonly LightRow[]> {
  const deep = window.offset >= bucketSize ? await pageByBuckets(executor, window, status) : undefined
  return deep ?? pageByOffset(executor, window, status)
}

export async function pageByOffset(executor: Executor, window: Window, status?: Status): Promise<LightRow[]> {
  return status ? executor.all(ofStatus, { ...window, status }) : executor.all(ofRelayer, window)
}

/** The same page. Undefined where the buckets can't say: see firstOfPage. */
export async function pageByBuckets(
  executor: Executor,
  window: Window,
  status?: Status,
): Promise<LightRow[] | undefined> {
  const read = () => (status ? executor.all(deepOfStatus, { ...window, status }) : executor.all(deepOfRelayer, window))
  const rows = await read()
  if (rows.length > 0) return rows
  const isCounted = () => bucketsAddUp(executor, window.relayerId, status)
  if (!(await isCounted())) return undefined
  // The counting may have ended after the page was read. The total counts rows by the status that a bulk cancellation will
  // write: before its shares are written, a page may be empty indeed.
  const again = await read()
  return again.length > 0 || (await isCounted()) ? again : undefined
}

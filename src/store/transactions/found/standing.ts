// Reads a relayer's standing and its nonces. Its size depends on the transactions with a nonce that are open.
import { sql } from 'kysely'
import type { Hash, RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { OpenTransaction, RelayerOverview } from '../../../domain/relayer-overview.ts'
import type { Nonce } from '../../../domain/units.ts'
import type { TransactionItem } from '../../list-port.ts'
import { inProgress, unsettled, withNonce } from '../../open-rows.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { type TransactionRow, waitColumns, waitFromRow } from '../rows/transaction-row.ts'
import { itemsOf, type LightRow, lightColumns } from './light-rows.ts'
import { queueRows } from './queue.ts'

const columns = ['id', 'nonce', 'phase', 'created_at', 'canceled_at', ...waitColumns] as const

type OpenRow = Pick<TransactionRow, (typeof columns)[number]>

const bound = statement<{ relayerId: RelayerId }, OpenRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select([...columns])
    .where('relayer_id', '=', p.relayerId)
    // Not those that only wait for finality, which may be many.
    .where(inProgress)
    // An expression, so that no index of nonces is chosen for the order.
    .orderBy(sql`+nonce`),
)

const head = statement<{ relayerId: RelayerId }, OpenRow>((db, p) => queueRows(db, p).select(columns).limit(1))

const stalled = statement<{ relayerId: RelayerId }, OpenRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select([...columns])
    .where('relayer_id', '=', p.relayerId)
    .where(unsettled)
    .where('wait_condition', '=', sql.lit('finality_stalled'))
    .orderBy('confirmed_at')
    .limit(1),
)

export async function readStanding(executor: Executor, relayerId: RelayerId): Promise<RelayerOverview> {
  const [rows, queued, late] = await Promise.all([
    executor.all(bound, { relayerId }),
    first(executor, head, { relayerId }),
    first(executor, stalled, { relayerId }),
  ])
  return {
    bound: rows.map(openFromRow),
    ...(queued && { head: openFromRow(queued) }),
    ...(late && { stalled: openFromRow(late) }),
  }
}

function openFromRow(row: OpenRow): OpenTransaction {
  const wait = waitFromRow(row)
  return {
    id: row.id,
    ...(row.nonce !== null && { nonce: row.nonce }),
    createdAt: row.created_at,
    isMined: row.phase === 'mined',
    isRacing: row.canceled_at !== null,
    ...(wait && { wait }),
  }
}

interface NonceRange {
  relayerId: RelayerId
  from: number
  limit: number
}

const byNonces = statement<NonceRange, LightRow>((db, p) => {
  const rows = db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '>=', p.from)
  return rows.where(withNonce.open).unionAll(rows.where(withNonce.ended)).orderBy('nonce').limit(p.limit)
})

/** The transactions that hold nonces from `from` on, or held them when they were settled; lowest first, at most `limit`. */
export async function transactionsByNonce(
  executor: Executor,
  relayerId: RelayerId,
  from: Nonce,
  limit: number,
): Promise<readonly TransactionItem[]> {
  return itemsOf(executor, await executor.all(byNonces, { relayerId, from, limit }))
}

const relayerOf = statement<{ id: TransactionId }, { relayer_id: RelayerId }>((db, p) =>
  db.selectFrom('transactions').select('relayer_id').where('id', '=', p.id),
)

export async function relayerOfTransaction(executor: Executor, id: TransactionId): Promise<RelayerId | undefined> {
  return (await first(executor, relayerOf, { id }))?.relayer_id
}

const openHash = statement<{ relayerId: RelayerId; hash: Hash }, { id: TransactionId }>((db, p) =>
  db
    .selectFrom('transactions')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.transaction_id', '=', 'transactions.id').onRef('attempts.nonce', '=', 'transactions.nonce'),
    )
    .select('transactions.id')
    .where('transactions.relayer_id', '=', p.relayerId)
    // Not those that only wait for finality, which may be many.
    .where(inProgress)
    .where('attempts.hash', '=', p.hash)
    .limit(1),
)

/** The open transaction of this relayer that has an attempt with this hash. */
export async function openWithHash(
  executor: Executor,
  relayerId: RelayerId,
  hash: Hash,
): Promise<TransactionId | undefined> {
  return (await first(executor, openHash, { relayerId, hash }))?.id
}

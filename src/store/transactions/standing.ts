// Reads a relayer's standing and its nonces. Its size depends on the transactions with a nonce that are open.
import { sql } from 'kysely'
import type { Attempt } from '../../domain/attempt.ts'
import type { Hash, RelayerId, TransactionId } from '../../domain/ids.ts'
import type { OpenTransaction, RelayerStanding } from '../../domain/standing.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Nonce } from '../../domain/units.ts'
import { type Executor, first, statement } from '../statement.ts'
import { type AttemptRow, attemptFromRow } from './attempt-row.ts'
import { isNotTaken } from './bulk-mark.ts'
import { unsettled } from './load-unsettled.ts'
import { type TransactionRow, transactionFromRow } from './transaction-row.ts'

const columns = ['id', 'nonce', 'phase', 'created_at', 'canceled_at', 'wait_condition', 'wait_text'] as const

type OpenRow = Pick<TransactionRow, (typeof columns)[number]>

/** Not those that only wait for finality, which may be many. A literal: the planner matches only that with the partial index. */
const inProgress = sql<boolean>`transactions.open = 1 AND transactions.nonce IS NOT NULL AND transactions.confirmed_at IS NULL`

const bound = statement<{ relayerId: RelayerId }, OpenRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select([...columns])
    .where('relayer_id', '=', p.relayerId)
    .where(inProgress)
    .orderBy('nonce'),
)

const head = statement<{ relayerId: RelayerId }, OpenRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select([...columns])
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', 'pending')
    .where('suspected_hash', 'is', null)
    .where(isNotTaken(p.relayerId))
    .orderBy('sequence')
    .limit(1),
)

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

export async function readStanding(executor: Executor, relayerId: RelayerId): Promise<RelayerStanding> {
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
  const { wait_condition: condition, wait_text: text } = row
  return {
    id: row.id,
    ...(row.nonce !== null && { nonce: row.nonce }),
    createdAt: row.created_at,
    isMined: row.phase === 'mined',
    isRacing: row.canceled_at !== null,
    ...(condition !== null && text !== null && { wait: { condition, text } }),
  }
}

interface NonceRange {
  relayerId: RelayerId
  from: number
  limit: number
}

const byNonces = statement<NonceRange, TransactionRow>((db, p) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', 'is not', null)
    .where('nonce', '>=', p.from)
    .orderBy('nonce')
    .limit(p.limit),
)

const attemptsByNonces = statement<{ relayerId: RelayerId; from: number; to: number }, AttemptRow>((db, p) =>
  db
    .selectFrom('transactions')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.transaction_id', '=', 'transactions.id').onRef('attempts.nonce', '=', 'transactions.nonce'),
    )
    .selectAll('attempts')
    .where('transactions.relayer_id', '=', p.relayerId)
    .where('transactions.nonce', 'is not', null)
    .where('transactions.nonce', '>=', p.from)
    .where('transactions.nonce', '<=', p.to)
    .orderBy('attempts.nonce')
    .orderBy('attempts.position'),
)

/** The transactions that hold nonces from `from` on, or held them when they were settled; lowest first, at most `limit`. */
export async function transactionsByNonce(
  executor: Executor,
  relayerId: RelayerId,
  from: Nonce,
  limit: number,
): Promise<readonly Transaction[]> {
  const rows = await executor.all(byNonces, { relayerId, from, limit })
  const to = rows.at(-1)?.nonce
  if (to === undefined || to === null) return []
  const attempts = new Map<TransactionId, Attempt[]>()
  for (const row of await executor.all(attemptsByNonces, { relayerId, from, to })) {
    const known = attempts.get(row.transaction_id)
    if (known) known.push(attemptFromRow(row))
    else attempts.set(row.transaction_id, [attemptFromRow(row)])
  }
  // A write between the two reads may have taken a nonce back: such a row comes with the next read.
  return rows.filter(({ id }) => attempts.has(id)).map((row) => transactionFromRow(row, attempts.get(row.id) ?? []))
}

const highest = statement<{ relayerId: RelayerId }, { nonce: number | null }>((db, p) =>
  db
    .selectFrom('transactions')
    .select('nonce')
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', 'is not', null)
    .orderBy('nonce', 'desc')
    .limit(1),
)

export async function highestNonce(executor: Executor, relayerId: RelayerId): Promise<Nonce | undefined> {
  return (await first(executor, highest, { relayerId }))?.nonce ?? undefined
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

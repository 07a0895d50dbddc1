// Finds transactions that ended long ago, and deletes those that nothing needs any more.
import { defined } from '../../../domain/defined.ts'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import { isRemovable, type RemovalContext } from '../../../domain/removable.ts'
import type { Status } from '../../../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../../../domain/units.ts'
import { isAmong } from '../../in-lists.ts'
import { findLookedBelow } from '../../relayers/foreign-uses.ts'
import { keepFromReuse } from '../../relayers/last-sequence.ts'
import { findRelayerAndFloor } from '../../relayers/relayers.ts'
import { findFormerFloor, hasOpen } from '../../relayers/remove-relayer.ts'
import type { EndedPosition, EndedTransaction } from '../../retention-port.ts'
import { type Executor, statement } from '../../statement.ts'
import { toJson } from '../../values.ts'
import type { Tallies } from '../counted/tallies.ts'
import { highestNonce, type Ids } from '../rows/find-transaction.ts'
import type { TransactionRow } from '../rows/transaction-row.ts'
import { removeLabels } from './labels.ts'
import { recordEnds } from './prune-claims.ts'

interface Window {
  before: TimestampMs
  from: TimestampMs
  passed: number
  limit: number
}

type EndedRow = Pick<TransactionRow, 'id' | 'relayer_id' | 'ended_at'>

const ended = statement<Window, EndedRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select(['id', 'relayer_id', 'ended_at'])
    .where('ended_at', '>=', p.from)
    .where('ended_at', '<', p.before)
    .orderBy('ended_at')
    .limit(p.limit)
    .offset(p.passed),
)

export async function endedBefore(
  executor: Executor,
  before: TimestampMs,
  { endedAt: from, passed }: EndedPosition,
  limit: number,
): Promise<readonly EndedTransaction[]> {
  const rows = await executor.all(ended, { before, from, passed, limit })
  return rows.flatMap(({ id, relayer_id: relayerId, ended_at: endedAt }) =>
    endedAt === null ? [] : [{ id, relayerId, endedAt }],
  )
}

type Candidate = Pick<TransactionRow, 'id' | 'relayer_id' | 'nonce' | 'open'>

// By their ids only: see find-transaction.ts.
const candidates = statement<Ids, Candidate>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select(['id', 'relayer_id', 'nonce', 'open'])
    .where(isAmong('id', p.ids, dialect)),
)

/** Transactions with a delivery that waits or is a dead letter. */
const withDelivery = statement<Ids, { transaction_id: TransactionId }>((db, p, dialect) =>
  db
    .selectFrom('delivery_queues as q')
    // SQLite keeps the order of a cross join: the queues are few.
    .crossJoin('deliveries as d')
    .select('d.transaction_id')
    .whereRef('d.notification_id', '=', 'q.notification_id')
    .where(isAmong('d.transaction_id', p.ids, dialect)),
)

/** The transactions of the relayer, among these, that nothing needs any more. */
export async function removableAmong(
  executor: Executor,
  relayerId: RelayerId,
  given: readonly TransactionId[],
): Promise<readonly TransactionId[]> {
  const ids = toJson(given)
  const rows = await executor.all(candidates, { ids })
  const delivering = new Set((await executor.all(withDelivery, { ids })).map((row) => row.transaction_id))
  const context = await contextOf(executor, relayerId)
  const removable = rows.filter(
    ({ id, relayer_id: owner, open, nonce }) =>
      owner === relayerId &&
      open === 0 &&
      isRemovable({ ...(nonce !== null && { nonce }), hasDelivery: delivering.has(id) }, context),
  )
  return removable.map(({ id }) => id)
}

async function contextOf(executor: Executor, relayerId: RelayerId): Promise<RemovalContext> {
  const found = await findRelayerAndFloor(executor, relayerId)
  const highest: Nonce | undefined = await highestNonce(executor, relayerId)
  const lookedBelow = await findLookedBelow(executor, relayerId)
  // With nothing open, a check compares nothing. Later sends are newer than every end that is old enough to go.
  const isChecked = found?.uncheckedThrough === undefined || !(await hasOpen(executor, relayerId))
  return {
    explainedBelow: found?.floor.explainedBelow ?? (await findFormerFloor(executor, relayerId)) ?? 0,
    ...defined({ highestNonce: highest, lookedBelow }),
    isChecked,
  }
}

const removeAttempts = statement<Ids>((db, p, dialect) =>
  db.deleteFrom('attempts').where(isAmong('transaction_id', p.ids, dialect)),
)

const removeRows = statement<Ids, { id: TransactionId; status: Status; sequence: number }>((db, p, dialect) =>
  db
    .deleteFrom('transactions')
    .where(isAmong('id', p.ids, dialect))
    .returning(['id', 'status', 'sequence']),
)

/** The unit holds the relayer's lock, so no history check begins before it ends. */
export async function removeEnded(
  executor: Executor,
  tallies: Tallies,
  relayerId: RelayerId,
  given: readonly TransactionId[],
): Promise<readonly TransactionId[]> {
  const removable = await removableAmong(executor, relayerId, given)
  if (removable.length === 0) return []
  const ids = toJson(removable)
  await removeLabels(executor, relayerId, ids)
  await recordEnds(executor, ids)
  await executor.all(removeAttempts, { ids })
  const removed = await executor.all(removeRows, { ids })
  for (const { status } of removed) tallies.count(relayerId, status, -1)
  const newest = Math.max(0, ...removed.map(({ sequence }) => sequence))
  // The rows held the relayer's last sequence, if none is newer.
  await keepFromReuse(executor, relayerId, newest)
  return removed.map(({ id }) => id)
}

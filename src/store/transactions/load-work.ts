// Loads the data that an owner needs for one step. Its size depends on the transactions in progress only.
import { sql } from 'kysely'
import type { Condition } from '../../domain/condition.ts'
import { keptByEveryNode } from '../../domain/decide/window.ts'
import { passedMax, type Work } from '../../domain/decide/work.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { QueueHead } from '../../domain/wait.ts'
import { findRelayer, findRelayerAndFloor } from '../relayers/relayers.ts'
import { type Executor, first, type QueryBuilder, statement } from '../statement.ts'
import type { AttemptRow } from './attempt-row.ts'
import { isNotAmongTaken, isNotTaken } from './bulk-mark.ts'
import { explainedRuns, findUnsettled, withAttempts } from './load-unsettled.ts'
import { listPresigned } from './presigned-no-ops.ts'
import { type Known, readChanged, type Selection, selection } from './read-changed.ts'
import { type TransactionRow, transactionFromRow } from './transaction-row.ts'

// Literals, not parameters: otherwise the planner does not match the queries with the partial indexes.
const inProgress = sql<boolean>`transactions.open = 1 AND transactions.nonce IS NOT NULL AND transactions.confirmed_at IS NULL`
/** Confirmed, with a foreign spender. */
const displaced = sql<boolean>`transactions.open = 1 AND transactions.confirmed_at IS NOT NULL AND transactions.included_kind = 'external'`

const boundRows = (db: QueryBuilder, p: { relayerId: RelayerId }, which: typeof inProgress) =>
  db.selectFrom('transactions').where('relayer_id', '=', p.relayerId).where(which)

// Each part reads by its own index.
const bound: Selection<{ relayerId: RelayerId }> = {
  rows: statement((db, p) =>
    boundRows(db, p, inProgress)
      .selectAll()
      .unionAll(boundRows(db, p, displaced).selectAll())
      .orderBy('nonce'),
  ),
  versions: statement((db, p) =>
    boundRows(db, p, inProgress)
      .select(['id', 'version', 'nonce'])
      .unionAll(boundRows(db, p, displaced).select(['id', 'version', 'nonce']))
      .orderBy('nonce'),
  ),
}

const attemptRows = (db: QueryBuilder, p: { relayerId: RelayerId }, which: typeof inProgress) =>
  db
    .selectFrom('transactions')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.transaction_id', '=', 'transactions.id').onRef('attempts.nonce', '=', 'transactions.nonce'),
    )
    .selectAll('attempts')
    .where('transactions.relayer_id', '=', p.relayerId)
    .where(which)

const boundAttempts = statement<{ relayerId: RelayerId }, AttemptRow>((db, p) =>
  attemptRows(db, p, inProgress)
    .unionAll(attemptRows(db, p, displaced))
    .orderBy('nonce')
    .orderBy('position'),
)

const unfundedCondition: Condition = 'balance_short'
const isFunded = sql<boolean>`(wait_condition IS NULL OR wait_condition <> ${sql.lit(unfundedCondition)})`

const queue = selection<{ relayerId: RelayerId; limit: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .where('relayer_id', '=', p.relayerId)
    // Only queued transactions are pending, so the index of statuses is the index of the queue.
    .where('status', '=', 'pending')
    .where('suspected_hash', 'is', null)
    .where(isNotTaken(p.relayerId))
    .orderBy('sequence')
    .limit(p.limit),
)

/** For `skip_unfunded`: those that the balance may cover. */
const funded = selection<{ relayerId: RelayerId; limit: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', 'pending')
    .where('suspected_hash', 'is', null)
    .where(isNotTaken(p.relayerId))
    .where(isFunded)
    .orderBy('sequence')
    .limit(p.limit),
)

/** The owner has marked these. It marks none behind the transactions that it loads, which bounds the search. */
const unfunded = selection<{ relayerId: RelayerId; through: number; limit: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', 'pending')
    .where('suspected_hash', 'is', null)
    .where(isNotTaken(p.relayerId))
    .where('wait_condition', '=', unfundedCondition)
    .where('sequence', '<=', p.through)
    .orderBy('sequence')
    .limit(p.limit),
)

async function queueOf(
  read: Reader,
  { id: relayerId, policies }: Relayer,
  queuedMax: number,
): Promise<readonly Transaction[]> {
  const limit = policies.maxInFlight ?? queuedMax
  if (!policies.skipUnfunded) return read(queue, { relayerId, limit })
  const first = await read(funded, { relayerId, limit })
  const last = first[limit - 1]
  const through = last?.sequence ?? Number.MAX_SAFE_INTEGER
  const passed = await read(unfunded, { relayerId, through, limit: passedMax })
  return [...first, ...passed].sort((one, other) => one.sequence - other.sequence)
}

/** The oldest one says how far back a history check goes; the others wait for their clients. */
const suspected = selection<{ relayerId: RelayerId }>((db, p) =>
  db
    .selectFrom('transactions')
    .where('relayer_id', '=', p.relayerId)
    .where(sql<boolean>`open = 1 AND suspected_hash IS NOT NULL`)
    .where(isNotAmongTaken(p.relayerId))
    .orderBy('sequence')
    .limit(1),
)

/** Beyond the head of the queue: the transactions that expire first. Those without valid_until are in no index. */
const expiring = selection<{ relayerId: RelayerId; limit: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .where('relayer_id', '=', p.relayerId)
    .where(sql<boolean>`phase = 'queued' AND valid_until IS NOT NULL`)
    .where(isNotAmongTaken(p.relayerId))
    .orderBy('valid_until')
    .limit(p.limit),
)

type HeadRow = Pick<TransactionRow, 'id' | 'sequence' | 'wait_condition' | 'wait_text'>

const head = statement<{ relayerId: RelayerId }, HeadRow>((db, p) => heads(db, p).limit(1))

/** Those that the balance does not cover hold up no others. */
const fundedHead = statement<{ relayerId: RelayerId }, HeadRow>((db, p) => heads(db, p).where(isFunded).limit(1))

function heads(db: QueryBuilder, p: { relayerId: RelayerId }) {
  return db
    .selectFrom('transactions')
    .select(['id', 'sequence', 'wait_condition', 'wait_text'])
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', 'pending')
    .where('suspected_hash', 'is', null)
    .where(isNotTaken(p.relayerId))
    .orderBy('sequence')
}

export async function queueHead(executor: Executor, relayerId: RelayerId): Promise<QueueHead | undefined> {
  const relayer = await findRelayer(executor, relayerId)
  const row = await first(executor, relayer?.policies.skipUnfunded ? fundedHead : head, { relayerId })
  if (!row) return undefined
  const { id, sequence, wait_condition: condition, wait_text: text } = row
  return { id, sequence, ...(condition !== null && text !== null && { wait: { condition, text } }) }
}

const expiringMax = 64

/** How the transactions of a selection are read. */
type Reader = <P extends object>(selection: Selection<P>, parameters: P) => Promise<readonly Transaction[]>

/** `earlier`: the result of an earlier read of this relayer. Of its transactions, only those that changed since are read. */
export async function loadWork(
  executor: Executor,
  relayerId: RelayerId,
  queuedMax = keptByEveryNode,
  earlier?: Work,
): Promise<Work | undefined> {
  const known = earlier && knownFrom(earlier)
  const read: Reader = async (selection, parameters) => {
    if (known) return readChanged(executor, selection, parameters, known)
    const rows = await executor.all(selection.rows, parameters)
    return rows.map((row) => transactionFromRow(row, []))
  }
  // In parallel: a remote database costs two round trips instead of five.
  const [found, open, soonest, unclear, unsettled] = await Promise.all([
    findRelayerAndFloor(executor, relayerId),
    known ? read(bound, { relayerId }) : readBound(executor, relayerId),
    read(expiring, { relayerId, limit: expiringMax }),
    read(suspected, { relayerId }),
    findUnsettled(executor, relayerId),
  ])
  if (!found) return undefined
  // Only a history check counts their nonces.
  const isChecking = unsettled !== undefined && found.uncheckedThrough !== undefined
  const [queued, explained, presigned] = await Promise.all([
    queueOf(read, found.relayer, queuedMax),
    isChecking ? explainedRuns(executor, relayerId) : undefined,
    found.relayer.policies.presignCancel ? listPresigned(executor, relayerId) : undefined,
  ])
  return {
    ...found,
    open,
    ...(unsettled && { unsettled: { ...unsettled, ...(explained && { explained }) } }),
    ...(presigned && { presigned }),
    queued,
    suspected: unclear,
    expiring: soonest,
  }
}

async function readBound(executor: Executor, relayerId: RelayerId): Promise<readonly Transaction[]> {
  // Rows before attempts: an attempt is written no later than the row that refers to it.
  const [rows, attempts] = await Promise.all([
    executor.all(bound.rows, { relayerId }),
    executor.all(boundAttempts, { relayerId }),
  ])
  return withAttempts(rows, attempts)
}

function knownFrom({ open, queued, suspected, expiring }: Work): Known {
  return new Map([...open, ...queued, ...suspected, ...expiring].map((transaction) => [transaction.id, transaction]))
}

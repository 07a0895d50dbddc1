// Reads the queue of a relayer: the transactions without a nonce that may get one, in sequence.
import { sql } from 'kysely'
import type { Condition } from '../../../domain/condition.ts'
import { passedMax } from '../../../domain/decide/plan/work.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import type { QueuedSend } from '../../../domain/preview/top-up.ts'
import type { Relayer } from '../../../domain/relayer.ts'
import type { QueueHead } from '../../../domain/wait.ts'
import { inQueue } from '../../open-rows.ts'
import { findRelayer } from '../../relayers/relayers.ts'
import { type Executor, first, type QueryBuilder, statement } from '../../statement.ts'
import { type PricingColumns, pricingColumns, pricingFromRow } from '../rows/payload-row.ts'
import { type TransactionRow, type WaitRow, waitColumns, waitFromRow } from '../rows/transaction-row.ts'
import { type Version, versionColumns } from './read-changed.ts'

interface OfRelayer {
  readonly relayerId: RelayerId
}

/** The rows of the queue. */
export function queueRows(db: QueryBuilder, { relayerId }: OfRelayer) {
  return db
    .selectFrom('transactions')
    .where('relayer_id', '=', relayerId)
    .where(inQueue)
    .where('suspected_hash', 'is', null)
    .orderBy('sequence')
}

const unfundedCondition: Condition = 'balance_short'
/** Whether the balance may cover the transaction. */
const isFunded = sql<boolean>`(wait_condition IS NULL OR wait_condition <> ${sql.lit(unfundedCondition)})`

const queue = statement<OfRelayer & { limit: number }, Version>((db, p) =>
  queueRows(db, p).select(versionColumns).limit(p.limit),
)

const funded = statement<OfRelayer & { limit: number }, Version>((db, p) =>
  queueRows(db, p).select(versionColumns).where(isFunded).limit(p.limit),
)

/** The owner has marked these. It marks none behind the transactions that it loads, which bounds the search. */
const unfunded = statement<OfRelayer & { through: number; limit: number }, Version>((db, p) =>
  queueRows(db, p)
    .select(versionColumns)
    .where('wait_condition', '=', unfundedCondition)
    .where('sequence', '<=', p.through)
    .limit(p.limit),
)

/** For `skip_unfunded`, those that the balance may cover, and with them the ones that it does not. */
export async function queueOf(
  executor: Executor,
  { id: relayerId, policies }: Relayer,
  queuedMax: number,
): Promise<readonly Version[]> {
  const limit = policies.maxInFlight ?? queuedMax
  if (!policies.skipUnfunded) return executor.all(queue, { relayerId, limit })
  const covered = await executor.all(funded, { relayerId, limit })
  const last = covered[limit - 1]
  const through = last?.sequence ?? Number.MAX_SAFE_INTEGER
  const passed = await executor.all(unfunded, { relayerId, through, limit: passedMax })
  return [...covered, ...passed].sort((one, other) => one.sequence - other.sequence)
}

/** Whether both read the same part of the queue. */
export function isSameQueue({ policies: one }: Relayer, { policies: other }: Relayer): boolean {
  return one.maxInFlight === other.maxInFlight && one.skipUnfunded === other.skipUnfunded
}

type HeadRow = Pick<TransactionRow, 'id' | 'sequence'> & WaitRow

const headColumns = ['id', 'sequence', ...waitColumns] as const

const head = statement<OfRelayer, HeadRow>((db, p) => queueRows(db, p).select(headColumns).limit(1))

/** The first transaction that the balance may cover: the others hold up none. */
const fundedHead = statement<OfRelayer, HeadRow>((db, p) =>
  queueRows(db, p).select(headColumns).where(isFunded).limit(1),
)

export async function queueHead(executor: Executor, relayerId: RelayerId): Promise<QueueHead | undefined> {
  const relayer = await findRelayer(executor, relayerId)
  const row = await first(executor, relayer?.policies.skipUnfunded ? fundedHead : head, { relayerId })
  if (!row) return undefined
  const { id, sequence } = row
  const wait = waitFromRow(row)
  return { id, sequence, ...(wait && { wait }) }
}

type SendRow = Pick<TransactionRow, 'value' | 'gas_limit'> & PricingColumns

const sends = statement<OfRelayer & { limit: number }, SendRow>((db, p) =>
  queueRows(db, p)
    .select(['value', 'gas_limit', ...pricingColumns])
    .limit(p.limit),
)

/** The costs of the first transactions in the queue, without their data. */
export async function readQueuedSends(
  executor: Executor,
  relayerId: RelayerId,
  limit: number,
): Promise<readonly QueuedSend[]> {
  const rows = await executor.all(sends, { relayerId, limit })
  return rows.map(({ value, gas_limit: gasLimit, ...pricing }) => ({
    value: BigInt(value),
    ...(gasLimit !== null && { gasLimit }),
    pricing: pricingFromRow(pricing),
  }))
}

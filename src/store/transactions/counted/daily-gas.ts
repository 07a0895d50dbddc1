// The gas that each relayer paid on each day, added in the commit in which a transaction becomes final.
import { sql } from 'kysely'
import type { DailyGas } from '../../../domain/daily-gas.ts'
import { dayOf } from '../../../domain/daily-gas.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import { feesPaid, type Lifecycle, type Transaction } from '../../../domain/transaction.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import { inLists } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'

/** Sums of two integers are exact in both databases; amounts of wei fit no integer column. */
const weiPerGwei = 1_000_000_000n
/** Fees above it, of 8,796 ether, are an error of a node: a million of them in one day would leave no room in the column. */
const gweiMax = 2n ** 43n

interface Addition {
  relayer_id: RelayerId
  day: number
  transactions: number
  no_ops: number
  unpriced: number
  gwei: number
  wei: number
}

const add = inLists(
  statement<Addition>((db, p) =>
    db
      .insertInto('daily_gas')
      .values({
        relayer_id: p.relayer_id,
        day: p.day,
        transactions: p.transactions,
        no_ops: p.no_ops,
        unpriced: p.unpriced,
        gwei: p.gwei,
        wei: p.wei,
      })
      .onConflict((conflict) =>
        conflict.columns(['relayer_id', 'day']).doUpdateSet({
          transactions: sql`daily_gas.transactions + excluded.transactions`,
          no_ops: sql`daily_gas.no_ops + excluded.no_ops`,
          unpriced: sql`daily_gas.unpriced + excluded.unpriced`,
          gwei: sql`daily_gas.gwei + excluded.gwei`,
          wei: sql`daily_gas.wei + excluded.wei`,
        }),
      ),
  ),
  {
    relayer_id: 'text',
    day: 'bigint',
    transactions: 'bigint',
    no_ops: 'bigint',
    unpriced: 'bigint',
    gwei: 'bigint',
    wei: 'bigint',
  },
  // One statement may change a row only once, so the rows of a day are summed first.
  (given) => `INSERT INTO daily_gas (relayer_id, day, transactions, no_ops, unpriced, gwei, wei)
    SELECT relayer_id, day, sum(transactions), sum(no_ops), sum(unpriced), sum(gwei), sum(wei) FROM ${given}
    GROUP BY relayer_id, day
    ON CONFLICT (relayer_id, day) DO UPDATE SET
      transactions = daily_gas.transactions + excluded.transactions, no_ops = daily_gas.no_ops + excluded.no_ops,
      unpriced = daily_gas.unpriced + excluded.unpriced, gwei = daily_gas.gwei + excluded.gwei,
      wei = daily_gas.wei + excluded.wei`,
)

/** Adds nothing unless this change makes the spender of the nonce final, and the account paid for it. */
export async function addDailyGas(
  executor: Executor,
  before: Transaction,
  after: Transaction,
  now: TimestampMs,
): Promise<void> {
  const final = finalSpender(before.lifecycle, after.lifecycle, now)
  if (!final || final.inclusion.by === 'external') return
  const { inclusion, finalAt } = final
  const paid = feesPaid(inclusion)
  const fees = paid !== undefined && paid / weiPerGwei <= gweiMax ? paid : undefined
  await executor.all(add, {
    relayer_id: after.relayerId,
    day: dayOf(finalAt),
    transactions: 1,
    no_ops: inclusion.by === 'attempt' && inclusion.kind === 'cancel' ? 1 : 0,
    unpriced: fees === undefined ? 1 : 0,
    gwei: Number((fees ?? 0n) / weiPerGwei),
    wei: Number((fees ?? 0n) % weiPerGwei),
  })
}

/** A payload that was given up for now goes back into the queue when the no-op that took its nonce is final. */
function finalSpender(before: Lifecycle, after: Lifecycle, now: TimestampMs) {
  if (after.phase === 'final') return before.phase === 'final' ? undefined : after
  return after.phase === 'queued' && before.phase === 'mined' ? { ...before, finalAt: now } : undefined
}

const since = statement<{ day: number }, Addition>((db, p) =>
  db.selectFrom('daily_gas').selectAll().where('day', '>=', p.day).orderBy('day').orderBy('relayer_id'),
)

export async function readDailyGas(executor: Executor, day: number): Promise<readonly DailyGas[]> {
  const rows = await executor.all(since, { day })
  return rows.map((row) => ({
    relayerId: row.relayer_id,
    day: row.day,
    transactions: row.transactions,
    noOps: row.no_ops,
    unpriced: row.unpriced,
    fees: BigInt(row.gwei) * weiPerGwei + BigInt(row.wei),
  }))
}

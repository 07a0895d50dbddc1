// What each relayer spent on each day, added in the commit in which a transaction becomes final.
import { sql } from 'kysely'
import type { DailySpend } from '../../../domain/daily-spend.ts'
import { dayOf, valuePaid } from '../../../domain/daily-spend.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import { isSweep } from '../../../domain/sweep.ts'
import { feesPaid, isInPhase, type Transaction } from '../../../domain/transaction.ts'
import { minWei, type TimestampMs, type Wei } from '../../../domain/units.ts'
import { inLists } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'

/** Sums of two integers are exact in both databases; amounts of wei fit no integer column. */
const weiPerGwei = 1_000_000_000n
const gweiPerEther = 1_000_000_000n
/** Fees above it, of 8,796 ether, are an error of a node: a million of them in one day would leave no room in the column. */
const gweiMax = 2n ** 43n
/** More is paid on no chain where ether is worth anything, and a million such sums still fit the column. */
const etherMax = 2n ** 43n

interface Addition {
  relayer_id: RelayerId
  day: number
  transactions: number
  no_ops: number
  unpriced: number
  gwei: number
  wei: number
  spent_ether: number
  spent_gwei: number
  spent_wei: number
}

const add = inLists(
  statement<Addition>((db, p) =>
    db
      .insertInto('daily_spend')
      .values({
        relayer_id: p.relayer_id,
        day: p.day,
        transactions: p.transactions,
        no_ops: p.no_ops,
        unpriced: p.unpriced,
        gwei: p.gwei,
        wei: p.wei,
        spent_ether: p.spent_ether,
        spent_gwei: p.spent_gwei,
        spent_wei: p.spent_wei,
      })
      .onConflict((conflict) =>
        conflict.columns(['relayer_id', 'day']).doUpdateSet({
          transactions: sql`daily_spend.transactions + excluded.transactions`,
          no_ops: sql`daily_spend.no_ops + excluded.no_ops`,
          unpriced: sql`daily_spend.unpriced + excluded.unpriced`,
          gwei: sql`daily_spend.gwei + excluded.gwei`,
          wei: sql`daily_spend.wei + excluded.wei`,
          spent_ether: sql`daily_spend.spent_ether + excluded.spent_ether`,
          spent_gwei: sql`daily_spend.spent_gwei + excluded.spent_gwei`,
          spent_wei: sql`daily_spend.spent_wei + excluded.spent_wei`,
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
    spent_ether: 'bigint',
    spent_gwei: 'bigint',
    spent_wei: 'bigint',
  },
  // One statement may change a row only once, so the rows of a day are summed first.
  (given) => `INSERT INTO daily_spend
      (relayer_id, day, transactions, no_ops, unpriced, gwei, wei, spent_ether, spent_gwei, spent_wei)
    SELECT relayer_id, day, sum(transactions), sum(no_ops), sum(unpriced), sum(gwei), sum(wei), sum(spent_ether),
      sum(spent_gwei), sum(spent_wei) FROM ${given}
    GROUP BY relayer_id, day
    ON CONFLICT (relayer_id, day) DO UPDATE SET
      transactions = daily_spend.transactions + excluded.transactions, no_ops = daily_spend.no_ops + excluded.no_ops,
      unpriced = daily_spend.unpriced + excluded.unpriced, gwei = daily_spend.gwei + excluded.gwei,
      wei = daily_spend.wei + excluded.wei, spent_ether = daily_spend.spent_ether + excluded.spent_ether,
      spent_gwei = daily_spend.spent_gwei + excluded.spent_gwei, spent_wei = daily_spend.spent_wei + excluded.spent_wei`,
)

/** Adds nothing unless this change makes the spender of the nonce final, and the account paid for it. */
export async function addDailySpend(
  executor: Executor,
  before: Transaction,
  after: Transaction,
  now: TimestampMs,
): Promise<void> {
  const final = finalSpender(before, after, now)
  if (!final || final.inclusion.by === 'external') return
  const { transaction, inclusion, finalAt } = final
  const paid = feesPaid(inclusion)
  const fees = paid !== undefined && paid / weiPerGwei <= gweiMax ? paid : undefined
  const spent = isSweep(transaction) ? 0n : valuePaid(transaction, inclusion) + (fees ?? 0n)
  await executor.all(add, {
    relayer_id: after.relayerId,
    day: dayOf(finalAt),
    transactions: 1,
    no_ops: inclusion.by === 'attempt' && inclusion.kind === 'cancel' ? 1 : 0,
    unpriced: fees === undefined ? 1 : 0,
    gwei: Number((fees ?? 0n) / weiPerGwei),
    wei: Number((fees ?? 0n) % weiPerGwei),
    ...spentColumns(spent),
  })
}

/** A payload that was given up for now goes back into the queue when the no-op that took its nonce is final. */
function finalSpender(before: Transaction, after: Transaction, now: TimestampMs) {
  if (isInPhase(after, 'final')) {
    return isInPhase(before, 'final') ? undefined : { ...after.lifecycle, transaction: after }
  }
  const isRequeued = isInPhase(after, 'queued') && isInPhase(before, 'mined')
  return isRequeued ? { ...before.lifecycle, transaction: before, finalAt: now } : undefined
}

function spentColumns(spent: Wei) {
  const ether = spent / weiPerGwei / gweiPerEther
  return {
    spent_ether: Number(minWei(ether, etherMax)),
    spent_gwei: Number((spent / weiPerGwei) % gweiPerEther),
    spent_wei: Number(spent % weiPerGwei),
  }
}

function spentOf({ spent_ether: ether, spent_gwei: gwei, spent_wei: wei }: Addition): Wei {
  return (BigInt(ether) * gweiPerEther + BigInt(gwei)) * weiPerGwei + BigInt(wei)
}

const since = statement<{ day: number }, Addition>((db, p) =>
  db.selectFrom('daily_spend').selectAll().where('day', '>=', p.day).orderBy('day').orderBy('relayer_id'),
)

export async function readDailySpend(executor: Executor, day: number): Promise<readonly DailySpend[]> {
  const rows = await executor.all(since, { day })
  return rows.map((row) => ({
    relayerId: row.relayer_id,
    day: row.day,
    transactions: row.transactions,
    noOps: row.no_ops,
    unpriced: row.unpriced,
    fees: BigInt(row.gwei) * weiPerGwei + BigInt(row.wei),
    spent: spentOf(row),
  }))
}

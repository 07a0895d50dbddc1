// What each relayer spent on each day, added in the commit in which a transaction becomes final: one row for
// each relayer and day.
import { sql } from 'kysely'
import type { DailySpend } from '../../../domain/daily-spend.ts'
import { dayOf, valuePaid } from '../../../domain/daily-spend.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import { isSweep } from '../../../domain/sweep.ts'
import { feesPaid, isInPhase, type Transaction } from '../../../domain/transaction.ts'
import { minWei, type TimestampMs, type Wei } from '../../../domain/units.ts'
import type { DailySpendTable } from '../../access-tables.ts'
import { inLists } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'
import { recordOf } from '../../values.ts'
import { openSheet, type Sheet } from './sheet.ts'

/** Sums of two integers are exact in both databases; amounts of wei fit no integer column. */
const weiPerGwei = 1_000_000_000n
const gweiPerEther = 1_000_000_000n
/** Fees above it, of 8,796 ether, are an error of a node: a million of them in one day would leave no room in the column. */
const gweiMax = 2n ** 43n
/** More is paid on no chain where ether is worth anything, and a million such sums still fit the column. */
const etherMax = 2n ** 43n

const sumNames = [
  ...(['transactions', 'no_ops', 'unpriced', 'gwei', 'wei'] as const),
  ...(['spent_ether', 'spent_gwei', 'spent_wei'] as const),
] as const satisfies readonly (keyof DailySpendTable)[]

const ofEach = <T>(value: (name: (typeof sumNames)[number]) => T) => recordOf(sumNames, value)

/** What transactions add to the sums of a day. */
export type SpendChange = DailySpendTable

export function openSpendSheet(executor: Executor): Sheet<SpendChange> {
  return openSheet<SpendChange, SpendChange>(
    (change) => `${change.relayer_id} ${change.day}`,
    (known, change) => (known ? { ...change, ...ofEach((name) => known[name] + change[name]) } : change),
    (change) => executor.all(add, change),
  )
}

const add = inLists(
  statement<SpendChange>((db, p) =>
    db
      .insertInto('daily_spend')
      .values({ relayer_id: p.relayer_id, day: p.day, ...ofEach((name) => p[name]) })
      .onConflict((conflict) =>
        conflict
          .columns(['relayer_id', 'day'])
          .doUpdateSet(
            ofEach((name) => sql<number>`${sql.ref(`daily_spend.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
          ),
      ),
  ),
  { relayer_id: 'text', day: 'bigint', ...ofEach(() => 'bigint' as const) },
  (given, columns) => `INSERT INTO daily_spend (${columns}) SELECT * FROM ${given}
    ON CONFLICT (relayer_id, day) DO UPDATE SET
    ${sumNames.map((name) => `${name} = daily_spend.${name} + excluded.${name}`).join(', ')}`,
)

/** Undefined unless this change makes the spender of the nonce final, and the account paid for it. */
export function spendOf(before: Transaction, after: Transaction, now: TimestampMs): SpendChange | undefined {
  const final = finalSpender(before, after, now)
  if (!final || final.inclusion.by === 'external') return undefined
  const { transaction, inclusion, finalAt } = final
  const paid = feesPaid(inclusion)
  const fees = paid !== undefined && paid / weiPerGwei <= gweiMax ? paid : undefined
  const spent = isSweep(transaction) ? 0n : valuePaid(transaction, inclusion) + (fees ?? 0n)
  return {
    relayer_id: after.relayerId,
    day: dayOf(finalAt),
    transactions: 1,
    no_ops: inclusion.by === 'attempt' && inclusion.kind === 'cancel' ? 1 : 0,
    unpriced: fees === undefined ? 1 : 0,
    gwei: Number((fees ?? 0n) / weiPerGwei),
    wei: Number((fees ?? 0n) % weiPerGwei),
    ...spentColumns(spent),
  }
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

function spentOf({ spent_ether: ether, spent_gwei: gwei, spent_wei: wei }: SpendChange): Wei {
  return (BigInt(ether) * gweiPerEther + BigInt(gwei)) * weiPerGwei + BigInt(wei)
}

const since = statement<{ day: number }, SpendChange>((db, p) =>
  db.selectFrom('daily_spend').selectAll().where('day', '>=', p.day).orderBy('day').orderBy('relayer_id'),
)

const sinceOf = statement<{ relayer_id: RelayerId; day: number }, DailySpendTable>((db, p) =>
  db
    .selectFrom('daily_spend')
    .selectAll()
    .where('relayer_id', '=', p.relayer_id)
    .where('day', '>=', p.day)
    .orderBy('day'),
)

export async function readDailySpend(executor: Executor, day: number): Promise<readonly DailySpend[]> {
  return (await executor.all(since, { day })).map(fromRow)
}

export async function readSpendOf(
  executor: Executor,
  relayerId: RelayerId,
  day: number,
): Promise<readonly DailySpend[]> {
  return (await executor.all(sinceOf, { relayer_id: relayerId, day })).map(fromRow)
}

function fromRow(row: DailySpendTable): DailySpend {
  return {
    relayerId: row.relayer_id,
    day: row.day,
    transactions: row.transactions,
    noOps: row.no_ops,
    unpriced: row.unpriced,
    fees: BigInt(row.gwei) * weiPerGwei + BigInt(row.wei),
    spent: spentOf(row),
  }
}

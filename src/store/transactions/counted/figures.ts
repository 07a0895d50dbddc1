// The figures of each five minutes. A commit adds the changes of all its transactions at once, one row for each relayer.
import { sql } from 'kysely'
import {
  addFigures,
  type Figure,
  type FigureChange,
  type FigureRange,
  type FigureSums,
  type Figures,
  figureNames,
} from '../../../domain/figures.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { FigureTable } from '../../access-tables.ts'
import { inLists } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'
import type { TransactionChanges } from '../../transaction-port.ts'
import { recordOf, stepOf } from '../../values.ts'
import { addNodeCalls } from './node-calls.ts'
import { openSheet, type Sheet } from './sheet.ts'

interface OfRelayer {
  readonly relayerId: RelayerId
  readonly change: FigureChange
}

type Period = Pick<FigureTable, 'relayer_id' | 'at'> & { readonly figures: Partial<Record<Figure, number>> }

export function openFigureSheet(executor: Executor): Sheet<OfRelayer> {
  return openSheet<OfRelayer, Period>(
    ({ relayerId, change }) => `${relayerId} ${change.at}`,
    (known, { relayerId, change }) => {
      const period = known ?? { relayer_id: relayerId, at: change.at, figures: {} }
      addFigures(period.figures, change)
      return period
    },
    async ({ figures, ...row }) => {
      if (Object.values(figures).every((change) => change === 0)) return
      await executor.all(add, { ...row, ...ofEach((name) => figures[name] ?? 0) })
    },
  )
}

const ofEach = <T>(value: (name: Figure) => T) => recordOf(figureNames, value)

const add = inLists(
  statement<FigureTable>((db, p) =>
    db
      .insertInto('figures')
      .values({ relayer_id: p.relayer_id, at: p.at, ...ofEach((name) => p[name]) })
      .onConflict((conflict) =>
        conflict
          .columns(['relayer_id', 'at'])
          .doUpdateSet(ofEach((name) => sql<number>`${sql.ref(`figures.${name}`)} + ${sql.ref(`excluded.${name}`)}`)),
      ),
  ),
  { relayer_id: 'text', at: 'bigint', ...ofEach(() => 'bigint' as const) },
  (given, columns) => `INSERT INTO figures (${columns}) SELECT * FROM ${given}
    ON CONFLICT (relayer_id, at) DO UPDATE SET
    ${figureNames.map((name) => `${name} = figures.${name} + excluded.${name}`).join(', ')}`,
)

type Sum = { step: TimestampMs; network: string | null } & Figures

const sums = (isOfOne: boolean) =>
  statement<FigureRange & { relayerId: string }, Sum>((db, p) =>
    db
      .selectFrom('figures')
      .leftJoin('relayers', 'relayers.id', 'figures.relayer_id')
      .select((eb) => [
        stepOf(eb.ref('at'), p.stepMs).as('step'),
        'relayers.network as network',
        ...figureNames.map((name) => sql<number>`CAST(SUM(${sql.ref(name)}) AS BIGINT)`.as(name)),
      ])
      .$if(isOfOne, (query) => query.where(sql<boolean>`relayer_id = ${p.relayerId}`))
      .where('at', '>=', p.from)
      .where('at', '<', p.to)
      .groupBy(['step', 'relayers.network'])
      .orderBy('step')
      .orderBy('relayers.network'),
  )

const sumsOfOne = sums(true)
const sumsOfAll = sums(false)

/** SQLite computes a sum on the thread of the service: of all relayers it sums a day at a time. */
const sliceMs = 86_400_000

export async function readFigures(
  executor: Executor,
  { from, to, stepMs }: FigureRange,
  relayerId?: RelayerId,
): Promise<readonly FigureSums[]> {
  const read = async (range: FigureRange) => {
    const rows = await executor.all(relayerId === undefined ? sumsOfAll : sumsOfOne, {
      ...range,
      relayerId: relayerId ?? '',
    })
    return rows.map(({ step, network, ...row }) => ({
      at: step,
      ...(network !== null && { network }),
      figures: ofEach((name) => row[name]),
    }))
  }
  if (relayerId !== undefined) return read({ from, to, stepMs })
  const found: FigureSums[] = []
  for (let at = from; at < to; at += sliceMs) {
    found.push(...(await read({ from: at, to: Math.min(to, at + sliceMs), stepMs })))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return found
}

const pruning = (table: 'figures' | 'node_calls', key: 'relayer_id, at' | 'at, network') =>
  statement<{ before: TimestampMs; rows: number }, { at: TimestampMs }>((db, p) =>
    db
      .deleteFrom(table)
      .where(
        sql<boolean>`(${sql.raw(key)}) IN (SELECT ${sql.raw(key)} FROM ${sql.table(table)} WHERE at < ${p.before} ORDER BY at LIMIT ${p.rows})`,
      )
      .returning('at'),
  )

const prune = pruning('figures', 'relayer_id, at')
const pruneCalls = pruning('node_calls', 'at, network')

async function pruneFigures(executor: Executor, before: TimestampMs, rows: number): Promise<number> {
  const figures = await executor.all(prune, { before, rows })
  const calls = await executor.all(pruneCalls, { before, rows })
  return Math.max(figures.length, calls.length)
}

/** The changes that no transaction makes. */
export function figureChangesOver(executor: Executor): Pick<TransactionChanges, 'addNodeCalls' | 'pruneFigures'> {
  return {
    addNodeCalls: (network, count) => addNodeCalls(executor, network, count),
    pruneFigures: (before, rows) => pruneFigures(executor, before, rows),
  }
}

// The calls to each network's nodes in each five minutes. All processes add to the same rows.
import { sql } from 'kysely'
import type { CallCount, FigureRange } from '../../../domain/figures.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { NodeCallTable } from '../../access-tables.ts'
import { type Executor, statement } from '../../statement.ts'
import { stepOf } from '../../values.ts'

const add = statement<NodeCallTable>((db, p) =>
  db
    .insertInto('node_calls')
    .values({ network: p.network, at: p.at, calls: p.calls, failed: p.failed })
    .onConflict((conflict) =>
      conflict.columns(['at', 'network']).doUpdateSet({
        calls: sql`node_calls.calls + excluded.calls`,
        failed: sql`node_calls.failed + excluded.failed`,
      }),
    ),
)

export async function addNodeCalls(executor: Executor, network: string, count: CallCount): Promise<void> {
  await executor.all(add, { network, at: count.at, calls: count.calls, failed: count.failed })
}

const sums = (isOfOne: boolean) =>
  statement<FigureRange & { network: string }, Omit<CallCount, 'at'> & { step: TimestampMs }>((db, p) =>
    db
      .selectFrom('node_calls')
      .select((eb) => [
        stepOf(eb.ref('at'), p.stepMs).as('step'),
        sql<number>`CAST(SUM(calls) AS BIGINT)`.as('calls'),
        sql<number>`CAST(SUM(failed) AS BIGINT)`.as('failed'),
      ])
      .$if(isOfOne, (query) => query.where('network', '=', p.network))
      .where('at', '>=', p.from)
      .where('at', '<', p.to)
      .groupBy('step')
      .orderBy('step'),
  )

const sumsOfOne = sums(true)
const sumsOfAll = sums(false)

export async function readNodeCalls(
  executor: Executor,
  range: FigureRange,
  network?: string,
): Promise<readonly CallCount[]> {
  const rows = await executor.all(network === undefined ? sumsOfAll : sumsOfOne, { ...range, network: network ?? '' })
  return rows.map(({ step, calls, failed }) => ({ at: step, calls, failed }))
}

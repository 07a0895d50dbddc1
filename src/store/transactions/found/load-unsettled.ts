// The transactions that are confirmed and not final. A step reads their summary, and the rows only when something is due.
import { type RawBuilder, sql } from 'kysely'
import type { ConfirmedRowsDue } from '../../../domain/decide/facts/confirmed-not-final.ts'
import type { ConfirmedNotFinal, NonceRun } from '../../../domain/decide/plan/work.ts'
import type { Hash, RelayerId } from '../../../domain/ids.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import { unsettled } from '../../open-rows.ts'
import type { Flag } from '../../schema.ts'
import { type Executor, first, type QueryBuilder, statement } from '../../statement.ts'
import type { AttemptRow } from '../rows/attempt-row.ts'
import { withAttempts } from '../rows/find-transaction.ts'
import type { TransactionRow } from '../rows/transaction-row.ts'

interface SummaryRow {
  number: number
  hash: Hash
  nonce: number
  oldest_block: number
  unreported_since: number | null
  stalled: Flag
}

// Each part reads one end of an index, whatever the number of rows.
const summary = statement<{ relayerId: RelayerId }, SummaryRow>((db, p) => {
  const rows = (which: RawBuilder<boolean> = sql`1 = 1`) =>
    db.selectFrom('transactions').where('relayer_id', '=', p.relayerId).where(unsettled).where(which)
  return rows()
    .select(['included_block as number', 'included_block_hash as hash', 'nonce'])
    .select([
      rows().select('included_block').orderBy('included_block').orderBy('nonce').limit(1).as('oldest_block'),
      rows(sql`wait_condition IS NULL`).select('confirmed_at').orderBy('confirmed_at').limit(1).as('unreported_since'),
      sql<Flag>`CASE WHEN EXISTS ${rows(sql`wait_condition = 'finality_stalled'`).select('id')} THEN 1 ELSE 0 END`.as(
        'stalled',
      ),
    ])
    .orderBy('included_block', 'desc')
    .orderBy('nonce', 'desc')
    .limit(1)
    .$castTo<SummaryRow>()
})

/** Summarizes the rows that are confirmed and not final; undefined if there are none. */
export async function summarizeConfirmedNotFinal(
  executor: Executor,
  relayerId: RelayerId,
): Promise<ConfirmedNotFinal | undefined> {
  const row = await first(executor, summary, { relayerId })
  return (
    row && {
      newest: { number: row.number, hash: row.hash },
      nonce: row.nonce,
      oldestBlock: row.oldest_block,
      ...(row.unreported_since !== null && { unreportedSince: row.unreported_since }),
      isStalled: row.stalled === 1,
    }
  )
}

// Runs of consecutive nonces with consecutive sequences. A gap filler explains no nonce.
const runs = statement<{ relayerId: RelayerId }, NonceRun>((db, p) =>
  db
    .selectFrom((each) =>
      each
        .selectFrom('transactions')
        .select(['nonce', sql<number>`sequence - nonce`.as('ahead')])
        .select(sql<number>`nonce - ROW_NUMBER() OVER (PARTITION BY sequence - nonce ORDER BY nonce)`.as('run'))
        .where('relayer_id', '=', p.relayerId)
        .where(unsettled)
        .where(sql<boolean>`origin <> 'gap'`)
        .as('owned'),
    )
    .select((each) => [each.fn.min('nonce').as('first'), each.fn.max('nonce').as('last'), 'ahead'])
    .groupBy(['ahead', 'run'])
    .orderBy('first')
    .$castTo<NonceRun>(),
)

export function explainedRuns(executor: Executor, relayerId: RelayerId): Promise<readonly NonceRun[]> {
  return executor.all(runs, { relayerId })
}

interface PageParameters {
  relayerId: RelayerId
  limit: number
  bound: number
}

type PageOf = ConfirmedRowsDue['kind']

function page(db: QueryBuilder, kind: PageOf, p: PageParameters) {
  const rows = db.selectFrom('transactions').where('relayer_id', '=', p.relayerId).where(unsettled)
  switch (kind) {
    case 'takenBack':
      return rows.orderBy('included_block', 'desc').orderBy('nonce', 'desc').limit(p.limit)
    case 'final':
      return rows.where('included_block', '<=', p.bound).orderBy('included_block').orderBy('nonce').limit(p.limit)
    case 'stalled':
      return rows
        .where(sql<boolean>`wait_condition IS NULL`)
        .where('confirmed_at', '<=', p.bound)
        .orderBy('confirmed_at')
        .limit(p.limit)
  }
}

const rowsOf = (kind: PageOf) => statement<PageParameters, TransactionRow>((db, p) => page(db, kind, p).selectAll())

const attemptsOf = (kind: PageOf) =>
  statement<PageParameters, AttemptRow>((db, p) =>
    db
      .selectFrom(page(db, kind, p).select(['id', 'nonce']).as('due'))
      .innerJoin('attempts', (join) =>
        join.onRef('attempts.transaction_id', '=', 'due.id').onRef('attempts.nonce', '=', 'due.nonce'),
      )
      .selectAll('attempts')
      .orderBy('attempts.nonce')
      .orderBy('attempts.position'),
  )

const pages = {
  takenBack: { rows: rowsOf('takenBack'), attempts: attemptsOf('takenBack') },
  final: { rows: rowsOf('final'), attempts: attemptsOf('final') },
  stalled: { rows: rowsOf('stalled'), attempts: attemptsOf('stalled') },
} as const satisfies Record<PageOf, object>

/**
 * The rows for which something is due, by nonce. Only the relayer's owner changes them and their attempts, so both reads see
 * the same ones.
 */
export async function loadConfirmedNotFinal(
  executor: Executor,
  relayerId: RelayerId,
  due: ConfirmedRowsDue,
  limit: number,
): Promise<readonly Transaction[]> {
  const bound = due.kind === 'final' ? due.through : due.kind === 'stalled' ? due.confirmedBy : 0
  const parameters = { relayerId, limit, bound }
  const rows = await executor.all(pages[due.kind].rows, parameters)
  const attempts = await executor.all(pages[due.kind].attempts, parameters)
  return withAttempts(rows, attempts).toSorted((one, other) => nonceOf(one) - nonceOf(other))
}

function nonceOf({ lifecycle }: Transaction): number {
  return 'nonce' in lifecycle ? lifecycle.nonce : -1
}

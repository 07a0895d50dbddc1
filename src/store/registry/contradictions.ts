// The contradictions between endpoints of the networks, a row each.
import type { RecordedContradiction } from '../../domain/contradiction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { ContradictionTable } from '../access-tables.ts'
import { insertion } from '../insert-rows.ts'
import type { Page, PageRequest } from '../list-port.ts'
import type { NetworkKey } from '../network-port.ts'
import { type Executor, first, statement } from '../statement.ts'
import { fromJson, toJson } from '../values.ts'

type Of = { network: string; chainId: number }
type Row = Pick<ContradictionTable, (typeof rowColumns)[number]>

const rowColumns = ['noted_at', 'condition', 'question', 'answers'] as const
const insert = insertion('contradictions', ['network', 'chain_id', ...rowColumns])

// The id of the oldest row that stays.
const oldestKept = statement<Of & { offset: number }, { id: number }>((db, p) =>
  db
    .selectFrom('contradictions')
    .select('id')
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(p.offset),
)

const removeBelow = statement<Of & { id: number }>((db, p) =>
  db
    .deleteFrom('contradictions')
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId)
    .where('id', '<', p.id),
)

export async function recordContradiction(
  executor: Executor,
  { name, chainId }: NetworkKey,
  { at, condition, question, answers }: RecordedContradiction,
  max: number,
): Promise<void> {
  const of = { network: name, chainId }
  const row = { noted_at: at, condition, question: toJson(question), answers: toJson(answers) }
  await executor.all(insert, { network: name, chain_id: chainId, ...row })
  const kept = await first(executor, oldestKept, { ...of, offset: max - 1 })
  if (kept) await executor.all(removeBelow, { ...of, id: kept.id })
}

const page = statement<Of & { limit: number; offset: number }, Row>((db, p) =>
  db
    .selectFrom('contradictions')
    .select(rowColumns)
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId)
    .orderBy('id', 'desc')
    .limit(p.limit)
    .offset(p.offset),
)

const count = statement<Of, { total: number }>((db, p) =>
  db
    .selectFrom('contradictions')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId),
)

/** Newest first: ids rise with time. */
export async function listContradictions(
  executor: Executor,
  { name, chainId }: NetworkKey,
  { page: number, perPage }: PageRequest,
): Promise<Page<RecordedContradiction>> {
  const of = { network: name, chainId }
  const rows = await executor.all(page, { ...of, limit: perPage, offset: (number - 1) * perPage })
  const items = rows.map(({ noted_at: at, condition, question, answers }) => {
    return { at, condition, question: fromJson(question), answers: fromJson(answers) }
  })
  return { items, total: Number((await first(executor, count, of))?.total ?? 0) }
}

const removeBefore = statement<{ before: number }, { id: number }>((db, p) =>
  db.deleteFrom('contradictions').where('noted_at', '<', p.before).returning('id'),
)

export async function pruneContradictions(executor: Executor, before: TimestampMs): Promise<number> {
  return (await executor.all(removeBefore, { before })).length
}

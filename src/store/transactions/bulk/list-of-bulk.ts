// Lists the transactions of a bulk cancellation by pages, in the order of its parts.
import { sql } from 'kysely'
import type { Transaction } from '../../../domain/transaction.ts'
import { isAmongNumbers } from '../../in-lists.ts'
import type { Page, PageItem, PageRequest } from '../../list-port.ts'
import { type DialectName, type Executor, first, statement } from '../../statement.ts'
import { type Json, toJson } from '../../values.ts'
import { itemsOf, type LightRow, lightColumns } from '../found/light-rows.ts'

interface Window {
  parts: Json<readonly number[]>
  limit: number
  offset: number
}

const isOfPart = (parts: Json<readonly number[]>, dialect: DialectName) =>
  sql<boolean>`bulk_part IS NOT NULL AND ${isAmongNumbers('bulk_part', parts, dialect)}`

const page = statement<Window, LightRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where(isOfPart(p.parts, dialect))
    .orderBy('bulk_part')
    .orderBy('sequence')
    .limit(p.limit)
    .offset(p.offset),
)

const total = statement<Pick<Window, 'parts'>, { total: number }>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(isOfPart(p.parts, dialect)),
)

export async function listOfBulk(
  executor: Executor,
  parts: readonly number[],
  { page: number, perPage }: PageRequest,
): Promise<Page<PageItem<Transaction>>> {
  const given = { parts: toJson(parts) }
  const rows = await executor.all(page, { ...given, limit: perPage, offset: (number - 1) * perPage })
  const counted = await first(executor, total, given)
  return { items: await itemsOf(executor, rows), total: counted?.total ?? 0 }
}

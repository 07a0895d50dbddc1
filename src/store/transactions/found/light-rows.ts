// Rows without large payloads, which a page reads later, one after the other.
import { sql } from 'kysely'
import { keysOf } from '../../../domain/defined.ts'
import type { Hex, TransactionId } from '../../../domain/ids.ts'
import { isAmong } from '../../in-lists.ts'
import type { TransactionItem } from '../../list-port.ts'
import type { TransactionTable } from '../../schema.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { payloadBytes, toJson } from '../../values.ts'
import { unsignedColumns } from '../rows/attempt-columns.ts'
import type { AttemptRow } from '../rows/attempt-row.ts'
import type { Ids } from '../rows/find-transaction.ts'
import { payloadColumns, transactionColumns } from '../rows/transaction-columns.ts'
import { type TransactionRow, transactionFromRow } from '../rows/transaction-row.ts'

/** A page holds a hundred rows with as many bytes at once, and all of it in one statement. */
const inlineBytesMax = 4_096

const largeColumns = ['data', 'earlier', 'access_list'] as const satisfies readonly (keyof TransactionTable)[]
type LargeColumn = (typeof largeColumns)[number]

const smallNames = keysOf(transactionColumns).filter((name) => !largeColumns.some((large) => large === name))

const ifSmall = (column: LargeColumn) =>
  sql<
    TransactionRow[LargeColumn]
  >`CASE WHEN ${payloadBytes} > ${sql.lit(inlineBytesMax)} THEN NULL ELSE ${sql.ref(column)} END`

/** The columns of a light row, for a select of `transactions`. */
export const lightColumns = [
  ...smallNames,
  ...largeColumns.map((column) => ifSmall(column).as(column)),
  payloadBytes.as('bytes'),
]

/** `data` is null where the payload is large. */
export type LightRow = Omit<TransactionRow, 'data'> & { readonly data: Hex | null; readonly bytes: number }

const heavyNames = [...keysOf(payloadColumns), 'earlier', 'valid_until'] as const

// With the whole payload: a PUT may have replaced it since.
const heavyById = statement<{ id: TransactionId }, Pick<TransactionRow, (typeof heavyNames)[number]>>((db, p) =>
  db.selectFrom('transactions').select(heavyNames).where('id', '=', p.id),
)

const unsignedByIds = statement<Ids, AttemptRow>((db, p, dialect) =>
  db
    .selectFrom('attempts')
    .select(unsignedColumns)
    .where(isAmong('transaction_id', p.ids, dialect))
    .orderBy('position'),
)

/** The rows' transactions in their order. Attempts come with them, and large payloads with `read`. */
export async function itemsOf(executor: Executor, rows: readonly LightRow[]): Promise<TransactionItem[]> {
  const ids = rows.flatMap(({ id, nonce }) => (nonce === null ? [] : [id]))
  const attempts = ids.length === 0 ? [] : await executor.all(unsignedByIds, { ids: toJson(ids) })
  const ofEach = Map.groupBy(attempts, (attempt) => attempt.transaction_id)
  return rows.map((row) => {
    const ofNonce = (ofEach.get(row.id) ?? []).filter(({ nonce }) => nonce === row.nonce)
    return itemOf(executor, row, ofNonce)
  })
}

function itemOf(executor: Executor, row: LightRow, attempts: readonly AttemptRow[]): TransactionItem {
  const { data } = row
  const complete = (payload: { readonly data: Hex }) => transactionFromRow({ ...row, ...payload }, attempts)
  return {
    id: row.id,
    bytes: row.bytes,
    async read() {
      // Retention may have removed the row after the page was read, or its attempts before they were.
      const isWhole = data !== null && (row.nonce === null || attempts.length > 0)
      if (isWhole) return complete({ data })
      const heavy = await first(executor, heavyById, { id: row.id })
      return heavy && complete(heavy)
    },
  }
}

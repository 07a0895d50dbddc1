// What reverted transactions returned.
import type { TransactionId } from '../../../domain/ids.ts'
import type { RevertData } from '../../../domain/revert-data.ts'
import type { RevertTable } from '../../access-tables.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { fromJson, toJson } from '../../values.ts'

const put = statement<RevertTable>((db, p) =>
  db
    .insertInto('reverts')
    .values({ transaction_id: p.transaction_id, revert: p.revert })
    .onConflict((conflict) =>
      conflict.column('transaction_id').doUpdateSet((eb) => ({ revert: eb.ref('excluded.revert') })),
    ),
)

export async function recordRevert(executor: Executor, id: TransactionId, revert: RevertData): Promise<void> {
  await executor.all(put, { transaction_id: id, revert: toJson(revert) })
}

const find = statement<{ id: TransactionId }, Pick<RevertTable, 'revert'>>((db, p) =>
  db.selectFrom('reverts').select('revert').where('transaction_id', '=', p.id),
)

export async function findRevert(executor: Executor, id: TransactionId): Promise<RevertData | undefined> {
  const row = await first(executor, find, { id })
  return row && fromJson(row.revert)
}

// Rows of the database as the checks read them.
import type { Selectable } from 'kysely'
import type { OutboxTable, TransactionTable } from '../../src/store/schema.ts'

export type Row = TransactionTable
export type Event = Selectable<OutboxTable>

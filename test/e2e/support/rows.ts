// The rows that the service keeps, read from its database by another connection.
import type { DeliveryTable, TransactionTable } from '../../../src/store/schema.ts'
import { type AnsweredAttempt, answeredAttempts } from '../../../tooling/answered-attempts.ts'
import type { Service } from '../../../tooling/service.ts'
import { databaseIn } from '../../../tooling/tested-database.ts'

export interface OutboxRow {
  readonly id: number
  readonly transaction_id: string
  readonly kind: string
  readonly status: string
  readonly status_reason: string | null
  readonly terminal: 0 | 1
}

export interface Rows {
  transaction(id: string): TransactionTable
  transactionsOf(relayerId: string): readonly TransactionTable[]
  /** In the order in which they were signed. */
  attempts(id: string): readonly AnsweredAttempt[]
  events(id: string): readonly OutboxRow[]
  /** Of all that have gone through a relayer. */
  attemptsOf(relayerId: string): readonly AnsweredAttempt[]
  /** Of all transactions that have gone through a relayer, in the order of commits. */
  eventsOf(relayerId: string): readonly OutboxRow[]
  /** Events that are on their way to a notification, or were given up. */
  deliveries(notificationId: string): readonly DeliveryTable[]
}

const answered = answeredAttempts()

/** Connects anew each time, so that a restart of the service in between does not matter. */
export function rowsOf(service: Pick<Service, 'directory'>): Rows {
  const all = <T>(sql: string, parameter: string) => databaseIn(service.directory).read<T>(sql, parameter)
  return {
    transaction(id) {
      const [row] = all<TransactionTable>('SELECT * FROM transactions WHERE id = ?', id)
      if (!row) throw new Error(`there is no row of transaction ${id}`)
      return row
    },
    transactionsOf: (relayerId) => all('SELECT * FROM transactions WHERE relayer_id = ? ORDER BY sequence', relayerId),
    attempts: (id) =>
      all(`SELECT * FROM ${answered} AS attempts WHERE transaction_id = ? ORDER BY nonce, position`, id),
    attemptsOf: (relayerId) =>
      all(
        `SELECT attempts.* FROM ${answered} AS attempts JOIN transactions ON transactions.id = attempts.transaction_id
          WHERE relayer_id = ? ORDER BY attempts.nonce, position`,
        relayerId,
      ),
    eventsOf: (relayerId) =>
      all('SELECT * FROM outbox WHERE relayer_id = ? AND bulk_parts IS NULL ORDER BY id', relayerId),
    deliveries: (id) => all('SELECT * FROM deliveries WHERE notification_id = ? ORDER BY event_id', id),
    events: (id) => all('SELECT * FROM outbox WHERE transaction_id = ? ORDER BY id', id),
  }
}

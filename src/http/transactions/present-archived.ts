// Presents a transaction in the archive: what the API answered about it.
import type { Attempt } from '../../domain/attempt.ts'
import type { BulkId } from '../../domain/ids.ts'
import type { Labels } from '../../domain/labels.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { presentLabels } from '../response/present-values.ts'
import { presentAttempt } from './present-attempt.ts'
import { presentCancellation } from './present-cancellation.ts'
import { presentTransaction } from './present-transaction.ts'
import { presentHold } from './read-hold.ts'

export function presentArchived(record: {
  transaction: Transaction
  attempts: readonly Attempt[]
  labels?: Labels
  bulkId?: BulkId
}): object {
  const { transaction, attempts, labels, bulkId } = record
  const { cancellation } = transaction
  // Under four eyes it stays, with who set the payload and who released it.
  const hold = presentHold(transaction)
  return {
    transaction: presentTransaction(transaction),
    ...(cancellation && { cancellation: presentCancellation(transaction, cancellation) }),
    ...(bulkId !== undefined && { bulk_cancellation_id: bulkId }),
    ...(hold && { hold }),
    ...(labels && { labels: presentLabels(labels) }),
    attempts: attempts.map(presentAttempt),
  }
}

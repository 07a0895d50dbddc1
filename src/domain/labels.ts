// A client's own names for a transaction. They stand beside it: nothing is decided by a tag or a note, and an `external_id` only keeps a
// second send away.
import { verdictOn } from './cancel.ts'
import { RescindError } from './errors.ts'
import type { NonEmpty, TransactionId } from './ids.ts'
import { isTerminal, statusOf, type Transaction } from './transaction.ts'

export interface Labels {
  readonly externalId?: string
  readonly tags?: NonEmpty<string>
  readonly note?: string
}

/** The most bytes of each label, in UTF-8. */
export const labelBytesMax = { externalId: 128, tag: 64, note: 512 }
export const tagsMax = 8

/**
 * Whether no other transaction of the relayer may take its `external_id`: it is open, or was executed. It is free once the payload can
 * never execute: before a nonce at once, else at finality. So is that of an execution that failed.
 */
export function holdsExternalId(transaction: Transaction): boolean {
  if (!isTerminal(transaction)) return true
  return !verdictOn(transaction).safeToRetry && statusOf(transaction) !== 'failed'
}

/** The `external_id` of a send belongs to another transaction. */
export class ExternalIdTaken extends RescindError {
  readonly transactionId: TransactionId

  constructor(transactionId: TransactionId, message: string) {
    super('EXTERNAL_ID_TAKEN', message)
    this.transactionId = transactionId
  }
}

/** A transaction that holds an `external_id`. Without `status` its row was removed after it was executed. */
export interface IdHolder {
  readonly transactionId: TransactionId
  readonly transaction?: Transaction
}

/** `field`: the place in the request. */
export function takenBy({ transactionId, transaction }: IdHolder, field: string, externalId: string): ExternalIdTaken {
  const state = transaction ? `is ${statusOf(transaction)}` : 'was executed, and is no longer kept'
  return new ExternalIdTaken(
    transactionId,
    `${field}: "${externalId}" belongs to transaction ${transactionId}, which ${state}; read that one; another payment needs another external_id`,
  )
}

/** Throws INVALID_REQUEST: of two transactions of one batch, only one may have an `external_id`. */
export function refuseRepeated(sends: readonly { readonly labels?: Labels }[]): void {
  const firstAt = new Map<string, number>()
  for (const [index, { labels }] of sends.entries()) {
    const id = labels?.externalId
    if (id === undefined) continue
    const earlier = firstAt.get(id)
    if (earlier !== undefined) {
      throw new RescindError(
        'INVALID_REQUEST',
        `transactions[${index}].external_id: "${id}" is that of transactions[${earlier}] too; send another one`,
      )
    }
    firstAt.set(id, index)
  }
}

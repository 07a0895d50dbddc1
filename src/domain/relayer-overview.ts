// The overview of a relayer: its open transactions, and the one that holds up the others.
import type { TransactionId } from './ids.ts'
import type { Nonce, TimestampMs } from './units.ts'
import type { Wait } from './wait-facts.ts'

/** An open transaction, without its payload and its attempts. */
export interface OpenTransaction {
  readonly id: TransactionId
  /** Absent while the transaction is in the queue. */
  readonly nonce?: Nonce
  readonly createdAt: TimestampMs
  readonly isMined: boolean
  /** The transaction is canceled, and not decided. */
  readonly isRacing: boolean
  readonly wait?: Wait
}

export type HeldUpTransaction = OpenTransaction & { readonly wait: Wait }

export interface RelayerOverview {
  /** Transactions with a nonce that are not confirmed, lowest nonce first. */
  readonly bound: readonly OpenTransaction[]
  /** The first of the queue. */
  readonly head?: OpenTransaction
  /** The first confirmed transaction whose finality is stalled. */
  readonly stalled?: OpenTransaction
}

/**
 * The transaction that holds up the others: the one with the lowest nonce that waits, else the head of the queue. Without one, it is
 * a confirmed transaction whose finality is stalled.
 */
export function holdingUp({ bound, head, stalled }: RelayerOverview): HeldUpTransaction | undefined {
  for (const each of [...bound, head, stalled]) if (each?.wait) return { ...each, wait: each.wait }
  return undefined
}

/** The first sent of the transactions that no block holds. */
export function oldestWaiting({ bound, head }: RelayerOverview): OpenTransaction | undefined {
  const waiting = [...bound.filter(({ isMined }) => !isMined), ...(head ? [head] : [])]
  return waiting.reduce<OpenTransaction | undefined>(
    (oldest, each) => (oldest && oldest.createdAt <= each.createdAt ? oldest : each),
    undefined,
  )
}

// A transaction's state in a word, with its tone: its verdict if it is canceled, else its status.
import type { ListedTraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'

export type Tone = 'bad' | 'warn' | 'good' | 'info' | 'quiet'

const statusTones: Readonly<Record<TransactionView['status'], Tone>> = {
  pending: 'quiet',
  sent: 'info',
  submitted: 'info',
  mined: 'good',
  confirmed: 'good',
  failed: 'bad',
  // Green only with a final verdict: until then the original may still execute.
  canceled: 'quiet',
  expired: 'quiet',
}

type Cancellation = NonNullable<ListedTraceView['cancellation']>
type Words = readonly [tone: Tone, word: string, sentence: string]

const finalWords: Readonly<Record<Cancellation['state'], Words>> = {
  racing: ['info', 'canceling', 'A no-op and the original compete for the nonce.'],
  dropped: ['good', 'canceled, free', 'No node ever had it: it ended at once, at no cost.'],
  won: ['good', 'canceled', 'The no-op took the nonce: the original can’t execute.'],
  lost: ['bad', 'too late', 'The original was mined before the no-op.'],
  external: ['warn', 'nonce taken', 'A foreign transaction took the nonce.'],
}

/** Words for a nonce in a block that a reorganization may still remove. */
const openWords: Readonly<Partial<Record<Cancellation['state'], Words>>> = {
  won: ['info', 'no-op mined', 'A block holds the no-op. It is canceled once that block is final.'],
  lost: ['warn', 'original mined', 'A block holds the original. It is too late once that block is final.'],
  external: ['warn', 'nonce taken, not final', 'A block holds a foreign transaction with its nonce.'],
}

const preconfirmedWords: Words = [
  'warn',
  'original ordered',
  'The sequencer has ordered the original, and no block shows it yet.',
]

/** "Canceled" only where the chain can't undo it. */
export function verdictOf({
  state,
  final,
  preconfirmed,
}: Pick<Cancellation, 'state' | 'final' | 'preconfirmed'>): Words {
  if (preconfirmed) return preconfirmedWords
  return (final ? undefined : openWords[state]) ?? finalWords[state]
}

const open: readonly TransactionView['status'][] = ['pending', 'sent', 'submitted']

/** Whether it can be canceled or replaced. */
export function isOpen({ transaction, cancellation }: ListedTraceView): boolean {
  return open.includes(transaction.status) && !cancellation
}

/** The word for a transaction in a list: the verdict where there is one, else the status. */
export function stateOf({ transaction, cancellation }: ListedTraceView): readonly [tone: Tone, word: string] {
  if (!cancellation) return [statusTones[transaction.status], transaction.status]
  const [tone, word] = verdictOf(cancellation)
  return [tone, word]
}

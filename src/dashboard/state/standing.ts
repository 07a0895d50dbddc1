// Where a transaction stands: its verdict if it is canceled, else its status.
import type { ListedTraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { type Tone, verdictWords } from '../../words/verdict.ts'

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

const open: readonly TransactionView['status'][] = ['pending', 'sent', 'submitted']

/** Whether it can be canceled or replaced. */
export function isOpen({ transaction, cancellation }: ListedTraceView): boolean {
  return open.includes(transaction.status) && !cancellation
}

/** The word for a transaction in a list: the verdict where there is one, else the status. */
export function stateOf({ transaction, cancellation }: ListedTraceView): readonly [tone: Tone, word: string] {
  if (!cancellation) return [statusTones[transaction.status], transaction.status]
  const [tone, word] = verdictWords(cancellation)
  return [tone, word]
}

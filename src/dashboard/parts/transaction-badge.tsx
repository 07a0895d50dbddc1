// A transaction's state in a word: its verdict if it is canceled, the condition if it waits, else its status.
import type { TraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { conditionTitles } from '../state/conditions.ts'
import { Badge, type Tone } from './pieces.tsx'

export const statusTones: Readonly<Record<TransactionView['status'], Tone>> = {
  pending: 'quiet',
  sent: 'info',
  submitted: 'info',
  mined: 'good',
  confirmed: 'good',
  failed: 'bad',
  canceled: 'good',
  expired: 'quiet',
}

export const verdictWords: Readonly<
  Record<NonNullable<TraceView['cancellation']>['state'], readonly [tone: Tone, word: string, sentence: string]>
> = {
  racing: ['info', 'canceling', 'A no-op and the original compete for the nonce.'],
  dropped: ['good', 'canceled, free', 'No node ever had it: it ended at once, at no cost.'],
  won: ['good', 'canceled', 'The no-op took the nonce: the original can’t execute.'],
  lost: ['bad', 'too late', 'The original was mined before the no-op.'],
  external: ['warn', 'nonce taken', 'A foreign transaction took the nonce.'],
}

export function TransactionBadge({ trace }: { trace: TraceView }) {
  const { cancellation, wait, transaction } = trace
  if (cancellation && (cancellation.state !== 'racing' || !wait)) {
    const [tone, word] = verdictWords[cancellation.state]
    return (
      <Badge tone={tone}>
        {word}
        {cancellation.final || cancellation.state === 'racing' ? '' : ', not final'}
      </Badge>
    )
  }
  if (wait) return <Badge tone={wait.condition === 'paused' ? 'warn' : 'bad'}>{conditionTitles[wait.condition]}</Badge>
  return <Badge tone={statusTones[transaction.status]}>{transaction.status}</Badge>
}

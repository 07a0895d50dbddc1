// A transaction's state in a word: its verdict if it is canceled, the condition if it waits, else its status.
import type { TraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { conditionTitles } from '../state/conditions.ts'
import { Badge, type Tone } from './pieces.tsx'

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

type Cancellation = NonNullable<TraceView['cancellation']>
type Words = readonly [tone: Tone, word: string, sentence: string]

const finalWords: Readonly<Record<Cancellation['state'], Words>> = {
  racing: ['info', 'canceling', 'A no-op and the original compete for the nonce.'],
  dropped: ['good', 'canceled, free', 'No node ever had it: it ended at once, at no cost.'],
  won: ['good', 'canceled', 'The no-op took the nonce: the original can’t execute.'],
  lost: ['bad', 'too late', 'The original was mined before the no-op.'],
  external: ['warn', 'nonce taken', 'A foreign transaction took the nonce.'],
}

/** In a block that a reorganization may still remove. */
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

export function TransactionBadge({ trace }: { trace: TraceView }) {
  const { cancellation, wait, transaction } = trace
  if (cancellation && (cancellation.state !== 'racing' || !wait)) {
    const [tone, word] = verdictOf(cancellation)
    return <Badge tone={tone}>{word}</Badge>
  }
  if (wait) return <Badge tone={wait.condition === 'paused' ? 'warn' : 'bad'}>{conditionTitles[wait.condition]}</Badge>
  return <Badge tone={statusTones[transaction.status]}>{transaction.status}</Badge>
}

/** In a list of transactions: the verdict where the trace has one, else the status. */
export function StatusBadge({ transaction, trace }: { transaction: TransactionView; trace: TraceView | undefined }) {
  const [tone, word] = trace?.cancellation
    ? verdictOf(trace.cancellation)
    : ([statusTones[transaction.status], transaction.status] as const)
  return <Badge tone={tone}>{word}</Badge>
}

// A transaction's state in a word: its verdict if it is canceled, the condition if it waits, else its status.
import type { ListedTraceView } from '../../client/dashboard-types.ts'
import { conditionTitles } from '../state/conditions.ts'
import { stateOf, verdictOf } from '../state/verdict.ts'
import { Badge } from './pieces.tsx'

export function TransactionBadge({ trace }: { trace: ListedTraceView }) {
  const { cancellation, wait } = trace
  if (cancellation && (cancellation.state !== 'racing' || !wait)) {
    const [tone, word] = verdictOf(cancellation)
    return <Badge tone={tone}>{word}</Badge>
  }
  if (wait) return <Badge tone={wait.condition === 'paused' ? 'warn' : 'bad'}>{conditionTitles[wait.condition]}</Badge>
  return <StateBadge trace={trace} />
}

/** In a list of transactions, where the reason has a column of its own. */
export function StateBadge({ trace }: { trace: ListedTraceView }) {
  const [tone, word] = stateOf(trace)
  return <Badge tone={tone}>{word}</Badge>
}

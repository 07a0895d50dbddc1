// How far a bulk cancellation is: its badge, its cost, and the number of its transactions in each state.
import type { BulkHeadView } from '../../client/bulk-types.ts'
import { verdictWords } from '../../words/verdict.ts'
import { canceledBy } from '../state/bulk.ts'
import { begun, grouped } from '../state/format.ts'
import { Ether } from './exact.tsx'
import { Badge } from './pieces.tsx'

/** Green only where every payload can never execute. */
export function BulkBadge({ bulk: { final, counts } }: { bulk: BulkHeadView }) {
  if (!final) return <Badge tone="info">under way</Badge>
  if (counts.refused > 0) return <Badge tone="bad">not all canceled</Badge>
  if (counts.lost + counts.external > 0) return <Badge tone="warn">some too late</Badge>
  return <Badge tone="good">all canceled</Badge>
}

type Counts = BulkHeadView['counts']

/** Without a symbol the relayers have several, and no sum. */
export function BulkCost({
  counts: { cost, cost_unknown: unknown },
  symbol,
}: {
  counts: Counts
  symbol: string | undefined
}) {
  return (
    <>
      {symbol === undefined ? 'by relayer' : <Ether wei={cost} symbol={symbol} />}
      {unknown > 0 && `, without ${grouped(unknown)} whose cost no node reported`}
    </>
  )
}

const states = ['dropped', 'racing', 'won', 'lost', 'external'] as const

export function BulkTally({ bulk: { counts, final }, symbol }: { bulk: BulkHeadView; symbol: string | undefined }) {
  const total = canceledBy(counts)
  return (
    <div class="tally" role="status">
      <p class="lead">
        {final
          ? 'Every verdict is final.'
          : `${grouped(total - counts.not_final)} of ${grouped(total)} verdicts are final. Each of the others follows once its block is final.`}
      </p>
      <ul>
        {states
          .filter((state) => counts[state] > 0)
          .map((state) => {
            const [tone, word, sentence] = verdictWords({ state, final: final || state === 'dropped' })
            return (
              <li key={state}>
                <strong class="number">{grouped(counts[state])}</strong> <Badge tone={tone}>{word}</Badge>{' '}
                <span>{begun(sentence)}.</span>
              </li>
            )
          })}
        {counts.already > 0 && (
          <li>
            <strong class="number">{grouped(counts.already)}</strong> <Badge tone="quiet">canceled before</Badge>{' '}
            <span>An earlier cancellation has their verdicts.</span>
          </li>
        )}
        {counts.refused > 0 && (
          <li>
            <strong class="number">{grouped(counts.refused)}</strong> <Badge tone="bad">not canceled</Badge>{' '}
            <span>The reasons stand below.</span>
          </li>
        )}
      </ul>
      <p>{retryWords(counts, total)}</p>
      <p>
        Cost{final ? '' : ' so far'}: <BulkCost counts={counts} symbol={symbol} />
      </p>
    </div>
  )
}

function retryWords({ safe_to_retry: safe }: Counts, total: number): string {
  if (total === 0) return 'No transaction was canceled.'
  if (safe === 'all') return 'The payloads of all of them may be sent again: none of them can execute.'
  return `${grouped(safe)} of ${grouped(total)} payloads may be sent again. The others may execute, or did.`
}

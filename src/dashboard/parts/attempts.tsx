// The attempts of a transaction's nonce: fees, and what nodes answered.
import type { TraceView } from '../../client/dashboard-types.ts'
import type { Tone } from '../../words/verdict.ts'
import { grouped } from '../state/format.ts'
import { networkOf } from '../state/networks.ts'
import { Gwei, Time } from './exact.tsx'
import { Badge, Copy, Empty, Explore } from './pieces.tsx'

const kinds = { execute: 'payload', replace: 'replacement', cancel: 'no-op' } as const

export function Attempts({ trace, network }: { trace: TraceView; network: string | undefined }) {
  const { explorer } = networkOf(network)
  const { attempts, inclusion } = trace
  if (attempts.length === 0)
    return <Empty title="Nothing signed yet">It has no nonce: a cancellation costs nothing.</Empty>
  return (
    <div class="scroll">
      <table class="list cards">
        <caption class="unseen">Attempts, oldest first</caption>
        <thead>
          <tr>
            <th scope="col">Hash</th>
            <th scope="col">Kind</th>
            <th scope="col">Answer of the node</th>
            <th scope="col" class="number">
              Max fee
            </th>
            <th scope="col" class="number">
              Tip
            </th>
            <th scope="col" class="number">
              Signed at block
            </th>
            <th scope="col" class="number">
              Signed
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => {
            const [tone, answer] = answerOf(attempt)
            const { max_fee_per_gas: max = attempt.gas_price, max_priority_fee_per_gas: tip } = attempt
            return (
              <tr key={attempt.hash}>
                <th scope="row">
                  <Copy text={attempt.hash} label="hash" />
                  <Explore url={explorer} kind="tx" id={attempt.hash} />
                </th>
                <td>{attempt.presigned ? 'pre-signed no-op' : kinds[attempt.kind]}</td>
                <td class="state">
                  {attempt.hash === inclusion?.hash ? (
                    <Badge tone="good">in block {grouped(inclusion.block_number)}</Badge>
                  ) : (
                    <Badge tone={tone}>{answer}</Badge>
                  )}
                  <p class="why">{attempt.outcome?.message ?? attempt.reason}</p>
                  {mayBeKnown(attempt) && attempt.hash !== inclusion?.hash && (
                    <p class="why">A node may have it all the same.</p>
                  )}
                </td>
                <td class="number" data-label="Max fee">
                  <Gwei wei={max ?? '0'} />
                </td>
                <td class="number" data-label="Tip">
                  {tip === undefined ? '—' : <Gwei wei={tip} />}
                </td>
                <td class="number" data-label="Signed at block">
                  {grouped(attempt.recorded_at_block)}
                </td>
                <td class="number" data-label="Signed">
                  <Time at={attempt.recorded_at} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const outcomes: Readonly<Record<string, readonly [Tone, string]>> = {
  accepted: ['good', 'accepted'],
  alreadyKnown: ['good', 'in the pool'],
  rejected: ['bad', 'rejected'],
  unknown: ['warn', 'unknown'],
}

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  sending: ['info', 'on its way'],
  refused: ['bad', 'refused'],
  held: ['warn', 'not sent yet'],
  withdrawn: ['quiet', 'withdrawn'],
}

/** Its last answer is a rejection, and not every one was. */
function mayBeKnown({ outcome, always_rejected: isOut }: TraceView['attempts'][number]): boolean {
  return outcome?.kind === 'rejected' && isOut !== true
}

function answerOf({ outcome, state }: TraceView['attempts'][number]): readonly [Tone, string] {
  return (outcome ? outcomes[outcome.kind] : states[state]) ?? ['quiet', state]
}

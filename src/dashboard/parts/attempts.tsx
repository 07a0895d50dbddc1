// The attempts of a transaction's nonce: fees, and what nodes answered.
import type { TraceView } from '../../client/dashboard-types.ts'
import type { Tone } from '../../words/verdict.ts'
import { grouped } from '../state/format.ts'
import { networkOf } from '../state/networks.ts'
import { Gwei, Time } from './exact.tsx'
import { Badge, Copy, Empty, Explore } from './pieces.tsx'
import { Table } from './table.tsx'

const kinds = { execute: 'payload', replace: 'replacement', cancel: 'no-op' } as const

export function Attempts({ trace, network }: { trace: TraceView; network: string | undefined }) {
  const { explorer } = networkOf(network)
  const { attempts, inclusion } = trace
  if (attempts.length === 0)
    return <Empty title="Nothing signed yet">It has no nonce: a cancellation costs nothing.</Empty>
  return (
    <Table
      name="cards"
      caption="Attempts, oldest first"
      rows={attempts}
      keyOf={({ hash }) => hash}
      columns={[
        {
          title: 'Hash',
          of: ({ hash }) => (
            <>
              <Copy text={hash} label="hash" />
              <Explore url={explorer} kind="tx" id={hash} />
            </>
          ),
        },
        { title: 'Kind', isClear: true, of: ({ presigned, kind }) => (presigned ? 'pre-signed no-op' : kinds[kind]) },
        {
          title: 'Answer of the node',
          kind: 'state',
          isClear: true,
          of: (attempt) => <Answer attempt={attempt} inclusion={inclusion} />,
        },
        {
          title: 'Max fee',
          kind: 'number',
          of: ({ max_fee_per_gas: max, gas_price: price }) => <Gwei wei={max ?? price ?? '0'} />,
        },
        {
          title: 'Tip',
          kind: 'number',
          of: ({ max_priority_fee_per_gas: tip }) => (tip === undefined ? '—' : <Gwei wei={tip} />),
        },
        { title: 'Signed at block', kind: 'number', of: ({ recorded_at_block: block }) => grouped(block) },
        { title: 'Signed', kind: 'number', of: ({ recorded_at: at }) => <Time at={at} /> },
      ]}
    />
  )
}

type Attempt = TraceView['attempts'][number]

function Answer({ attempt, inclusion }: { attempt: Attempt; inclusion: TraceView['inclusion'] | undefined }) {
  const [tone, answer] = answerOf(attempt)
  const isMined = attempt.hash === inclusion?.hash
  return (
    <>
      {isMined ? (
        <Badge tone="good">in block {grouped(inclusion.block_number)}</Badge>
      ) : (
        <Badge tone={tone}>{answer}</Badge>
      )}
      <p class="why">{attempt.outcome?.message ?? attempt.reason}</p>
      {mayBeKnown(attempt) && !isMined && <p class="why">A node may have it all the same.</p>}
    </>
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
function mayBeKnown({ outcome, always_rejected: isOut }: Attempt): boolean {
  return outcome?.kind === 'rejected' && isOut !== true
}

function answerOf({ outcome, state }: Attempt): readonly [Tone, string] {
  return (outcome ? outcomes[outcome.kind] : states[state]) ?? ['quiet', state]
}

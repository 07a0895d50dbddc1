// The history of a transaction, oldest first, with the verdict at the end.

import type { TraceView } from '../../client/dashboard-types.ts'
import { inGwei } from '../../domain/shown-amount.ts'
import { type Tone, verdictWords } from '../../words/verdict.ts'
import { begun, grouped } from '../state/format.ts'
import { Time } from './exact.tsx'

interface Entry {
  readonly at?: string
  readonly what: string
  readonly more?: string
  readonly tone: Tone
}

export function Timeline({ trace }: { trace: TraceView }) {
  return (
    <ol class="timeline">
      {entriesOf(trace).map((entry, index) => (
        <li key={index} class={entry.tone}>
          <span class="what">{entry.what}</span>
          {entry.more && <span class="more">{entry.more}</span>}
          {entry.at && <Time at={entry.at} />}
        </li>
      ))}
    </ol>
  )
}

const origins = {
  request: 'Cancellation requested',
  expiry: 'valid_until passed, so the service cancels it',
  refusal: 'Nodes refuse it for good, so the service cancels it',
} as const

function entriesOf(trace: TraceView): readonly Entry[] {
  const { transaction, cancellation, attempts } = trace
  const dated: Entry[] = [
    {
      at: transaction.created_at,
      what: trace.origin === 'gap' ? 'The service made it, to fill a gap' : 'Received',
      ...(trace.created_by !== undefined && { more: `from the key ${trace.created_by}` }),
      tone: 'quiet',
    },
    ...attempts.map(ofAttempt),
    ...(cancellation
      ? [{ at: cancellation.requested_at, what: origins[cancellation.origin], tone: 'info' as const }]
      : []),
  ]
  dated.sort((one, other) => (one.at ?? '').localeCompare(other.at ?? ''))
  return [...dated, ...ending(trace)]
}

const kinds = { execute: 'Signed', replace: 'Replacement signed', cancel: 'No-op signed' } as const

function ofAttempt(attempt: TraceView['attempts'][number], index: number, all: TraceView['attempts']): Entry {
  const fee = inGwei(BigInt(attempt.max_fee_per_gas ?? attempt.gas_price ?? 0))
  const { outcome, state } = attempt
  const isAgain = all.slice(0, index).some(({ kind }) => kind === attempt.kind)
  const answer =
    state === 'sending'
      ? 'on its way'
      : outcome
        ? `${outcome.kind === 'alreadyKnown' ? 'in the pool already' : outcome.kind}${outcome.message === undefined ? '' : `: ${outcome.message}`}`
        : (attempt.reason ?? state)
  return {
    at: attempt.recorded_at,
    what: `${kinds[attempt.kind]}${isAgain ? ' anew' : ''}, up to ${fee}`,
    more: `block ${grouped(attempt.recorded_at_block)} · ${answer}`,
    tone: outcome?.kind === 'rejected' || state === 'refused' ? 'bad' : 'info',
  }
}

const spenderWords = {
  payload: 'Mined',
  no_op: 'The no-op was mined',
  foreign: 'A foreign transaction was mined',
} as const

/** No green before the verdict on a cancellation is final. */
function toneOf({ succeeded, spender }: NonNullable<TraceView['inclusion']>, verdict: TraceView['cancellation']): Tone {
  if (succeeded === false || spender === 'foreign') return 'bad'
  return verdict && !verdict.final ? 'info' : 'good'
}

function ending({ transaction, inclusion, cancellation, final }: TraceView): readonly Entry[] {
  const entries: Entry[] = []
  if (inclusion) {
    entries.push({
      what: `${spenderWords[inclusion.spender]}${inclusion.succeeded === false ? ', and reverted' : ''}`,
      more: `in block ${grouped(inclusion.block_number)}`,
      tone: toneOf(inclusion, cancellation),
    })
  }
  if (transaction.confirmed_at !== undefined) {
    entries.push({ at: transaction.confirmed_at, what: 'Confirmed', tone: 'good' })
  }
  if (cancellation) {
    const [tone, word, sentence] = verdictWords(cancellation)
    entries.push({
      what: `${cancellation.final ? 'Verdict' : 'Verdict so far'}: ${word}`,
      more: `${begun(sentence)}.`,
      tone,
    })
  } else if (!final) {
    entries.push({ what: inclusion ? 'Waits for finality' : 'Waits for a block', tone: 'quiet' })
  }
  return entries
}

// Explains the wait behind a gap filler that nodes call invalid. No other transaction takes its nonce: a pool may have the bytes
// all the same. They go out again at pauses that grow.
import { invalidReasonOf, newest } from '../../attempt.ts'
import { type InPhase, isInPhase } from '../../transaction.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Work } from '../plan/work.ts'

/** Explains the next transaction behind such a gap filler. */
export function explainRefusedGapFiller({ open }: Work): Decision[] {
  const inFlight = open.filter((each) => isInPhase(each, 'inFlight'))
  const gapFiller = inFlight.find((each) => refusalOfGapFiller(each) !== undefined)
  const behind = gapFiller && inFlight.find(({ lifecycle }) => lifecycle.nonce > gapFiller.lifecycle.nonce)
  const words = gapFiller && refusalOfGapFiller(gapFiller)
  if (!behind || words === undefined) return []
  return explain(behind, {
    condition: 'node_refuses',
    facts: { of: 'behindGapFiller', nonce: gapFiller.lifecycle.nonce, words },
  })
}

/**
 * The node's reason for calling the gap filler invalid. Undefined for a client's transaction, a canceled one, and one
 * that no node called invalid.
 */
function refusalOfGapFiller({ origin, cancellation, lifecycle }: InPhase<'inFlight'>): string | undefined {
  if (origin !== 'gap' || cancellation) return undefined
  return invalidReasonOf(newest(lifecycle.attempts))
}

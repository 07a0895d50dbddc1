// When a payload is given up that nodes call invalid. Their word is no proof that no pool has the bytes, so a no-op races
// them for the nonce, and the chain shows the end.
import { type Attempt, invalidReasonOf, newest, refusedSinceOf, takenAtOf, unrecognizedErrorOf } from '../../attempt.ts'
import { gasRulesOf, refusalOfGas } from '../../intrinsic-gas.ts'
import { type InPhase, payloadAttempts } from '../../transaction.ts'
import type { Situation } from '../plan/work.ts'
import { blocksWaited } from '../terms/attempts.ts'

/** Time and blocks for which an acceptance by one endpoint outweighs refusals by all others. */
const takenMsMin = 600_000
const takenBlocksMin = 20

/**
 * - `contradicted`: a node had the payload lately, so it is pursued like any other.
 * - `byAll`: every endpoint that answers called it invalid twice, two blocks apart, and none shows it.
 * - `recent`: it is broadcast again. No price makes other bytes valid.
 */
type InvalidWord = { readonly is: 'contradicted' | 'recent' } | { readonly is: 'byAll'; readonly words: string }

/** Judges the word "invalid" about a payload. Undefined if the last answer about the newest attempt is another. */
export function judgeInvalid({ lifecycle }: InPhase<'inFlight'>, situation: Situation): InvalidWord | undefined {
  const { observation, policy } = situation
  const latest = newest(lifecycle.attempts)
  // An endpoint that gives no answer may leave the last outcome unknown.
  const words = observation.refusedByAll?.get(latest.hash)
  if (words === undefined && invalidReasonOf(latest) === undefined) return undefined
  const blockMs = observation.blocktimeMs ?? policy.averageBlocktimeMs
  if (payloadAttempts(lifecycle.attempts).some((attempt) => wasTakenLately(attempt, blockMs, situation)))
    return { is: 'contradicted' }
  return words === undefined ? { is: 'recent' } : { is: 'byAll', words }
}

/**
 * The refusal of a gas limit that a client named and that is below the least gas by now, in figures. A pool that took the payload before
 * a fork may hold it for ever, and refuse none of its bytes.
 */
export function gasWordsOf(
  { payload, lifecycle }: InPhase<'inFlight'>,
  patienceBlocks: number,
  { observation, policy }: Situation,
): string | undefined {
  if (blocksWaited(newest(lifecycle.attempts), observation.head.number) < patienceBlocks) return undefined
  return refusalOfGas(payload, undefined, gasRulesOf(policy.profile, observation))
}

/** Time and blocks after which refusals in unknown words count: outages, upgrades and congestion have ended by then. */
const unknownMsMin = 120_000
const unknownBlocksMin = 20

/**
 * The words of a refusal that no table has, if they hold up the relayer's next nonce for long, no endpoint shows the payload, and
 * endpoints accepted other bytes meanwhile: without that, it is an outage. Refusals of later nonces are often a gap, or a limit of
 * senders.
 */
export function lastingWordsOf({ lifecycle }: InPhase<'inFlight'>, situation: Situation): string | undefined {
  const { observation, policy, now } = situation
  const { nonce, attempts } = lifecycle
  const words = unrecognizedErrorOf(newest(attempts))
  const unshown = observation.unshown?.get(attempts[0].hash)
  if (nonce !== observation.nonce || words === undefined || unshown?.otherAcceptedMsAgo === undefined) return undefined
  const blockMs = observation.blocktimeMs ?? policy.averageBlocktimeMs
  const sinces = attempts.map((attempt) => refusedSinceOf(attempt) ?? now)
  const refusedMs = Math.min(unshown.forMs, now - Math.min(...sinces))
  const isOutage = unshown.otherAcceptedMsAgo >= refusedMs
  if (refusedMs < Math.max(unknownMsMin, unknownBlocksMin * blockMs) || isOutage) return undefined
  return attempts.some((attempt) => wasTakenLately(attempt, blockMs, situation)) ? undefined : words
}

/** Whether a node accepted the attempt lately. A time ahead of the clock counts: the clock was set back. */
function wasTakenLately(attempt: Attempt, blockMs: number, { now }: Situation): boolean {
  const takenAt = takenAtOf(attempt)
  return takenAt !== undefined && now - takenAt < Math.max(takenMsMin, takenBlocksMin * blockMs)
}

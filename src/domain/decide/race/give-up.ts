// When a payload is given up that nodes call invalid. Their word is no proof that no pool has the bytes, so a no-op races
// them for the nonce, and the chain shows the end.
import { type Attempt, invalidReasonOf, newest, refusedSinceOf, takenAtOf } from '../../attempt.ts'
import { type InPhase, payloadAttempts } from '../../transaction.ts'
import type { Situation } from '../plan/situation.ts'
import { isStuck } from './reason-to-bid.ts'

/** An outcome is `invalid` only if each endpoint that answered said so. Another block may cure a node of it. */
const refusedBlocksMin = 2

/** While others are silent, the word of one endpoint stands for so long against the acceptance of another. */
const takenMsMin = 600_000
const takenBlocksMin = 20

/**
 * - `contradicted`: a node had the payload lately, so it is pursued like any other.
 * - `lasting`: nodes called it invalid more than once, two blocks apart.
 * - `recent`: it is broadcast again. No price makes other bytes valid.
 */
export type InvalidWord = 'contradicted' | 'lasting' | 'recent'

/** Undefined if the last answer about the newest attempt is another. */
export function judgeInvalid({ lifecycle }: InPhase<'inFlight'>, situation: Situation): InvalidWord | undefined {
  const { observation, policy } = situation
  const latest = newest(lifecycle.attempts)
  if (invalidReasonOf(latest) === undefined) return undefined
  const blockMs = observation.blocktimeMs ?? policy.averageBlocktimeMs
  if (payloadAttempts(lifecycle.attempts).some((attempt) => wasTakenLately(attempt, blockMs, situation)))
    return 'contradicted'
  const isStill = isStuck(latest, observation, policy.bumpAfterBlocks)
  return isStill && refusedMsOf(latest) >= refusedBlocksMin * blockMs ? 'lasting' : 'recent'
}

function refusedMsOf(attempt: Attempt): number {
  const { broadcast } = attempt
  return broadcast.state === 'handed' ? broadcast.at - (refusedSinceOf(attempt) ?? broadcast.at) : 0
}

/** A time ahead of the clock: the clock was set back, by an unknown amount. */
function wasTakenLately(attempt: Attempt, blockMs: number, { now }: Situation): boolean {
  const takenAt = takenAtOf(attempt)
  return takenAt !== undefined && now - takenAt < Math.max(takenMsMin, takenBlocksMin * blockMs)
}

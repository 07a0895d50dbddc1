// Decides what waits for no reading of the chain: the no-op of a transaction that is canceled or expires, and the payload of a PUT.
//
// A node far away takes half a second to answer, and a race is lost by waiting. So while the owner looks at the chain, it decides by the rows
// as they are now and by its last observation, if that is recent. Such a decision only signs for a nonce that a transaction already has. It
// binds, frees, confirms and finalizes nothing, as that needs the chain as it is. Without a price, the gas of the no-op or a balance that
// counts, it waits for the look, as do further bids of a race: they had their chance at this price.
//
// For example: blocks come every 12 s, and the last observation's head was read 20 s ago. A DELETE comes while a node takes 500 ms to return
// the next one. Its no-op is broadcast at once, at the last price. Had the head been read 24 s ago, it would wait for the 500 ms.
import { isNonceSpent, isNoOp, mayBeKnown } from '../attempt.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import { awaitsReplacement, isInPhase, type Transaction } from '../transaction.ts'
import { apply } from './apply.ts'
import { followAll } from './follow.ts'
import { type Decision, nothing, type Plan, type Steps } from './plan/decision.ts'
import type { Situation } from './plan/work.ts'
import { cancelInFlight } from './race/cancel-in-flight.ts'
import { pursue } from './race/pursue.ts'
import { awaitSigner } from './signer/await-signer.ts'
import { coverBumps } from './signer/presign.ts'
import { hasExpired } from './terms/expired.ts'

/** An observation is recent for two blocks, and at least for so long. */
const recentMsMin = 6_000

/** `ageMs`: how long ago its head was read. */
export function isRecent(
  ageMs: number,
  { blocktimeMs }: Pick<Observation, 'blocktimeMs'>,
  { averageBlocktimeMs }: Pick<NetworkPolicy, 'averageBlocktimeMs'>,
): boolean {
  return ageMs < Math.max(recentMsMin, 2 * (blocktimeMs ?? averageBlocktimeMs))
}

/** `situation`: the rows as they are now, and the last observation. */
export function decideAtOnce(situation: Situation): Plan {
  const { followUps } = followAll(situation, stepsAtOnce)
  // A payload that has to wait until its no-op is signed in advance waits for the look.
  const { decisions } = coverBumps(followUps, situation)
  return {
    ...nothing,
    decisions: awaitSigner(decisions, situation).filter(({ do: what }) => atOnce.has(what)),
    conditions: [],
    floor: situation.work.floor,
  }
}

const atOnce: ReadonlySet<Decision['do']> = new Set(['expire', 'signNoOp', 'usePresigned', 'replace'])

function stepsAtOnce(transaction: Transaction, situation: Situation): Steps {
  if (!isInPhase(transaction, 'inFlight')) return []
  const { nonce, attempts } = transaction.lifecycle
  // The end of a transaction that no node has would free its nonce.
  if (nonce < situation.observation.nonce || attempts.some(isNonceSpent) || !attempts.some(mayBeKnown)) return []
  if (transaction.cancellation) return attempts.some(isNoOp) ? [] : cancelInFlight(transaction, situation)
  if (!hasExpired(transaction, situation.now)) {
    return awaitsReplacement(transaction) ? pursue(transaction, situation) : []
  }
  const expired = apply({ do: 'expire', transaction }, transaction, undefined, situation.now)
  return [{ do: 'expire', transaction }, ...(isInPhase(expired, 'inFlight') ? cancelInFlight(expired, situation) : [])]
}

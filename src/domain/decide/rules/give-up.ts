// Giving up a payload that nodes refuse for good: as invalid, in words that no table has, or below the least gas after a fork.
//
// The payload's sender has to know, and its nonce holds up all that comes after. But the nodes' word is no proof that no pool has the bytes,
// so a no-op races them for the nonce, and the chain shows the end. Without this file a payload that every node refuses would be broadcast
// for ever. The promise: one endpoint that took the payload in the last ten minutes, or 20 blocks, outweighs all that refuse it. For example, unknown words
// count after two minutes and 20 blocks, and only if endpoints accepted other bytes meanwhile (without that it is an outage) and the balance
// covers the payload (without that it waits for money). Like words at a second nonce count at once: a payload of that kind stops the queue for two minutes, and not for two in each of three rounds.
//
// For a payload that no node refuses each function answers undefined, and that it may bid.
import {
  type Attempt,
  invalidReasonOf,
  mayBeKnown,
  newest,
  refusedSinceOf,
  takenAtOf,
  unrecognizedErrorOf,
} from '../../attempt.ts'
import { type Refused, whyGivenUp } from '../../give-up.ts'
import { gasRulesOf, isBelowLeastGas, refusalOfGas } from '../../intrinsic-gas.ts'
import type { RefusedPayload, UnknownWordsInquiry } from '../../observation.ts'
import { lastsMs, type Patience } from '../../patience.ts'
import { type InPhase, payloadAttempts } from '../../transaction.ts'
import { type Decision, explain, type Steps } from '../plan/decision.ts'
import type { Lack } from '../plan/lacks.ts'
import type { Situation } from '../plan/work.ts'
import { hasHad } from '../terms/attempts.ts'
import type { Contender } from '../terms/contender.ts'
import { isAboveBalance, isRemembered } from '../terms/funds.ts'
import { lowerGas } from './refused-gas.ts'

/** An acceptance by one endpoint outweighs refusals by all others for so long. */
const outweighs: Patience = { blocks: 20, ms: 600_000 }

/**
 * - `contradicted`: a node had the payload lately, so it is pursued like any other.
 * - `byAll`: every endpoint that answers called it invalid twice, two blocks and 4 s apart, and none shows it.
 * - `recent`: it is broadcast again. No price makes other bytes valid.
 */
type InvalidWord = { readonly is: 'contradicted' | 'recent' } | { readonly is: 'byAll'; readonly words: string }

/** Whether a payload ends here, or whether another price may help. */
interface Judged {
  readonly givenUp?: Steps
  /** The fact that shows whether it ends. */
  readonly lacks?: readonly Lack[]
  /** No price makes other bytes valid. */
  readonly mayBid: boolean
}

/** Judges the refusals of a contender's newest attempt: those of a payload may end it. */
export function judgeRefusals(contender: Contender, situation: Situation): Judged {
  const { transaction, wants, patience } = contender
  if (wants !== 'payload') return { mayBid: true }
  // More gas makes it valid again.
  const isTight = isBelowLeastGas(transaction, gasRulesOf(situation.policy.profile, situation.observation))
  const invalid = isTight ? undefined : judgeInvalid(transaction, situation)
  const lower = invalid?.is === 'byAll' ? lowerGas(contender, situation) : undefined
  if (lower === 'unknown') return { lacks: [{ lacks: 'bareGas' }], mayBid: false }
  if (invalid?.is === 'byAll' && lower === undefined)
    return giveUp(transaction, { as: 'invalid', words: invalid.words })
  const gas = gasWordsOf(transaction, patience, situation)
  if (gas !== undefined) return giveUp(transaction, { as: 'belowLeastGas', words: gas })
  const unknown = lastingWordsOf(transaction, situation)
  const isPaid = unknown === undefined ? undefined : isCovered(transaction, situation)
  if (isPaid === 'unread') return { lacks: [{ lacks: 'balance' }], mayBid: false }
  if (unknown !== undefined && isPaid === 'yes') return giveUp(transaction, { as: 'unknown', words: unknown })
  return { mayBid: invalid?.is !== 'recent' }
}

function giveUp(transaction: InPhase<'inFlight'>, refused: Refused): Judged {
  return { givenUp: [{ do: 'giveUp', transaction, refused }], mayBid: false }
}

/** Explains why a payload was given up, while a no-op races it. Other reasons why the no-op waits go deeper. */
export function explainGivenUp(transaction: InPhase<'inFlight'>): readonly Decision[] {
  return transaction.cancellation?.origin === 'refusal' ? explain(transaction, whyGivenUp(transaction)) : []
}

/** Judges the word "invalid" about a payload. Undefined if the last answer about the newest attempt is another. */
function judgeInvalid({ lifecycle }: InPhase<'inFlight'>, situation: Situation): InvalidWord | undefined {
  const latest = newest(lifecycle.attempts)
  // An endpoint that gives no answer may leave the last outcome unknown.
  const words = situation.observation.refusedByAll?.get(latest.hash)
  if (words === undefined && invalidReasonOf(latest) === undefined) return undefined
  if (payloadAttempts(lifecycle.attempts).some((attempt) => wasTakenLately(attempt, situation)))
    return { is: 'contradicted' }
  return words === undefined ? { is: 'recent' } : { is: 'byAll', words }
}

/**
 * The refusal of a gas limit that a client named and that is below the least gas by now, in figures. A pool that took the payload before
 * a fork may hold it for ever, and refuse none of its bytes.
 */
function gasWordsOf(
  { payload, lifecycle }: InPhase<'inFlight'>,
  patience: Patience,
  situation: Situation,
): string | undefined {
  if (!hasHad(patience, newest(lifecycle.attempts), situation)) return undefined
  return refusalOfGas(payload, undefined, gasRulesOf(situation.policy.profile, situation.observation))
}

/** Refusals in unknown words count after so long: outages, upgrades and congestion have ended by then. */
const unknownLasts: Patience = { blocks: 20, ms: 120_000 }

/**
 * The words of a refusal that no table has, if they hold up the relayer's next nonce for long, no endpoint shows the payload, and
 * endpoints accepted other bytes meanwhile: without that, it is an outage. Refusals of later nonces are often a gap, or a limit of
 * senders.
 */
function lastingWordsOf({ lifecycle }: InPhase<'inFlight'>, situation: Situation): string | undefined {
  const { observation, policy, now } = situation
  const { nonce, attempts } = lifecycle
  const words = unrecognizedErrorOf(newest(attempts))
  const unshown = observation.unshown?.get(attempts[0].hash)
  if (nonce !== observation.nonce || words === undefined || unshown?.otherAcceptedMsAgo === undefined) return undefined
  const sinces = attempts.map((attempt) => refusedSinceOf(attempt) ?? now)
  const refusedMs = Math.min(unshown.forMs, now - Math.min(...sinces))
  const isOutage = unshown.otherAcceptedMsAgo >= refusedMs
  const enoughMs = lastsMs(unknownLasts, observation, policy)
  const isAgain = (unshown.refusedBeforeMs ?? 0) >= enoughMs
  if (!isAgain && (refusedMs < enoughMs || isOutage)) return undefined
  return attempts.some((attempt) => wasTakenLately(attempt, situation)) ? undefined : words
}

/**
 * Whether the balance covers the newest attempt, by the balance at this head. Unknown words of one endpoint hide that all others lack money
 * for it. No endpoint's own word about money counts: it could keep a payload that nobody takes for ever.
 */
function isCovered(transaction: InPhase<'inFlight'>, { observation }: Situation): 'yes' | 'no' | 'unread' {
  if (observation.balance === undefined || isRemembered(observation)) return 'unread'
  return isAboveBalance(transaction, newest(transaction.lifecycle.attempts), observation) ? 'no' : 'yes'
}

/** Whether a node accepted the attempt lately. A time ahead of the clock counts: the clock was set back. */
function wasTakenLately(attempt: Attempt, { observation, policy, now }: Situation): boolean {
  const takenAt = takenAtOf(attempt)
  return takenAt !== undefined && now - takenAt < lastsMs(outweighs, observation, policy)
}

/** Payloads that every endpoint may have refused: each endpoint's word about them is read. */
export function refusedPayloads(inFlight: readonly InPhase<'inFlight'>[]): readonly RefusedPayload[] {
  return inFlight.filter(isRefused).map(payloadOf)
}

/** The next nonce's payload, if its refusal is in words that no table has: whether an endpoint shows it is read. */
export function payloadInUnknownWords([first]: readonly InPhase<'inFlight'>[]): UnknownWordsInquiry | undefined {
  if (!first || !isRefusedInUnknownWords(first)) return undefined
  return { ...payloadOf(first), nonce: first.lifecycle.nonce, payload: first.payload }
}

/**
 * Whether every endpoint may have refused the payload: one that gave no answer leaves the outcome unknown. False for a gap filler,
 * which no no-op replaces.
 */
export function isRefused({ origin, cancellation, lifecycle }: InPhase<'inFlight'>): boolean {
  const latest = newest(lifecycle.attempts)
  if (origin === 'gap' || cancellation || latest.broadcast.state !== 'handed') return false
  const { outcome } = latest.broadcast
  return invalidReasonOf(latest) !== undefined || (outcome.kind === 'unknown' && outcome.code === undefined)
}

function isRefusedInUnknownWords({ origin, cancellation, lifecycle }: InPhase<'inFlight'>): boolean {
  return origin !== 'gap' && !cancellation && unrecognizedErrorOf(newest(lifecycle.attempts)) !== undefined
}

function payloadOf({ lifecycle: { attempts } }: InPhase<'inFlight'>): RefusedPayload {
  const live = attempts.flatMap((attempt) => (mayBeKnown(attempt) ? [attempt.hash] : []))
  return { newest: newest(attempts).hash, live }
}

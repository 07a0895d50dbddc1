// Decides what waits for no reading of the chain: the no-op of a transaction that is canceled or expires, the payload of a PUT, and the nonces of
// a queue that a look has covered.
//
// A node far away takes half a second to answer, and a race is lost by waiting. So while the owner looks at the chain, it decides by the rows
// as they are now and by its last observation, if that is recent. It frees, confirms and finalizes nothing, as that needs the chain as it is, and
// binds only what that observation would have let it bind, had earlier bytes or signatures come before it. Without a price, the gas of the no-op or
// a balance that counts, it waits for the look, as do further bids of a race: they had their chance at this price.
//
// For example: blocks come every 12 s, and the last observation's head was read 20 s ago. A DELETE comes while a node takes 500 ms to return
// the next one. Its no-op is broadcast at once, at the last price. Had the head been read 24 s ago, it would wait for the 500 ms.
import { isNonceSpent, isNoOp, mayBeKnown, newest, rejectionOf } from '../attempt.ts'
import type { Observation } from '../observation.ts'
import { lastsMs, type Patience } from '../patience.ts'
import type { NetworkPolicy } from '../relayer.ts'
import { awaitsReplacement, type InPhase, isInPhase, revisionOf, type Transaction } from '../transaction.ts'
import { apply } from './apply.ts'
import { decide } from './decide.ts'
import type { Covered } from './facts/inquire.ts'
import { followAll } from './follow.ts'
import { type Decision, nothing, type Plan, type Steps } from './plan/decision.ts'
import { inFlightOf, queuedOf, type Situation, type Work } from './plan/work.ts'
import { cancelInFlight } from './race/cancel-in-flight.ts'
import { pursue } from './race/pursue.ts'
import { roomOnArrival } from './rules/arrival-order.ts'
import { awaitSigner } from './signer/await-signer.ts'
import { coverBumps } from './signer/presign.ts'
import { hasExpired } from './terms/expired.ts'
import { roomIn } from './terms/window.ts'

/** An observation is recent for so long. */
const recent: Patience = { blocks: 2, ms: 6_000 }

/** `ageMs`: how long ago its head was read. */
export function isRecent(
  ageMs: number,
  observation: Pick<Observation, 'blocktimeMs'>,
  policy: Pick<NetworkPolicy, 'averageBlocktimeMs'>,
): boolean {
  return ageMs < lastsMs(recent, observation, policy)
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

/** The queue goes on only by a look whose head was read so short a time ago. */
const queueGoesOnMs = 6_000

/** What the last look has read about. */
interface Looked {
  /** Its age: how long ago its head was read. */
  readonly ageMs: number
  readonly covered: Covered
}

/**
 * New nonces for those of the queue that the last look has read for, and that only waited for earlier bytes or signatures: a key service, or a
 * node far away, has nothing to do until the next look otherwise. `situation` as for `decideAtOnce`. Nothing else is decided: a nonce that an end
 * frees in the same decision is no longer free without it.
 */
export function continueQueue({ work: stored, ...situation }: Situation, { ageMs, covered }: Looked): Plan {
  const work = queueCovered(stored, covered)
  const nothingNow: Plan = { ...nothing, conditions: [], floor: work.floor }
  if (ageMs >= queueGoesOnMs || queuedOf(work).length === 0 || inFlightOf(work).some(contradictsLook)) return nothingNow
  const { observation, policy } = situation
  if (roomIn(work, roomOnArrival(work, observation, policy.profile)) === 0) return nothingNow
  const { decisions, lacks } = decide({ ...situation, work })
  if (lacks.size > 0 || !decisions.every(({ do: what }) => ofQueue.has(what))) return nothingNow
  return { ...nothingNow, decisions: decisions.filter(({ do: what }) => what === 'assignNonce') }
}

/** The part of the queue that a look has read for: a PUT since then needs a look of its own. */
export function queueCovered(work: Work, covered: Covered): Work {
  const end = work.queued.findIndex((each) => isNewer(each, covered))
  return end === -1 ? work : { ...work, queued: work.queued.slice(0, end) }
}

/** Whether the look did not ask about this payload: the transaction arrived since, or a PUT changed it. */
function isNewer(transaction: Transaction, covered: Covered): boolean {
  return covered.get(transaction.id)?.revision !== revisionOf(transaction)
}

/** Whether a node's answer says that the count, the balance or the room of a look holds no longer. */
function contradictsLook({ lifecycle }: InPhase<'inFlight'>): boolean {
  const code = rejectionOf(newest(lifecycle.attempts))?.code
  return code === 'nonceTooLow' || code === 'nonceGap' || code === 'insufficientFunds' || code === 'poolFull'
}

const ofQueue: ReadonlySet<Decision['do']> = new Set(['assignNonce', 'explain', 'clearWait'])

/**
 * What a look says about rows that are newer than it: no estimate of a payload before a PUT, and no spender of a nonce that was bound since, as
 * the look knows no bytes of its new owner and takes them for foreign ones.
 */
export function asOfRows(
  observation: Observation,
  covered: Covered,
  { open, queued }: Pick<Work, 'open' | 'queued'>,
): Observation {
  const { estimates, inclusions } = observation
  const changed = [...open, ...queued].filter((each) => estimates.has(each.id) && isNewer(each, covered))
  const bound = inFlightOf({ open }).filter(
    ({ id, lifecycle: { nonce } }) => inclusions.has(nonce) && covered.get(id)?.nonce !== nonce,
  )
  return changed.length + bound.length === 0
    ? observation
    : {
        ...observation,
        estimates: without(
          estimates,
          changed.map(({ id }) => id),
        ),
        inclusions: without(
          inclusions,
          bound.map(({ lifecycle }) => lifecycle.nonce),
        ),
      }
}

function without<K, V>(map: ReadonlyMap<K, V>, keys: readonly K[]): ReadonlyMap<K, V> {
  return new Map([...map].filter(([key]) => !keys.includes(key)))
}

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

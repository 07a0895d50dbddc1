// Foreign nonces: another program signs with the key of the relayer, and its transactions wait in pools for nonces that ours could take.
//
// A pool shows such a transaction only by a count of the account that lies above the nonces on record, and some nodes show no pool at all. A
// payload for the same nonce would race it, and one that loses begins anew only at finality. So a nonce is left to a foreign transaction that
// may wait for it. Without this file each payment of the other program could delay one of ours by a quarter of an hour on Ethereum.
//
// The promise: a foreign transaction holds up ours for 12 blocks and 24 s, since our first one behind it was signed. Then ours take its nonce:
// no miner may want it, for example because its fee cap lies below the base fee. A count that skips as many nonces as nodes keep of one sender
// (16) binds nothing for that time: if it is false, each nonce below needs a gap filler. For example, the record ends at nonce 5, the pool counts
// 7, and 9 is in flight since block 100: the next payloads take 7 and 8, and from block 112 on, 24 s later at the earliest, 5 and 6.
//
// Where no pool counts above the record, no nonce is left to others, and nothing waits.
import { recordedMomentOf } from '../../attempt.ts'
import { intervalsBetween, sizeOf } from '../../nonce-interval.ts'
import type { Observation } from '../../observation.ts'
import { isOver, type Moment, type Patience } from '../../patience.ts'
import { isPaused } from '../../pause.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { firstUnspent, noncesInUse } from '../terms/free-nonces.ts'
import { keptByEveryNode } from '../terms/window.ts'

/** What a foreign transaction gets, since our transaction behind it was signed: 12 blocks and 24 s. */
export function foreignPatience({ bumpAfter }: Pick<NetworkPolicy, 'bumpAfter'>): Patience {
  return { blocks: 4 * bumpAfter.blocks, ms: 8 * bumpAfter.ms }
}

/** The first nonce that no foreign transaction in the pool has: ours take none below it. 0 where they need not leave any. */
export function foreignBelow(situation: Situation): Nonce {
  return mayUseForeignNonce(situation) ? 0 : (situation.observation.pendingNonce ?? 0)
}

/**
 * The wait for a foreign transaction that may have a gap's nonce where no pool shows one: the queue waits as long as for a visible foreign
 * transaction. The wait costs no time: nothing above the gap is mined before. `unread`: a pool may show it. Undefined: none may be hidden.
 */
export function awaitHidden(gap: Nonce, situation: Situation): readonly Decision[] | 'unread' | undefined {
  const { work, observation, policy } = situation
  const usable = foreignNonceUsableFrom(work, observation, policy)
  if (usable === undefined || observation.pendingNonce !== undefined) return undefined
  if (mayUseForeignNonce(situation)) return undefined
  if (!observation.isPoolUnseen) return 'unread'
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  const [next] = isPaused(work.relayer) ? [] : work.queued
  const reason: Reason = { condition: 'pool_unseen', facts: { nonce: gap, from: usable.block, untilAt: usable.ms } }
  return [behind, next].flatMap((each) => (each ? explain(each, reason) : []))
}

/** Explains that a foreign transaction waits in the pool for the nonce before ours. After its time the nonce is used. */
export function explainBlocked(
  transaction: InPhase<'inFlight'>,
  { work, observation, policy }: Situation,
): readonly Decision[] {
  const [first] = inFlightOf(work)
  const { head, nonce, pendingNonce = 0 } = observation
  if (first?.id !== transaction.id || transaction.lifecycle.nonce <= nonce || pendingNonce <= nonce) return []
  const until = endOf(foreignPatience(policy), recordedMomentOf(transaction.lifecycle.attempts[0], head.number))
  const facts = { by: 'transaction', nonce, until: until.block, untilAt: until.ms } as const
  return explain(transaction, { condition: 'nonce_blocked', facts })
}

/** Why the queue waits: more foreign transactions wait in the pool than nodes keep of one sender, or the count is false. */
export function blockedByPool(situation: Situation): Reason | undefined {
  const { work, observation } = situation
  if (!isPoolBeyond(work, observation) || mayUseForeignNonce(situation)) return undefined
  const { nonce, pendingNonce = nonce } = observation
  return { condition: 'nonce_blocked', facts: { by: 'count', nonce, pendingNonce } }
}

/**
 * Whether the pool's count would shift the next nonce by more than nodes keep of one sender. Foreign transactions that do wait there are soon
 * mined.
 */
export function isPoolBeyond(work: Work, observation: Observation): boolean {
  const { pendingNonce } = observation
  if (pendingNonce === undefined) return false
  const from = firstUnspent(work, observation)
  return sizeOf(intervalsBetween(from, pendingNonce, noncesInUse(work))) >= keptByEveryNode
}

/** Whether our transactions take the nonce of a foreign transaction: after its time, also where no node shows its pool. */
function mayUseForeignNonce({ work, observation, policy, now }: Situation): boolean {
  const patience = foreignPatience(policy)
  const at = { block: observation.head.number, ms: now }
  const signed = firstBehind(work, observation)
  if (signed && isOver(patience, signed, at)) return true
  return work.poolBeyondSince !== undefined && isOver(patience, work.poolBeyondSince, at)
}

/** From when on a nonce below ours no longer waits for a foreign transaction. */
export function foreignNonceUsableFrom(
  work: Work,
  observation: Observation,
  policy: NetworkPolicy,
): Moment | undefined {
  const signed = firstBehind(work, observation)
  return signed && endOf(foreignPatience(policy), signed)
}

/** When our first transaction above the account's nonce was signed. */
function firstBehind(work: Work, { nonce, head }: Observation): Moment | undefined {
  const behind = inFlightOf(work).filter(({ lifecycle }) => lifecycle.nonce > nonce)
  const signed = behind.map(({ lifecycle }) => recordedMomentOf(lifecycle.attempts[0], head.number))
  return signed.sort((one, other) => one.block - other.block || one.ms - other.ms)[0]
}

function endOf({ blocks, ms }: Patience, since: Moment): Moment {
  return { block: since.block + blocks, ms: since.ms + ms }
}

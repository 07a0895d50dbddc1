// Foreign nonces: another program signs with the key of the relayer, and its transactions wait in pools for nonces that ours could take.
//
// A pool shows such a transaction only by a count of the account that lies above the nonces on record, and some nodes show no pool at all. A
// payload for the same nonce would race it, and one that loses begins anew only at finality. So a nonce is left to a foreign transaction that
// may wait for it. Without this file each payment of the other program could delay one of ours by a quarter of an hour on Ethereum.
//
// The promise: a foreign transaction holds up ours for 4 × `bumpAfterBlocks` blocks at most, since our first one behind it was signed. Then
// ours take its nonce: no miner may want it, for example because its fee cap lies below the base fee. A count that skips as many nonces as nodes
// keep of one sender (16) binds nothing for that time: if it is false, each nonce below needs a gap filler. For example, with 3 blocks the
// record ends at nonce 5, the pool counts 7, and 9 is in flight since block 100: the next payloads take 7 and 8, and from block 112 on 5 and 6.
//
// Where no pool counts above the record, no nonce is left to others, and nothing waits.
import { recordedAtBlockOf } from '../../attempt.ts'
import { intervalsBetween, sizeOf } from '../../nonce-interval.ts'
import type { Observation } from '../../observation.ts'
import { isPaused } from '../../pause.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { BlockNumber, Nonce } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { firstUnspent, noncesInUse } from '../terms/free-nonces.ts'
import { keptByEveryNode } from '../terms/window.ts'

/** Blocks that a foreign transaction gets, counted since our transaction behind it was signed. */
export function foreignPatience(policy: NetworkPolicy): number {
  return 4 * policy.bumpAfterBlocks
}

/** The first nonce that no foreign transaction in the pool has: ours take none below it. 0 where they need not leave any. */
export function foreignBelow(situation: Omit<Situation, 'now'>): Nonce {
  return mayUseForeignNonce(situation) ? 0 : (situation.observation.pendingNonce ?? 0)
}

/**
 * The wait for a foreign transaction that may have a gap's nonce where no pool shows one: the queue waits as long as for a visible foreign
 * transaction. The wait costs no time: nothing above the gap is mined before. `unread`: a pool may show it. Undefined: none may be hidden.
 */
export function awaitHidden(
  gap: Nonce,
  { work, observation, policy }: Omit<Situation, 'now'>,
): readonly Decision[] | 'unread' | undefined {
  const from = foreignNonceUsableFrom(work, observation, policy)
  if (from === undefined || observation.pendingNonce !== undefined) return undefined
  if (mayUseForeignNonce({ work, observation, policy })) return undefined
  if (!observation.isPoolUnseen) return 'unread'
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  const [next] = isPaused(work.relayer) ? [] : work.queued
  const reason: Reason = { condition: 'pool_unseen', facts: { nonce: gap, from } }
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
  const until = recordedAtBlockOf(transaction.lifecycle.attempts[0], head.number) + foreignPatience(policy)
  return explain(transaction, { condition: 'nonce_blocked', facts: { by: 'transaction', nonce, until } })
}

/** Why the queue waits: more foreign transactions wait in the pool than nodes keep of one sender, or the count is false. */
export function blockedByPool(situation: Omit<Situation, 'now'>): Reason | undefined {
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
function mayUseForeignNonce({ work, observation, policy }: Omit<Situation, 'now'>): boolean {
  const from = foreignNonceUsableFrom(work, observation, policy)
  const { number } = observation.head
  if (from !== undefined && number >= from) return true
  return work.poolBeyondSince !== undefined && number - work.poolBeyondSince >= foreignPatience(policy)
}

/** The block from which on a nonce below ours no longer waits for a foreign transaction. */
export function foreignNonceUsableFrom(
  work: Work,
  { nonce, head }: Observation,
  policy: NetworkPolicy,
): BlockNumber | undefined {
  const signedAt = inFlightOf(work).flatMap(({ lifecycle }) =>
    lifecycle.nonce > nonce ? [recordedAtBlockOf(lifecycle.attempts[0], head.number)] : [],
  )
  return signedAt.length === 0 ? undefined : Math.min(...signedAt) + foreignPatience(policy)
}

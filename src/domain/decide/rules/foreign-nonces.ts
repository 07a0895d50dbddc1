// Foreign nonces: another program signs with the key of the relayer, and its transactions wait in pools for nonces that ours could take.
//
// A pool shows such a transaction only by a count of the account that lies above the nonces on record, and some nodes show no pool at all. A
// payload for the same nonce would race it, and one that loses begins anew only at finality. So a nonce is left to a foreign transaction that
// may wait for it. Without this file each payment of the other program could delay one of ours by a quarter of an hour on Ethereum.
//
// The promise: a foreign transaction holds up ours for 12 blocks and 24 s, since our first one behind its nonce was signed, and since this
// process first read a count of a pool above its nonce. Then ours take its nonce: no miner may want it, for example because its fee cap lies
// below the base fee. Each nonce has this time for itself: after a restore, a lost payment of ours may show up in a pool above old ones of ours.
// A process remembers the counts that it read, and a new one begins anew.
//
// A count that skips as many nonces as nodes keep of one sender (16) binds nothing for that time, and then leaves none: if it is false, each
// nonce below needs a gap filler. For example, the record ends at nonce 5, the pool counts 7 at block 100, and 9 is in flight since then: the
// next payloads take 7 and 8, and from block 112 on, 24 s later at the earliest, 5 and 6.
//
// Where no pool counts above the record, no nonce is left to others, and nothing waits.
import { recordedMomentOf } from '../../attempt.ts'
import { intervalsBetween, type NonceInterval, sizeOf } from '../../nonce-interval.ts'
import type { Observation } from '../../observation.ts'
import { isOver, type Moment, type Patience } from '../../patience.ts'
import { isPaused } from '../../pause.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { inFlightOf, type PoolCount, type Situation } from '../plan/work.ts'
import { firstUnspent, highestWaiting, noncesInUse } from '../terms/free-nonces.ts'
import { keptByEveryNode } from '../terms/window.ts'

/** What a foreign transaction gets, since our transaction behind it was signed: 12 blocks and 24 s. */
export function foreignPatience({ bumpAfter }: Pick<NetworkPolicy, 'bumpAfter'>): Patience {
  return { blocks: 4 * bumpAfter.blocks, ms: 8 * bumpAfter.ms }
}

/**
 * The nonces that ours leave to foreign transactions, with those in between that ours have. A pool that does not answer has what it counted
 * before, and where none ever answered, one may hide below any of ours.
 */
export function leftToOthers(situation: Situation): NonceInterval | undefined {
  const { work, observation } = situation
  const { poolCounts = [] } = work
  const { pendingNonce, isPoolUnseen } = observation
  const over = poolCounts.filter((each) => isTimeOver(each, situation))
  const [counted, countedLong] = [highestOf(poolCounts), highestOf(over)]
  const behind = inFlightOf(work).filter((each) => isTimeOver(signedAt(each, observation), situation))
  const behindLong = Math.max(0, ...behind.map(({ lifecycle }) => lifecycle.nonce))
  // What no pool counts has no other time.
  const isHidden = isPoolUnseen && counted === countedLong
  const usableBelow = isHidden ? behindLong : Math.min(behindLong, countedLong)
  const first = Math.max(usableBelow, highestOf(over.filter(({ isBeyond }) => isBeyond)))
  const below = pendingNonce ?? Math.max(counted, isPoolUnseen ? highestWaiting(work) : 0)
  return first < below ? { first, last: below - 1 } : undefined
}

/**
 * The counts of a pool that this process remembers after an observation `at`: each is the first above foreign nonces that the earlier ones do
 * not count. A pool that goes on counting more is false: then the last one's time is that of all above it, too.
 */
export function poolCountsAfter(before: readonly PoolCount[], situation: Situation, at: Moment): readonly PoolCount[] {
  const { work, observation } = situation
  const { nonce, pendingNonce } = observation
  const kept = before.filter(({ below }) => below > nonce)
  if (pendingNonce === undefined) return kept
  const last = kept.at(-1)
  const isBeyond = isPoolBeyond(situation)
  const from = Math.max(firstUnspent(work, observation), last?.below ?? 0)
  const isHigher = intervalsBetween(from, pendingNonce, noncesInUse(work)).length > 0
  if (!isHigher && (!isBeyond || last?.isBeyond)) return kept
  const below = Math.max(pendingNonce, last?.below ?? 0)
  if (!last || kept.length < keptByEveryNode) return [...kept, { ...at, below, isBeyond }]
  return [...kept.slice(0, -1), { ...last, below, isBeyond: isBeyond || last.isBeyond }]
}

/**
 * The wait for a foreign transaction that may have a gap's nonce where no pool shows one: the queue waits as long as for a visible foreign
 * transaction. The wait costs no time: nothing above the gap is mined before. `unread`: a pool may show it. Undefined: none may be hidden.
 */
export function awaitHidden(gap: Nonce, situation: Situation): readonly Decision[] | 'unread' | undefined {
  const { work, observation } = situation
  if (observation.pendingNonce !== undefined) return undefined
  if (!observation.isPoolUnseen) return 'unread'
  const left = leftToOthers(situation)
  if (!left || gap < left.first) return undefined
  const usable = foreignNonceUsableFrom(gap, situation)
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  const [next] = isPaused(work.relayer) ? [] : work.queued
  const reason: Reason = { condition: 'pool_unseen', facts: { nonce: gap, from: usable.block, untilAt: usable.ms } }
  return [behind, next].flatMap((each) => (each ? explain(each, reason) : []))
}

/** Explains that a foreign transaction waits in the pool for the nonce before ours. After its time the nonce is used. */
export function explainBlocked(transaction: InPhase<'inFlight'>, situation: Situation): readonly Decision[] {
  const [first] = inFlightOf(situation.work)
  const { nonce, pendingNonce = 0 } = situation.observation
  if (first?.id !== transaction.id || transaction.lifecycle.nonce <= nonce || pendingNonce <= nonce) return []
  const until = foreignNonceUsableFrom(nonce, situation)
  const facts = { by: 'transaction', nonce, until: until.block, untilAt: until.ms } as const
  return explain(transaction, { condition: 'nonce_blocked', facts })
}

/**
 * Why a nonce is not used: more foreign transactions wait in the pool below it than nodes keep of one sender, or the count is false. One
 * look at the rows serves all nonces of a step.
 */
export function blockingPool(situation: Situation): (next: Nonce) => Reason | undefined {
  const left = leftToOthers(situation)
  if (!left || !isPoolBeyond(situation)) return () => undefined
  const facts = { by: 'count', nonce: situation.observation.nonce, pendingNonce: left.last + 1 } as const
  return (next) => (next > left.last ? { condition: 'nonce_blocked', facts } : undefined)
}

/**
 * Whether more nonces are left to others than nodes keep of one sender. Foreign transactions that do wait there are soon
 * mined.
 */
function isPoolBeyond(situation: Situation): boolean {
  const { work, observation } = situation
  const left = leftToOthers(situation)
  if (!left) return false
  const from = Math.max(left.first, firstUnspent(work, observation))
  return sizeOf(intervalsBetween(from, left.last + 1, noncesInUse(work))) >= keptByEveryNode
}

/** From when on the nonce, below one of ours, is no longer left to a foreign transaction. */
export function foreignNonceUsableFrom(nonce: Nonce, { work, observation, policy, now }: Situation): Moment {
  const { blocks, ms } = foreignPatience(policy)
  const at = { block: observation.head.number, ms: now }
  const signed = inFlightOf(work).filter(({ lifecycle }) => lifecycle.nonce > nonce)
  const firsts = signed.map((each) => signedAt(each, observation))
  const [first = at] = firsts.sort((one, other) => one.block - other.block || one.ms - other.ms)
  const counted = work.poolCounts?.find(({ below }) => below > nonce)
  const since = counted ?? (observation.pendingNonce === undefined ? first : at)
  // To the second: the clock of a process and that of the machine differ by a little each time.
  const usableMs = Math.max(first.ms, Math.ceil(since.ms / 1_000) * 1_000)
  return { block: Math.max(first.block, since.block) + blocks, ms: usableMs + ms }
}

function signedAt({ lifecycle }: InPhase<'inFlight'>, { head }: Observation): Moment {
  return recordedMomentOf(lifecycle.attempts[0], head.number)
}

function isTimeOver(since: Moment, { observation, policy, now }: Situation): boolean {
  return isOver(foreignPatience(policy), since, { block: observation.head.number, ms: now })
}

function highestOf(counts: readonly PoolCount[]): Nonce {
  return Math.max(0, ...counts.map(({ below }) => below))
}

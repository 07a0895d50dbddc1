// The last resort: the next nonce's newest attempt could have been in many blocks, and no other condition says why it was in none.
import { type Attempt, isNonceTaken, newest, takenAtOf } from '../../attempt.ts'
import type { Condition } from '../../condition.ts'
import { effectivePrice, feeCap, type OpenBlock } from '../../fees.ts'
import type { Observation } from '../../observation.ts'
import { isOver, type Patience } from '../../patience.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { Transaction } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { type Chances, inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { blocksOnArrival } from '../rules/arrival-order.ts'

/** Only blocks that had room count. */
const least: Patience = { blocks: 24, ms: 60_000 }
/** So many times the blocks after which the service would bid again. */
const patienceMultiple = 4

/** Undefined where no node has taken the newest attempt, or another nonce is next. */
export function countChances(
  before: Chances | undefined,
  work: Pick<Work, 'open'>,
  { head: { number }, nonce, market }: Pick<Observation, 'head' | 'nonce' | 'market'>,
  policy: Pick<NetworkPolicy, 'profile'>,
  now: TimestampMs,
): Chances | undefined {
  const [first] = inFlightOf(work)
  const latest = first && newest(first.lifecycle.attempts)
  if (!latest || latest.nonce !== nonce) return undefined
  const { hash } = latest
  if (before?.hash !== hash || number < before.through) {
    // A sequencer that has earlier bytes of the nonce calls it spent.
    const isTaken = takenAtOf(latest) !== undefined || isNonceTaken(latest)
    return isTaken ? { hash, blocks: 0, through: number, since: now } : undefined
  }
  if (!market) return before
  const open = market.openBlocks?.filter((block) => block.number > before.through && mayHold(block, latest)) ?? []
  const passed = blocksOnArrival(number - before.through, policy) ?? open.length
  return { ...before, blocks: before.blocks + passed, through: number }
}

function mayHold({ baseFee, tip }: OpenBlock, { fees }: Attempt): boolean {
  return feeCap(fees) >= baseFee && effectivePrice(fees, baseFee) >= baseFee + tip
}

/** Where another condition holds, blocks count only once that is over: the two never alternate. */
export function chancesBeside(conditions: readonly Condition[], chances: Chances, now: TimestampMs): Chances {
  return conditions.some((each) => each !== 'no_progress') ? { ...chances, blocks: 0, since: now } : chances
}

/**
 * Explains it to the first in flight, unless it changes in this step: by another bid, signed now or by a key service later, or as a block holds
 * it. A node that reports settled nonces as unspent shows no progress of any.
 */
export function explainNoProgress(
  { work, observation, policy, now }: Situation,
  changing: readonly Transaction[],
): Decision[] {
  const { chances, floor } = work
  const [first] = inFlightOf(work)
  if (changing.some(({ id }) => id === first?.id)) return []
  if (first && observation.nonce < floor.spentBelow) return explain(first, nodeBehind(work, observation))
  const blocks = Math.max(least.blocks, patienceMultiple * policy.bumpAfter.blocks)
  if (!first || !chances) return []
  if (!isOver({ ...least, blocks }, { block: 0, ms: chances.since }, { block: chances.blocks, ms: now })) return []
  return explain(first, { condition: 'no_progress', facts: { nonce: first.lifecycle.nonce, attempt: chances.hash } })
}

/** The node is behind the final part of the chain, so its next nonce is already spent. */
export function nodeBehind({ floor }: Pick<Work, 'floor'>, { nonce }: Pick<Observation, 'nonce'>): Reason {
  return { condition: 'node_behind', facts: { nonce, settledBelow: floor.spentBelow } }
}

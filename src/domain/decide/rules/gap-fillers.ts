// Gap fillers: no-ops of our own for nonces below one in flight that no transaction takes. Nothing above such a gap is ever mined.
//
// A gap comes from a cancellation without a no-op, or from a nonce that the record never assigned: a lost history used it, or a node named a
// false count. Each filler is paid, so those of the second kind need a second count of the account, and are limited: 64 in any hour, without
// an operator's permit, and 16 in a step. Without this limit a node that counts 5,000 transactions too many would have us pay for 5,000 no-ops.
// The promise: every gap of ours is filled at once, and the first that may not be filled explains itself to the transaction behind it.
//
// Without a gap each function changes nothing.
import { invalidReasonOf, newest } from '../../attempt.ts'
import { type Fees, lowered, type Market, marketFees } from '../../fees.ts'
import { noOpGasLimit } from '../../no-op.ts'
import { isPaused } from '../../pause.ts'
import { priceCeiling } from '../../price-ceiling.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import { type InPhase, isInPhase } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Assignments, type Decision, explain, nothing } from '../plan/decision.ts'
import { type Fact, lacking } from '../plan/lacks.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { usesEip1559 } from '../terms/funds.ts'
import { limitReach } from './reach.ts'

/** Limit of gap fillers in one step, also for nonces that the record assigned. */
export const fillsPerStepMax = 16
/** Limit of a relayer's gap fillers in any hour, for nonces that the record never assigned. */
export const fillsPerHourMax = 64

interface Filling {
  /** The nonces to fill now, lowest first. */
  readonly fill: readonly { readonly nonce: Nonce; readonly unassigned?: true }[]
  /** The fact that has to be read first. */
  readonly lacks?: Fact | undefined
  /** Why the next nonce is not filled now. */
  readonly blocked?:
    | { readonly nonce: Nonce; readonly by: 'count' | 'limit' }
    | { readonly nonce: Nonce; readonly by: Reason }
  /** More gaps remain than one step fills, and nothing blocks them. */
  readonly hasMore: boolean
}

/** Fills gaps, which are in order, and explains the wait behind one that is not filled. More remain where it observes again at once. */
export function fillGaps(
  gaps: readonly Nonce[],
  market: Market,
  { work, observation, policy }: Omit<Situation, 'now'>,
): Assignments {
  const gasLimit = noOpGasLimit(market, policy.profile)
  const [lowest] = gaps
  if (lowest === undefined) return nothing
  if (gasLimit === undefined) return { ...nothing, decisions: explainUnestimated(work, lowest) }
  const { fill, blocked, lacks, hasMore } = limitGapFillers(gaps, { work, observation })
  const fees = gapFillerFees(work.relayer, market, policy)
  const filled = fill.map((each): Decision => ({ do: 'fillGap', ...each, fees, gasLimit }))
  const decisions = [...filled, ...explainBlockedGap(blocked, work)]
  return { decisions, lacks: lacking(lacks), observeAgainAtOnce: hasMore }
}

/** How many gaps a step looks at: one more than it fills shows whether more remain. */
export function lookedAtMax({ gapRecord }: Pick<Work, 'gapRecord'>): number {
  return (gapRecord?.perStepMax ?? fillsPerStepMax) + 1
}

/** The fees of a gap filler. It is a no-op, so the no-ops' cap limits it, or the ceiling. */
export function gapFillerFees(relayer: Relayer, market: Market, policy: NetworkPolicy): Fees {
  const most = relayer.policies.cancelGasPriceCap ?? priceCeiling(market, 'fast', 'noOp', policy.profile)
  return lowered(marketFees(market, 'fast', usesEip1559(relayer, policy)), most)
}

/** Selects the gaps to fill now. `gaps` are in order. The first blocked one ends the list: a higher nonce would wait for it. */
export function limitGapFillers(
  gaps: readonly Nonce[],
  { work, observation }: Pick<Situation, 'work' | 'observation'>,
): Filling {
  if (gaps.length === 0) return { fill: [], hasMore: false }
  const { gapRecord } = work
  if (!gapRecord) return { fill: [], lacks: 'gapRecord', hasMore: false }
  const { released, filledInHour, permitted, perStepMax = fillsPerStepMax } = gapRecord
  let left = Math.max(0, fillsPerHourMax - filledInHour, permitted)
  const fill: { nonce: Nonce; unassigned?: true }[] = []
  for (const nonce of gaps) {
    if (fill.length === perStepMax) return { fill, hasMore: true }
    if (released.has(nonce)) {
      fill.push({ nonce })
      continue
    }
    const { blockedBy, isWithin, lacks } = limitReach(nonce, { work, observation })
    if (blockedBy) return { fill, blocked: { nonce, by: blockedBy }, hasMore: false }
    if (!isWithin) return { fill: [], lacks, hasMore: false }
    const { secondCount } = observation
    if (left === 0) return { fill, blocked: { nonce, by: 'limit' }, hasMore: false }
    if (secondCount === undefined) return { fill: [], lacks: 'secondCount', hasMore: false }
    if (secondCount === 'unknown' || secondCount > nonce)
      return { fill, blocked: { nonce, by: 'count' }, hasMore: false }
    left -= 1
    fill.push({ nonce, unassigned: true })
  }
  return { fill, hasMore: false }
}

/** Counts the nonces that this step gives back as released: they are on record only once the step has ended. */
export function withGivenBack(ahead: Work, { open }: Work): Work {
  const { gapRecord } = ahead
  if (!gapRecord) return ahead
  const bound = new Set(
    inFlightOf({ open }).flatMap(({ origin, lifecycle }) => (origin === 'gap' ? [] : [lifecycle.nonce])),
  )
  const { released } = gapRecord
  return {
    ...ahead,
    gapRecord: { ...gapRecord, released: { has: (nonce) => bound.has(nonce) || released.has(nonce) } },
  }
}

/** Explains the first transaction behind a gap that is not filled now, or the first of the queue. */
function explainBlockedGap(blocked: Filling['blocked'], work: Work): Decision[] {
  if (!blocked) return []
  const { nonce, by } = blocked
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > nonce) ?? work.queued[0]
  if (!behind || (!isInPhase(behind, 'inFlight') && isPaused(work.relayer))) return []
  if (by === 'count') return explain(behind, { condition: 'gap_unconfirmed', facts: { of: 'gap', nonce } })
  if (by !== 'limit') return explain(behind, by)
  return explain(behind, {
    condition: 'gap_fillers_limited',
    facts: { nonce, filled: fillsPerHourMax, relayerId: work.relayer.id },
  })
}

/**
 * Explains the wait of the next transaction behind a gap filler that nodes call invalid. No other transaction takes its nonce: a pool may
 * have the bytes all the same. They go out again at pauses that grow.
 */
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

/** Explains that no node estimates the gas of the no-op that would fill a gap. */
function explainUnestimated(work: Work, gap: Nonce): Decision[] {
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  if (!behind) return []
  return explain(behind, { condition: 'gas_unknown', facts: { of: 'gapFiller', nonce: gap } })
}

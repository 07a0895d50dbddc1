// A preview of a bulk cancellation: its result and cost now. It applies the cancellation and decides the next step on the same facts, and
// writes nothing. Without a node it only counts, by the stored rows.
import { type Attempt, isNoOp, isSequenced, newest } from '../attempt.ts'
import { cancel } from '../cancel.ts'
import { decide } from '../decide/decide.ts'
import type { StoredWork, Work } from '../decide/plan/work.ts'
import { isOrdered } from '../decide/rules/arrival-order.ts'
import { effectivePrice, feeCap, type Market } from '../fees.ts'
import type { GapRecord } from '../gap-record.ts'
import { isNonEmpty } from '../ids.ts'
import { costOfNoOps, noOpCost, noOpGasCharged, noOpGasLimit } from '../no-op.ts'
import type { Observation } from '../observation.ts'
import { isTakenByBulk } from '../refusals.ts'
import type { DecisionProfile, NetworkPolicy, Relayer } from '../relayer.ts'
import { type InPhase, isInPhase, payloadAttempts, type Transaction } from '../transaction.ts'
import { maxWei, type Nonce, type TimestampMs, type Wei } from '../units.ts'

export interface CancellationPreview {
  /** Transactions that no node ever had: they end at once, at no cost. */
  readonly free: number
  /** Transactions that a node may have: each needs a no-op. */
  readonly noOps: number
  /** No-ops that wait because cancel_gas_price_cap is below today's price. Only `max` includes them. */
  readonly overCap: number
  /** Nonces of free ones, below one that a node may have: each needs a no-op too, or nothing above it is ever mined. */
  readonly gaps: number
  /** Transactions canceled before, without a verdict yet: their no-ops cost extra. */
  readonly racing: number
  /**
   * Transactions that are pending by their status, but whose nonce is spent, or that a sequencer has ordered: there is no
   * race left.
   */
  readonly tooLate: number
  readonly cost: {
    /** The cost if all no-ops are mined in the next block. */
    readonly expected: Wei
    /** The most that no-ops signed now can cost. */
    readonly today: Wei
    /**
     * The most that the no-ops can come to cost, priced anew block after block up to cancel_gas_price_cap; absent without
     * one.
     */
    readonly max?: Wei
  }
  /** The most that a no-op may pay for a unit of gas. */
  readonly perGas: {
    /** The highest price of a no-op signed now; absent where none would be. */
    readonly today?: Wei
    /** The policy cancel_gas_price_cap; absent without it. */
    readonly max?: Wei
  }
  /** The most that the no-ops of earlier cancellations can cost, at today's price. */
  readonly committed: Wei
}

/**
 * `queued`: the number of canceled transactions without a nonce. `covers`: whether one with a nonce is canceled. Without a pending nonce
 * in `observation`, every gap counts as one to fill.
 */
export function previewCancellation(
  work: Work,
  queued: number,
  observation: Observation & { readonly market: Market },
  policy: NetworkPolicy,
  now: TimestampMs,
  covers: (transaction: Transaction) => boolean = isTakenByBulk,
): CancellationPreview {
  const canceled = work.open.map((transaction) => (covers(transaction) ? cancel(transaction, now) : transaction))
  const open = canceled.filter((transaction) => isInPhase(transaction, 'inFlight', 'mined'))
  // Where no node shows its pool a gap waits for a while, and then needs its no-op all the same.
  const pendingNonce = observation.pendingNonce ?? observation.nonce
  // Since when a pool counts foreign transactions, only the owner knows: the time of ours behind them decides.
  const poolCounts = [{ below: pendingNonce, block: 0, ms: 0, isBeyond: false }]
  const { decisions } = decide({
    work: { ...work, open, queued: [], held: [], expiring: [], gapRecord: gapsOf(work), poolCounts },
    // The cost is computed without regard to the balance: the caller compares the two.
    observation: { ...observation, pendingNonce, balance: anyBalance },
    policy: { ...policy, profile: withoutReserve(policy.profile) },
    now,
  })
  const { market } = observation
  const gapFillers = decisions.filter((decision) => decision.do === 'fillGap')
  const priced: NoOp[] = [...gapFillers]

  let [free, noOps, overCap, racing, tooLate, committed] = [queued, 0, 0, 0, 0, 0n]
  for (const [index, after] of canceled.entries()) {
    const covered = after !== work.open[index]
    const signing = decisions.find((each) => each.do === 'signNoOp' && each.transaction.id === after.id)
    const noOp = signing?.do === 'signNoOp' ? signing : undefined
    const isDropped = decisions.some((each) => each.do === 'drop' && each.transaction.id === after.id)
    if (after.lifecycle.phase === 'dropped' || (covered && isDropped)) free += 1
    // Of a nonce that one endpoint counts as spent, while nothing shows its spender, the race goes on.
    else if (!isInPhase(after, 'inFlight') || (after.lifecycle.nonce < observation.nonce && !noOp))
      tooLate += covered ? 1 : 0
    else if (isOrdered(after, { work, observation, policy, now })) tooLate += covered ? 1 : 0
    else if (after.cancellation) {
      const races = !covered || after.lifecycle.attempts.some(isNoOp)
      if (races) racing += 1
      else noOps += 1
      if (races) committed += costAtMost(noOp ?? signedNoOp(after), market)
      else if (noOp) priced.push(noOp)
      else overCap += 1
    }
  }
  const max = mostUnderCap(noOps + gapFillers.length, work.relayer, market, policy)
  return {
    ...{ free, noOps, overCap, gaps: gapFillers.length, racing, tooLate, committed },
    cost: {
      expected: priced.reduce((sum, noOp) => sum + costNextBlock(noOp, market, policy), 0n),
      today: priced.reduce((sum, noOp) => sum + costAtMost(noOp, market), 0n),
      ...(max !== undefined && { max }),
    },
    perGas: perGasOf(priced, work.relayer),
  }
}

function perGasOf(priced: readonly NoOp[], { policies }: Relayer): CancellationPreview['perGas'] {
  const { cancelGasPriceCap: max } = policies
  const today = priced.map(({ fees }) => feeCap(fees)).reduce((most, fee) => maxWei(most, fee), 0n)
  return { ...(priced.length > 0 && { today }), ...(max !== undefined && { max }) }
}

/** The cost is computed without regard to the limits of a step: the canceled transactions give their nonces back. */
function gapsOf({ open }: Work): GapRecord {
  return { released: { has: () => true }, filledInHour: 0, permitted: 0, perStepMax: open.length }
}

function withoutReserve({ reserveBalance: _, balanceLagBlocks: __, ...profile }: DecisionProfile): DecisionProfile {
  return profile
}

const anyBalance: Wei = 2n ** 255n

type NoOp = Pick<Attempt, 'fees' | 'gasLimit'>

function signedNoOp({ lifecycle }: InPhase<'inFlight'>): NoOp | undefined {
  const noOps = lifecycle.attempts.filter(isNoOp)
  return isNonEmpty(noOps) ? newest(noOps) : undefined
}

function mostUnderCap(noOps: number, relayer: Relayer, market: Market, policy: NetworkPolicy): Wei | undefined {
  const { cancelGasPriceCap: cap } = relayer.policies
  const gasLimit = noOpGasLimit(market, policy.profile)
  if (cap === undefined || gasLimit === undefined) return undefined
  return costOfNoOps(noOps, gasLimit, cap, market)
}

function costAtMost(noOp: NoOp | undefined, market: Market): Wei {
  return noOp ? noOpCost(noOp.gasLimit, noOp.fees, market) : 0n
}

function costNextBlock({ fees, gasLimit }: NoOp, market: Market, { profile }: NetworkPolicy): Wei {
  const { baseFee, noOpL1Fee = 0n } = market
  return BigInt(noOpGasCharged(market, gasLimit, profile)) * effectivePrice(fees, baseFee) + noOpL1Fee
}

export type CountedPreview = Pick<CancellationPreview, 'free' | 'noOps' | 'gaps' | 'racing' | 'tooLate'>

/**
 * A preview while no node answers, from the stored rows. Amounts need the network's price, so it has none.
 *
 * `queued` and `covers` as in `previewCancellation`. A nonce that was spent since the last step counts as one that is not: only a
 * node could show it.
 */
export function previewWithoutNode(
  { open, floor }: Pick<StoredWork, 'open' | 'floor'>,
  queued: number,
  now: TimestampMs,
  covers: (transaction: Transaction) => boolean = isTakenByBulk,
): CountedPreview {
  const given: Nonce[] = []
  let [noOps, racing, tooLate, highest] = [0, 0, 0, -1]
  for (const before of open) {
    const covered = covers(before)
    const after = covered ? cancel(before, now) : before
    if (after.lifecycle.phase === 'dropped') {
      if ('nonce' in before.lifecycle) given.push(before.lifecycle.nonce)
    } else if (!isInPhase(after, 'inFlight') || after.lifecycle.nonce < floor.spentBelow) {
      tooLate += covered ? 1 : 0
    } else {
      const { attempts, nonce } = after.lifecycle
      highest = nonce
      const isNew = covered && after !== before && !attempts.some(isNoOp)
      if (payloadAttempts(attempts).some(isSequenced)) tooLate += covered ? 1 : 0
      else if (isNew) noOps += 1
      else if (after.cancellation) racing += 1
    }
  }
  const gaps = given.filter((nonce) => nonce >= floor.spentBelow && nonce < highest).length
  return { free: queued + given.length, noOps, gaps, racing, tooLate }
}

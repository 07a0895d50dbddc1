// Decides which no-ops are pre-signed, and selects one for a cancellation while the signer is down.
//
// Level 1 is what a cancellation would bid now, with room. Level 2 is a multiple of it, for a market that rises while
// nothing can be signed. Neither is ever above cancel_gas_price_cap, or without it above the ceiling. Both are signed anew
// once a pool would not take them in place of the payload any more. A new price of the payload that exceeds their room waits
// for the first of them, and so does the payload of a PUT: if the key service failed right after it, nothing could cancel the payload.
import { type Attempt, isNoOp, mayBeKnown, newest } from '../../attempt.ts'
import {
  covers,
  type Fees,
  feeCap,
  floorOver,
  higher,
  isSame,
  lastingFloorOver,
  lowered,
  type Market,
  multiplied,
  raisedFees,
  tipOf,
} from '../../fees.ts'
import { lacksGas, noOpCost, noOpGasLimit, type PresignedNoOp } from '../../no-op.ts'
import { priceCeiling } from '../../price-ceiling.ts'
import type { InPhase } from '../../transaction.ts'
import { awaitsReplacement } from '../../transaction.ts'
import { compareWei, type Gas, maxWei, raisedBy } from '../../units.ts'
import type { Decision, PresignOrder } from '../plan/decision.ts'
import { inFlightOf, type Situation } from '../plan/work.ts'
import { floorFor } from '../race/bid.ts'
import { price } from '../race/price.ts'
import { rebroadcastIfDue } from '../race/rebroadcast.ts'
import { isExposedOnArrival, levelsOnArrival, rivalsOf } from '../rules/arrival-order.ts'
import { isWithinBound } from '../rules/cost-bound.ts'
import { noOpContender } from '../terms/contender.ts'

/** Percentage by which level 1 exceeds the bid of a cancellation now. */
const room = 25n
/** Level 2 is signed at 4 times the current bid of a cancellation, and renewed below 2 times. */
const farMultiple = 4n
const farMultipleMin = 2n
/** Percentage by which the base fee may rise before a no-op is mined: a depth of two full blocks. */
const aheadPercent = 27n

/** The speed of a race. */
const speed = 'fastest'

/** The no-ops to sign: level 1 of each transaction first, lowest nonce first. */
export function missingNoOps(situation: Situation): readonly PresignOrder[] {
  const { work, observation, policy } = situation
  const { presigned } = work
  const { market } = observation
  const gasLimit = noOpGasLimit(market, policy.profile)
  const levels = levelsOf(situation)
  if (!presigned || levels === 0 || !market || gasLimit === undefined) return []
  const missing = inFlightOf(work)
    .filter((transaction) => isExposed(transaction, situation))
    .map((transaction) => missingOf({ transaction, gasLimit, market, levels }, presigned, situation))
  return [...missing.flatMap(([near]) => near ?? []), ...missing.flatMap(([, far]) => far ?? [])]
}

interface Covered {
  readonly decisions: readonly Decision[]
  readonly first: readonly PresignOrder[]
}

type Dearer = Extract<Decision, { do: 'bump' | 'replace' }>

/** `decisions` without the attempts that would leave a nonce without a pre-signed no-op, and the no-ops that these wait for. */
export function coverBumps(decisions: readonly Decision[], situation: Situation): Covered {
  if (!situation.work.signing?.presigns) return { decisions, first: [] }
  const first: PresignOrder[] = []
  const kept = decisions.flatMap((decision): readonly Decision[] => {
    const isDearer = decision.do === 'bump' || decision.do === 'replace'
    const order = isDearer ? coverOf(decision, situation) : undefined
    if (!order) return [decision]
    first.push(order)
    // The payload that a PUT replaces is not broadcast again.
    if (decision.do === 'replace') return []
    return rebroadcastIfDue(order.transaction, order.transaction.lifecycle.attempts, situation)
  })
  return { decisions: kept, first }
}

/**
 * The no-op that replaces the new attempt, too. Undefined if a stored one does, if none is of use now, and where the cap or the
 * ceiling leaves no room. A bump waits once: with one more stored than the policy wants, it waits for no other. The payload of a PUT may
 * come after one that a bump waited for.
 */
function coverOf({ do: what, transaction, fees, gasLimit }: Dearer, situation: Situation): PresignOrder | undefined {
  const { work, observation, policy } = situation
  const { market } = observation
  const gasOfNoOp = noOpGasLimit(market, policy.profile)
  if (!work.presigned || !market || gasOfNoOp === undefined || !mayNeedNoOp(transaction, situation)) return undefined
  const { nonce, attempts } = transaction.lifecycle
  const dearer: Attempt = { ...newest(attempts), fees, gasLimit, broadcast: { state: 'sending' } }
  const after = { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts: [...attempts, dearer] } } as const
  const [replacesNow, replacesAfter] = [transaction, after].map((each) => replacing(each, market, situation))
  const useful = fitting(transaction, work.presigned, market, work.relayer.policies.cancelGasPriceCap).filter(
    (each) => replacesNow?.(each.fees) && isMinable(each.fees, market),
  )
  const isCovered = useful.some((each) => replacesAfter?.(each.fees))
  const most = levelsOf(situation) + (what === 'replace' ? 1 : 0)
  if (useful.length === 0 || useful.length > most || isCovered) return undefined
  const [near] = missingOf({ transaction: after, gasLimit: gasOfNoOp, market, levels: 1 }, work.presigned, situation)
  if (!near) return undefined
  // A cancellation uses the useful ones until the attempt is signed.
  const outdated = near.outdated.filter((hash) => !useful.some((each) => each.hash === hash))
  return { ...near, transaction, outdated, isUrgent: true }
}

/** The number of levels, by the relayer's policy. */
function levelsOf({ work, policy }: Situation): number {
  const { presignCancel = 0 } = work.relayer.policies
  return levelsOnArrival(presignCancel, policy)
}

/** Whether a no-op for the transaction is signed beside the steps. One that awaits the payload of a PUT has its no-op with that. */
function isExposed(transaction: InPhase<'inFlight'>, situation: Situation): boolean {
  return !awaitsReplacement(transaction) && mayNeedNoOp(transaction, situation)
}

/** Whether a cancellation of the transaction would need a no-op. A gap filler is a no-op itself. */
function mayNeedNoOp({ origin, cancellation, lifecycle }: InPhase<'inFlight'>, situation: Situation): boolean {
  const { observation, policy } = situation
  if (origin === 'gap' || cancellation) return false
  if (lifecycle.nonce < observation.nonce) return false
  return isExposedOnArrival(lifecycle.attempts, policy) ?? lifecycle.attempts.some(mayBeKnown)
}

interface Exposed {
  readonly transaction: InPhase<'inFlight'>
  readonly gasLimit: Gas
  readonly market: Market
  readonly levels: number
}

/** Missing no-ops by level; undefined where one is stored, and where the cap or the ceiling leaves no room for one. */
function missingOf(
  { transaction, gasLimit, market, levels }: Exposed,
  presigned: readonly PresignedNoOp[],
  situation: Situation,
): readonly (PresignOrder | undefined)[] {
  const { work, observation, policy } = situation
  const cap = work.relayer.policies.cancelGasPriceCap
  const bid = price(noOpContender(transaction, situation), { gas: gasLimit, market }, situation)
  if (bid.kind !== 'sign') return []
  const replaces = replacing(transaction, market, situation)
  const stored = fitting(transaction, presigned, market, cap)
  const outdated = presigned.filter((each) => each.nonce === transaction.lifecycle.nonce && !replaces(each.fees))
  const order = (fees: Fees): PresignOrder | undefined =>
    // Where gas is free, all levels may be one price.
    stored.some((each) => isSame(each.fees, fees))
      ? undefined
      : { transaction, fees, gasLimit, outdated: outdated.map(({ hash }) => hash) }

  const isNear = (fees: Fees) => replaces(fees) && isMinable(fees, market)
  const floors = lastingFloors(transaction, market, situation)
  const most = cap ?? maxWei(priceCeiling(market, speed, 'noOp', policy.profile), ...floors.map(feeCap))
  const wanted = lowered(floors.reduce(higher, raisedFees(bid.fees, room)), most)
  const far = multiplied(bid.fees, farMultipleMin)
  const known = stored.find(({ fees }) => isNear(fees) && !covers(fees, far))
  const near = known === undefined && isNear(wanted) ? order(wanted) : undefined
  if (levels < 2) return [near]
  const over = floorOver(known?.fees ?? wanted, market, observation.rule)
  const least = lowered(higher(far, over), most)
  const hasFar = stored.some((each) => each !== known && covers(each.fees, least))
  // The cap or the ceiling may leave no price that replaces level 1.
  if (hasFar || !covers(least, over)) return [near]
  return [near, order(lowered(higher(multiplied(bid.fees, farMultiple), least), most))]
}

/**
 * The stored no-op for a cancellation that no fresh signature comes for: the cheapest that every pool takes in place of
 * each attempt and that can be mined now. Otherwise, for the first no-op of a race, the dearest within the cap: a pool may
 * have lost the payload. Undefined where none helps.
 */
export function presignedFor(transaction: InPhase<'inFlight'>, situation: Situation): PresignedNoOp | undefined {
  const { work, observation } = situation
  const { market, balance } = observation
  if (!market || !work.presigned) return undefined
  const { attempts } = transaction.lifecycle
  const cap = work.relayer.policies.cancelGasPriceCap
  const stored = fitting(transaction, work.presigned, market, cap).filter(
    ({ hash, gasLimit, fees }) =>
      !attempts.some((attempt) => attempt.hash === hash) &&
      (balance === undefined || noOpCost(gasLimit, fees, market) <= balance) &&
      isWithinBound(transaction, { gasLimit, fees }, market),
  )
  const replaces = replacing(transaction, market, situation)
  const able = stored.find(({ fees }) => replaces(fees) && isMinable(fees, market))
  return able ?? (attempts.some(isNoOp) ? undefined : stored.at(-1))
}

/** Stored no-ops that could take the nonce as far as policy, gas and type go; the cheapest first. */
function fitting(
  { lifecycle: { nonce, attempts } }: InPhase<'inFlight'>,
  presigned: readonly PresignedNoOp[],
  market: Market,
  cap: bigint | undefined,
): readonly PresignedNoOp[] {
  const [{ fees: rival }] = attempts
  return presigned
    .filter((each) => each.nonce === nonce && each.fees.kind === rival.kind && !lacksGas(each, market))
    .filter(({ fees }) => cap === undefined || feeCap(fees) <= cap)
    .sort(
      (one, other) =>
        compareWei(feeCap(one.fees), feeCap(other.fees)) || compareWei(tipOf(one.fees), tipOf(other.fees)),
    )
}

/** Whether every pool takes such a price in place of each attempt that it may hold. */
function replacing(
  transaction: InPhase<'inFlight'>,
  market: Market,
  { observation, policy }: Situation,
): (fees: Fees) => boolean {
  const floor = floorFor(transaction, market, observation, policy)
  return (fees) => !floor || covers(fees, floor)
}

function lastingFloors(
  transaction: InPhase<'inFlight'>,
  market: Market,
  { observation, policy }: Situation,
): readonly Fees[] {
  return rivalsOf(transaction, policy).map(({ fees }) => lastingFloorOver(fees, market, observation.rule))
}

function isMinable(fees: Fees, { baseFee = 0n }: Market): boolean {
  return feeCap(fees) >= raisedBy(baseFee, aheadPercent)
}

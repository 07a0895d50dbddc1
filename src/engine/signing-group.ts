// Splits a plan for a remote signer: decisions without a signature are recorded at once, and for each purpose one group of
// signatures is requested, lowest nonce first.
import type { Decision, Plan } from '../domain/decide/decision.ts'
import {
  isSigning,
  nonceOf,
  purposeOf,
  type SignatureKey,
  type SigningDecision,
  type SigningPurpose,
  signatureKey,
} from '../domain/decide/signing.ts'
import { inFlightMaxOf } from '../domain/decide/window.ts'
import type { Work } from '../domain/decide/work.ts'
import type { Observation } from '../domain/observation.ts'
import type { Relayer } from '../domain/relayer.ts'
import { isInPhase } from '../domain/transaction.ts'
import type { BlockNumber } from '../domain/units.ts'

export interface SigningOrder {
  readonly key: SignatureKey
  readonly decision: SigningDecision
  /** The refusal of a gap filler, recorded together with the transaction that takes its nonce. */
  readonly makesWay?: Refusal
}

export type Refusal = Extract<Decision, { do: 'refuse' }>

export interface SigningGroup {
  readonly purpose: SigningPurpose
  /** As it was when the signatures were decided. */
  readonly relayer: Relayer
  readonly head: BlockNumber
  /** How many transactions there may be in flight: one of a delegated account (EIP-7702), else `max_in_flight` or the window. */
  readonly inFlightMax: number
  /** Lowest nonce first. */
  readonly orders: readonly SigningOrder[]
}

export interface SplitPlan {
  /** The part that needs no signature. */
  readonly unsigned: Plan
  readonly groups: readonly SigningGroup[]
}

export function splitPlan(
  plan: Plan,
  { relayer, window }: Pick<Work, 'relayer' | 'window'>,
  { head: { number: head }, delegated = false }: Pick<Observation, 'head' | 'delegated'>,
  groupMax: number,
): SplitPlan {
  const orders = plan.decisions.filter(isSigning).map((decision) => orderFor(decision, plan.decisions))
  const tied = new Set<Decision>(orders.flatMap(({ makesWay }) => makesWay ?? []))
  const purposes = [...new Set(orders.map(({ decision }) => purposeOf(decision)))]
  const groups = purposes.map((purpose) => ({
    ...{ purpose, relayer, head, inFlightMax: delegated ? 1 : inFlightMaxOf(relayer, window) },
    orders: orders
      .filter(({ decision }) => purposeOf(decision) === purpose)
      .sort((one, other) => nonceOf(one.decision) - nonceOf(other.decision))
      .slice(0, groupMax),
  }))
  const decisions = plan.decisions.filter((decision) => !isSigning(decision) && !tied.has(decision))
  return { unsigned: { ...plan, decisions }, groups }
}

function orderFor(decision: SigningDecision, decisions: readonly Decision[]): SigningOrder {
  const key = signatureKey(decision)
  const makesWay = decisions.find(
    (each): each is Refusal =>
      decision.do === 'assignNonce' &&
      each.do === 'refuse' &&
      isInPhase(each.transaction, 'inFlight') &&
      each.transaction.lifecycle.nonce === decision.nonce,
  )
  return { key, decision, ...(makesWay && { makesWay }) }
}

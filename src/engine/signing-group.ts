// Splits a plan for a remote signer: decisions without a signature are recorded at once, and for each purpose one group of
// signatures is requested, lowest nonce first.
import type { Plan } from '../domain/decide/plan/decision.ts'
import { nonceOf, type SignatureKey, signatureKey } from '../domain/decide/plan/signing.ts'
import { isSigning, type SigningDecision, type SigningPurpose, traits } from '../domain/decide/plan/traits.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import type { Observation } from '../domain/observation.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { BlockNumber } from '../domain/units.ts'

export interface SigningOrder {
  readonly key: SignatureKey
  readonly decision: SigningDecision
}

export interface SigningGroup {
  readonly purpose: SigningPurpose
  /** The relayer as it was when the signatures were decided. */
  readonly relayer: Relayer
  readonly head: BlockNumber
  /** The signatures to request, lowest nonce first. */
  readonly orders: readonly SigningOrder[]
}

/** New nonces make a larger group: the next one is broadcast once far nodes have answered, and no race waits for it. */
const bindingGroups = 2

interface SplitPlan {
  /** The part that needs no signature. */
  readonly unsigned: Plan
  readonly groups: readonly SigningGroup[]
}

export function splitPlan(
  plan: Plan,
  { relayer }: Pick<Work, 'relayer'>,
  { head: { number: head } }: Pick<Observation, 'head'>,
  groupMax: number,
): SplitPlan {
  const orders = plan.decisions.filter(isSigning).map((decision) => ({ key: signatureKey(decision), decision }))
  const purposes = [...new Set(orders.map(({ decision }) => traits[decision.do].signs))]
  const groups = purposes.map((purpose) => ({
    ...{ purpose, relayer, head },
    orders: orders
      .filter(({ decision }) => traits[decision.do].signs === purpose)
      .sort((one, other) => nonceOf(one.decision) - nonceOf(other.decision))
      .slice(0, purpose === 'bind' ? bindingGroups * groupMax : groupMax),
  }))
  const decisions = plan.decisions.filter((decision) => !isSigning(decision))
  return { unsigned: { ...plan, decisions }, groups }
}

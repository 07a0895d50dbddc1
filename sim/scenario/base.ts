// Draws the options that every seed has: figures of the chain, policies, nodes, and the weights of actions.
import type { Dice } from '../../tooling/dice.ts'
import { profiles } from '../chain/profiles.ts'
import { type RequestOutcome, requestOutcomes } from '../outcomes.ts'
import { actions, usualWeights } from './actions.ts'
import type { FeeWorld } from './fees.ts'
import { drawOperator, drawOthers, drawPolicies } from './policies.ts'
import type { Restore, Scenario } from './scenario.ts'

/** The options that are drawn first. Later draws add the others. */
export type Base = Omit<
  Scenario,
  | 'gaps'
  | 'sendOutcomeOdds'
  | 'invalidPayloads'
  | 'repeatsPayloads'
  | 'kind'
  | 'signerChanges'
  | 'presign'
  | 'custody'
  | 'liar'
  | 'brokenEnd'
>

export function drawBase(dice: Dice, restores: readonly Restore[], fees: FeeWorld): Base {
  const reorgMax = dice.pick([0, 1, 2, 3, 5, 8])
  const weights = { ...usualWeights }
  for (const action of actions) {
    if (action !== 'send' && dice.chance(0.25)) weights[action] = 0
    else if (dice.chance(0.15)) weights[action] *= 4
  }
  if (reorgMax === 0) weights.reorg = 0
  // A lagging node or a wrong clock would hide what the copy has lost.
  if (restores.length > 0) Object.assign(weights, { lag: 0, jumpClock: 0 })
  const faults = Object.fromEntries(
    requestOutcomes.map((outcome) => [outcome, outcome === 'answered' || dice.chance(0.4) ? 0 : dice.between(1, 10)]),
  ) as Record<RequestOutcome, number>
  const capped = dice.chance(0.5)
  const base: Base = {
    blocktimeMs: dice.pick([1_000, 2_000, 12_000, 12_000]),
    configuredBlocktimeMs: 0,
    reorgMax,
    confirmations: reorgMax + dice.between(1, 3),
    relayers: dice.chance(0.25) ? 2 : 1,
    eip1559: !dice.chance(0.2),
    policies: drawPolicies(dice, { capped, mayPause: false }),
    profiles: Array.from({ length: dice.between(1, 4) }, () => dice.pick(profiles)),
    transactionsPerBlockMax: dice.pick([1, 2, 4, 20]),
    resurfacing: dice.pick([0, 0, 0.05, 0.3]),
    weights,
    faults,
    ending: capped
      ? dice.pick(['drain', 'cancelAll', 'plateau', 'plateau'])
      : dice.pick(['drain', 'drain', 'cancelAll']),
    restores,
    fees,
    operator: undefined,
    replicas: undefined,
  }
  // No base fee rises above a cap where there is none.
  return fees.isFree && base.ending === 'plateau' ? { ...base, ending: 'cancelAll' } : base
}

/** Adds an operator. Accounts that hold nothing need none. */
export function withOperator<S extends Base>(scenario: S, dice: Dice, skipping: Dice): S {
  const operator = drawOperator(dice, skipping)
  if (!operator || scenario.fees.isFree) return scenario
  const { weights } = scenario
  const policies = { ...scenario.policies, others: drawOthers(dice, operator) }
  const changes = { ...weights, policies: dice.pick([0, 2, 6]) }
  const refills = operator.funds === undefined ? changes : { ...changes, refill: Math.max(3, weights.refill) }
  const steadyWeights = { ...refills, reorg: 0, emptyBalance: 0, foreign: 0 }
  const fees = { ...scenario.fees, balance: operator.funds ?? scenario.fees.balance }
  return { ...scenario, fees, operator, policies, weights: operator.isSteady ? steadyWeights : refills }
}

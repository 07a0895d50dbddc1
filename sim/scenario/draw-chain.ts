// Draws the options of the chain: its kind, its pace, its finality, and features that change how blocks are made.
import type { Dice } from '../../tooling/dice.ts'
import { sequencer } from '../chain/profiles.ts'
import { type ChainKind, ethereum } from '../chain/sequencer.ts'
import { usualWeights } from './actions.ts'
import type { Base } from './base.ts'
import type { Feature } from './features.ts'
import { drawFinality } from './finality.ts'
import type { Scenario } from './scenario.ts'

export function withFinality<S extends Base>(scenario: S, dice: Dice | undefined): S {
  if (!dice) return scenario
  const { profiles: nodes, restores, weights } = scenario
  const depths = drawFinality(dice, { nodes: nodes.length, restored: restores.length > 0 })
  return { ...scenario, ...depths, weights: { ...weights, reorg: Math.max(usualWeights.reorg, weights.reorg) } }
}

/** No sequencer where a copy is restored: no pool shows what a sequencer has ordered. */
export function drawKind(
  has: (feature: Feature) => Dice | undefined,
  { restores, fees }: Pick<Scenario, 'restores' | 'fees'>,
): ChainKind {
  const [early, receipts, switches] = [has('earlyHashes'), has('orderReceipts'), has('tipSwitch')]
  const [pool, l1Gas, l1Fee] = [has('sequencerPool'), has('l1Gas'), has('l1Fee')]
  const fcfs = has('fcfs') ?? early ?? receipts ?? switches
  if (restores.length > 0) return ethereum
  // A fee beside gas excludes gas with a part for L1. Where gas is free, accounts are empty and could not pay it.
  const hasL1Fee = l1Fee !== undefined && (fcfs ?? l1Gas) === undefined && !fees.isFree
  return {
    isFcfs: fcfs !== undefined,
    answers: early ? 'beforeOrder' : receipts ? 'withReceipt' : 'afterOrder',
    switchesOrder: switches !== undefined,
    hasSequencer: (fcfs ?? pool) !== undefined,
    hasL1Gas: l1Gas !== undefined,
    hasL1Fee,
  }
}

export function withKind<S extends Omit<Scenario, 'kind' | 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  kind: ChainKind,
): S & { kind: ChainKind } {
  const { weights, gaps, fees, profiles: nodes } = scenario
  const common = { ...scenario, kind, gaps: kind.hasL1Gas ? { ...gaps, tightGapFillers: 0 } : gaps }
  if (!kind.isFcfs) return common
  // A sequencer keeps the transactions that it has ordered, so these actions are impossible.
  const impossible = { reorg: 0, evict: 0, restartPool: 0, fillPool: 0, emptyBalance: 0, jumpClock: 0, lag: 0 }
  return {
    ...common,
    ...{ profiles: nodes.map(() => sequencer), resurfacing: 0, reorgMax: 0, finality: undefined },
    weights: { ...weights, ...impossible },
    gaps: { ...gaps, tightGapFillers: 0 },
    fees: { ...fees, poolTipMin: 0n, builderTipMin: 0n, droughts: 0 },
  }
}

/** A fork of the gas rules, on chains of the Ethereum kind: others have gas rules of their own. */
export function withGasFork<S extends Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  dice: Dice | undefined,
): S {
  const { kind, weights } = scenario
  if (!dice || kind.isFcfs || kind.hasL1Gas) return scenario
  const gasFork = { at: dice.between(10, 80) / 100, delayBlocks: dice.pick([0, 0, 1, 3]) }
  return { ...scenario, gasFork, weights: { ...weights, reorg: 3 * weights.reorg } }
}

/** A depth may count the shown block that never comes, so one more confirmation is needed. */
export function withEmptySlots<S extends Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  dice: Dice | undefined,
): S {
  const { kind, confirmations, finality } = scenario
  // A reserve promises that payloads do not revert, which a withheld block could break.
  if (!dice || kind.isFcfs || scenario.reserve) return scenario
  const isByDepth = finality !== undefined && typeof finality.rule === 'number'
  return {
    ...{ ...scenario, confirmations: confirmations + 1, emptySlots: dice.pick([0.05, 0.2, 0.5]) },
    ...(isByDepth && { finality: { ...finality, rule: Number(finality.rule) + 1 } }),
  }
}

/** Weights of a run in which nobody but the service changes a balance. */
const steadyWeights = { reorg: 0, emptyBalance: 0, foreign: 0, jumpClock: 0 }

/** Balances near the reserve, or far above it. The reserve can pay for a no-op at any price of the run. */
export function withReserve<S extends Omit<Scenario, 'liar' | 'replicas' | 'brokenEnd'>>(
  scenario: S,
  dice: Dice | undefined,
): S {
  const { kind, fees, weights } = scenario
  if (!dice || fees.isFree || kind.isFcfs || kind.hasSequencer || kind.hasL1Gas || kind.hasL1Fee || scenario.gasFork)
    return scenario
  const { gasPriceCap = 0n } = scenario.policies
  // The reserve pays for a no-op at the last price, too.
  const price = scenario.ending === 'plateau' ? 5n * gasPriceCap : 2n * fees.firstBaseFee
  const reserve = 30_000n * (price + fees.poolTipMin) * BigInt(dice.pick([5, 20, 100]))
  const balance = (reserve * BigInt(dice.pick([4, 5, 6, 1_000]))) / 4n
  const isSteady = dice.chance(0.5)
  return {
    ...scenario,
    ...withoutSkipping(scenario),
    reserve: { reserve, lagBlocks: 3, isSteady },
    fees: { ...fees, balance },
    weights: { ...weights, refill: Math.max(4, weights.refill), ...(isSteady && steadyWeights) },
    ...(isSteady && { resurfacing: 0 }),
  }
}

/** The service refuses `skip_unfunded` beside a reserve. */
function withoutSkipping({ policies, operator }: Pick<Scenario, 'policies' | 'operator'>) {
  const { skipUnfunded: _, ...others } = policies.others
  return { policies: { ...policies, others }, operator: operator && { ...operator, skips: false } }
}

/** Block times from 100 ms to 15 s, which the service may be configured with wrongly. */
export function drawPace<T extends Pick<Scenario, 'blocktimeMs'>>(dice: Dice, scenario: T): T {
  const blocktimeMs = dice.pick([scenario.blocktimeMs, scenario.blocktimeMs, 100, 250, 500, 5_000, 15_000])
  return { ...scenario, blocktimeMs, configuredBlocktimeMs: misconfigured(dice, blocktimeMs) }
}

/** Wrong by a factor of up to fifty, in either direction. */
export function misconfigured(dice: Dice, blocktimeMs: number): number {
  const factor = dice.pick([1, 1, 50, 1 / 50, 50 ** (dice.between(-100, 100) / 100)])
  return Math.max(1, Math.round(blocktimeMs * factor))
}

/** Sends have a cap, which every price obeys, and nothing is canceled in the end. */
export function withFeeAboveCap<S extends Scenario>(scenario: S): S {
  const { kind, fees, reserve, policies, restores } = scenario
  if (kind.isFcfs || fees.isFree || reserve || restores.length > 0) return scenario
  const gasPriceCap = policies.gasPriceCap ?? 3n * fees.firstBaseFee
  return {
    ...scenario,
    ending: 'drain',
    isFeeAboveCap: true,
    policies: { ...policies, gasPriceCap },
    brokenEnd: undefined,
  }
}

/** Nothing is canceled in the end, and the order stays as it is. */
export function withHeldBack(scenario: Scenario): Scenario {
  if (scenario.kind.switchesOrder || scenario.fees.isFree) return scenario
  return { ...scenario, ending: 'drain', isHeldBack: true, brokenEnd: undefined }
}

// Draws worlds with short blocks: rollups whose blocks come every 200 ms, for good or for a while, and an endpoint with two backends.
import type { Dice } from '../../tooling/dice.ts'
import { ethereum } from '../chain/sequencer.ts'
import type { Base } from './base.ts'
import type { FinalityWorld } from './finality.ts'
import type { PaceChange, Rollup, Scenario } from './scenario.ts'

const shortMs = 200
/** The confirmations that clients use on Base. */
const rollupConfirmations = 12
/** A reorganization takes back no block that is safe. */
const unsafeMs = 70_000

export function withFastBlocks<S extends Scenario>(scenario: S, dice: Dice | undefined): S {
  if (!dice) return scenario
  const rollup = drawRollup(dice)
  const failover = { at: dice.between(20, 80) / 100, ms: dice.between(30_000, 60_000) }
  const signatureMs = dice.chance(0.5) ? 20 : undefined
  const latenciesMs = scenario.profiles.map(() => dice.pick([25, 250, 500, 1_000]))
  const configuredBlocktimeMs = dice.pick([shortMs, 2_000, 12_000])
  return {
    ...asRollup(scenario, shortMs, dice),
    ...{ blocktimeMs: shortMs, configuredBlocktimeMs, latenciesMs },
    // After a restore it would take back transactions that the copy does not hold.
    rollup: scenario.restores.length > 0 ? rollup : { ...rollup, failover },
    ...(signatureMs !== undefined && { signatureMs, signerChanges: scenario.signerChanges ?? 0 }),
  }
}

export function withPaceChange<S extends Scenario>(scenario: S, dice: Dice | undefined): S {
  if (!dice || scenario.rollup) return scenario
  const rollup = drawRollup(dice)
  const atBlock = dice.between(10, 40)
  if (dice.chance(0.3)) {
    const paceChange = { atBlock: 10 * atBlock, blocktimeMs: 12_000, lastsMs: Number.POSITIVE_INFINITY }
    const configuredBlocktimeMs = dice.pick([shortMs, 2_000])
    return {
      ...asRollup(scenario, shortMs, dice),
      ...{ blocktimeMs: shortMs, configuredBlocktimeMs, rollup: { ...rollup, stepMs: 4_000 }, paceChange },
    }
  }
  const paceChange: PaceChange = { atBlock, blocktimeMs: shortMs, lastsMs: dice.between(60_000, 120_000) }
  return {
    ...asRollup(scenario, 2_000, dice),
    ...{ blocktimeMs: 2_000, configuredBlocktimeMs: 2_000, rollup, paceChange },
  }
}

/** A single endpoint, and no reorganization: none may be counted. */
export function withBlindBackends<S extends Base>(scenario: S, dice: Dice | undefined): S {
  const [profile] = scenario.profiles
  if (!dice || !profile) return scenario
  const { weights } = scenario
  return {
    ...scenario,
    ...{ blocktimeMs: shortMs, configuredBlocktimeMs: shortMs, behindBlocks: dice.between(1, 10) },
    ...{ profiles: [profile], reorgMax: 0 },
    weights: { ...weights, reorg: 0, lag: 0, revert: Math.max(weights.revert, 6) },
  }
}

function drawRollup(dice: Dice): Rollup {
  const showsDepositNonce = dice.chance(0.5)
  return { stepMs: 2_000, showsDepositNonce, ownDeposits: dice.chance(0.1) ? dice.pick([0.005, 0.02]) : 0 }
}

/** One pool behind all nodes, a fee on L1, and finality by a tag. The relayers have no limit in flight but their windows. No node lies. */
function asRollup<S extends Scenario>(scenario: S, blocktimeMs: number, dice: Dice): S {
  const { fees, profiles: nodes, policies, ending, gaps, weights, brokenEnd } = scenario
  const safe = Math.ceil(unsafeMs / blocktimeMs)
  const finality: FinalityWorld = {
    rule: 'finalized',
    lags: { safe, finalized: safe + dice.between(0, 50) },
    ...{ strideBlocks: dice.pick([1, 10]), answers: nodes.map(() => 'block'), stops: 0, safeReorgs: 0, rowsMax: 500 },
  }
  return {
    ...withoutFork(scenario),
    ...{ kind: { ...ethereum, hasSequencer: true, hasL1Fee: !fees.isFree }, custody: undefined, finality },
    ...{ liar: undefined, brokenEnd: brokenEnd === 'liar' ? undefined : brokenEnd },
    confirmations: rollupConfirmations,
    policies: { ...policies, maxInFlight: undefined, gasPriceCap: undefined },
    ending: ending === 'plateau' ? 'cancelAll' : ending,
    gaps: { ...gaps, pendingCounts: nodes.map(() => 'pool') },
    weights: { ...weights, foreign: Math.max(weights.foreign, 4) },
  }
}

function withoutFork<S extends Scenario>(scenario: S): S {
  const { gasFork: _, reserve: __, emptySlots: ___, ...others } = scenario
  return others as S
}

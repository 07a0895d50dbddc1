// What a seed decides before anything happens.
import type { Dice } from '../../tooling/dice.ts'
import { allAnswered } from '../outcomes.ts'
import { drawBase, withOperator } from './base.ts'
import {
  drawKind,
  drawPace,
  misconfigured,
  withEmptySlots,
  withFeeAboveCap,
  withFinality,
  withGasFork,
  withHeldBack,
  withKind,
  withReserve,
} from './draw-chain.ts'
import {
  drawBulkObjects,
  drawBulkPreviews,
  drawCostBounds,
  drawCreations,
  drawExternalIds,
  drawFourEyes,
  drawHolds,
  drawNetworkPauses,
  drawSweeps,
} from './draw-clients.ts'
import { drawEstimates, drawGaps, drawLatencies, drawOneLiar, drawSendOutcomeOdds, drawWeights } from './draw-faults.ts'
import {
  drawAnyRestores,
  drawBrokenEnd,
  drawCustody,
  drawPresigning,
  drawReplicas,
  drawRestore,
} from './draw-processes.ts'
import { withBlindBackends, withFastBlocks, withPaceChange } from './draw-rollup.ts'
import type { Drawn, Feature } from './features.ts'
import { drawFees } from './fees.ts'
import type { Scenario } from './scenario.ts'

/** Draws all options of a seed. Each seed leaves some actions out and repeats others more often, so that rare combinations happen. */
export function drawScenario(streamOf: (name: string) => Dice, odds: Drawn): Scenario {
  const isFeeAboveCap = streamOf('feeAboveCap').chance(odds.feeAboveCap)
  const isHeldBack = streamOf('heldBack').chance(odds.heldBack)
  const scenario = drawOthers(streamOf, odds)
  if (isHeldBack && scenario.kind.isFcfs) return withHeldBack(scenario)
  return isFeeAboveCap ? withFeeAboveCap(scenario) : scenario
}

function drawOthers(streamOf: (name: string) => Dice, odds: Drawn): Scenario {
  const [sharing, pacing] = [streamOf('replicas'), streamOf('pace')]
  const has = (feature: Feature): Dice | undefined => {
    const dice = streamOf(feature)
    return dice.chance(odds[feature]) ? dice : undefined
  }
  const prices = drawFees(has)
  const doubts = has('doubtfulSends')
  const sendOutcomeOdds = doubts ? drawSendOutcomeOdds(doubts) : allAnswered
  // A payload that is invalid after a lost answer ends in its own way.
  const invalidPayloads = doubts?.chance(0.5) ? 2 : 0.3
  const anyRestores = has('anyRestores')
  const restores = anyRestores ? drawAnyRestores(anyRestores) : drawRestore(streamOf('restore'))
  const paced = drawPace(pacing, drawBase(streamOf('scenario'), restores, prices))
  const operated = withOperator(paced, streamOf('operator'), streamOf('skipping'))
  const isRollup = has('fastBlocks') ?? has('paceChange')
  const blind = isRollup ? undefined : has('blindBackends')
  const drawn = blind ? withBlindBackends(paced, blind) : withFinality(operated, has('finality'))
  const remoteSigners = has('remoteSigners')?.pick([0.05, 0.2])
  const presign = remoteSigners === undefined ? undefined : drawPresigning(has('presign'))
  // With a fee for data on L1, payloads wait for money rather than for keys.
  const custody = (remoteSigners ?? has('l1Fee')) === undefined ? drawCustody(has('custody')) : undefined
  const signing = {
    signerChanges: remoteSigners ?? custody?.signerChanges,
    custody,
    presign,
  }
  const repeatsPayloads = has('samePayloads') !== undefined
  const unkind = {
    ...drawn,
    sendOutcomeOdds,
    invalidPayloads,
    repeatsPayloads,
    ...signing,
    gaps: drawGaps(streamOf('gaps'), drawn),
  }
  const forking = withGasFork(withKind(unkind, drawKind(has, unkind)), has('gasFork'))
  const shaped = withEmptySlots(withReserve(forking, has('reserve')), blind ? undefined : has('emptySlots'))
  const operating = {
    ...shaped,
    ...drawNetworkPauses(has('networkPauses')),
    ...drawHolds(has('sendHolds')),
    ...drawFourEyes(has('fourEyes')),
  }
  const truthful = {
    ...operating,
    ...drawExternalIds(has('labels'), operating),
    ...drawCreations(has('creations'), operating),
    ...drawSweeps(has('sweeps')),
    ...drawCostBounds(has('costLimits')),
    ...drawBulkObjects(has('bulkObjects'), has('bulkTerms')),
    ...drawBulkPreviews(has('bulkPreviews')),
    ...drawEstimates(has('estimates')),
    ...(has('surveys') && { surveys: true as const }),
    ...(has('foreignLooks') && { foreignLooks: true as const }),
    ...drawLatencies(has('latencies'), shaped.profiles),
  }
  const liar = blind ? undefined : drawOneLiar(has, streamOf('far counts'), truthful)
  const base = { ...truthful, liar, nodeWeights: drawWeights(has('weights'), truthful.profiles.length, liar) }
  const replicas = restores.length > 0 ? undefined : drawReplicas(sharing)
  const broken = has('brokenEnd')
  const whole = (scenario: Scenario) => withPaceChange(withFastBlocks(scenario, has('fastBlocks')), has('paceChange'))
  if (!replicas) return whole({ ...base, replicas, brokenEnd: drawBrokenEnd(broken, { ...base, replicas }) })
  const shared = { ...base, replicas, relayers: sharing.pick([1, 2, 2]) }
  const brokenEnd = drawBrokenEnd(broken, shared)
  if (blind) return { ...shared, brokenEnd }
  // Replicas poll all the time, so a run with short blocks is cheaper.
  const blocktimeMs = sharing.pick([1_000, 2_000])
  return whole({ ...shared, brokenEnd, blocktimeMs, configuredBlocktimeMs: misconfigured(pacing, blocktimeMs) })
}

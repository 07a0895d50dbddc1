// One step of a run: each feature has its chance, one action happens, and time passes.

import { act, boundOne, cancelSome, sweepOne } from './act.ts'
import { drawOutage } from './chain/failing-estimates.ts'
import { varyFourEyes } from './four-eyes.ts'
import { varyHolds } from './holds.ts'
import { takeBackSafe } from './mining.ts'
import { oneEvent, until } from './pass-time.ts'
import { varyPreviews } from './previews.ts'
import { outageBehaviors, signerBehaviors } from './process/signers.ts'
import { dropUnseen } from './restore.ts'
import { droughtKinds } from './scenario/fees.ts'
import type { Service } from './service.ts'
import { varyTags } from './tags.ts'
import type { World } from './world.ts'

export async function takeStep(world: World, service: Service): Promise<void> {
  const { dice, timeline, history, scenario } = world
  const { replicas } = scenario
  beginDrought(world)
  varyTags(world)
  varyEstimates(world)
  varySigners(world)
  varyPresigning(world, service)
  varySweeps(world, service)
  varyBulkObjects(world, service)
  varyBulkPauses(world, service)
  varyPreviews(world, service)
  varyNetworkPauses(world, service)
  varyCostBounds(world, service)
  varyHolds(world, service)
  varyFourEyes(world, service)
  takeBackSafe(world)
  const action =
    replicas && dice.chance(replicas.share) ? dice.weighted(replicas.weights) : dice.weighted(scenario.weights)
  // Half of the time it happens between two turns of an engine that is at work.
  if (dice.chance(0.5)) timeline.interject(dice.between(1, 12), () => act(world, service, action))
  else {
    act(world, service, action)
    dropUnseen(world)
    await timeline.rest()
    world.look()
  }
  if (dice.chance(0.6)) {
    for (let left = dice.pick([1, 1, 2, 3, 5, 8]); left > 0 && !history.failure(); left -= 1) await oneEvent(world)
  } else {
    await until(world, timeline.now() + dice.below(scenario.rollup?.stepMs ?? scenario.blocktimeMs))
  }
}

function beginDrought({ scenario, feesDice, state, timeline, history, marks }: World): void {
  const { droughts } = scenario.fees
  if (droughts === 0 || state.drought || !feesDice.chance(droughts)) return
  const kind = feesDice.pick(droughtKinds)
  const blocks = feesDice.between(20, 120)
  state.drought =
    kind === 'blocks' ? { kind, untilMs: timeline.now() + blocks * state.blocktimeMs } : { kind, blocksLeft: blocks }
  marks.inRace('drought-in-a-race')
  history.note(
    `for ${blocks} ${kind === 'blocks' ? 'block times no block is made' : `blocks nothing of ${kind} is mined`}`,
  )
}

/** Begins and ends times in which no node estimates a call. */
function varyEstimates({ scenario, estimateDice, state, timeline, history, marks }: World): void {
  if (!scenario.estimates) return
  const { estimateOutage: outage } = state
  if (outage && outage.untilMs > timeline.now()) return
  state.estimateOutage = undefined
  if (!estimateDice.chance(scenario.estimates.outages)) return
  state.estimateOutages += 1
  const began = drawOutage(estimateDice, timeline.now(), state.estimateOutages)
  state.estimateOutage = began
  marks.note('no-estimates')
  history.note(
    `for ${began.untilMs - timeline.now()} ms every estimate fails: ${began.errors.map((each) => each.message)}`,
  )
}

function varySigners({ scenario, signersDice, state, history, marks }: World): void {
  if (scenario.signerChanges === undefined || !signersDice.chance(scenario.signerChanges) || state.outageLeft > 0)
    return
  state.signerBehavior = signersDice.chance(0.4) ? 'fine' : signersDice.pick(signerBehaviors)
  if (state.signerBehavior !== 'fine') marks.inRace('signer-fails-in-a-race')
  history.note(`the service that holds the keys: ${state.signerBehavior}`)
}

/** Begins and ends long outages of the key service, and changes the policy `presign_cancel`. */
function varyPresigning({ scenario, presignDice, state, history }: World, service: Service): void {
  const { presign } = scenario
  if (!presign) return
  if (state.outageLeft > 0) {
    state.outageLeft -= 1
    if (state.outageLeft === 0) state.signerBehavior = 'fine'
  } else if (presignDice.chance(presign.outages)) {
    state.signerBehavior = presignDice.pick(outageBehaviors)
    state.outageLeft = presignDice.between(20, 80)
    history.note(`for ${state.outageLeft} steps the service that holds the keys: ${state.signerBehavior}`)
  }
  if (!presignDice.chance(0.01)) return
  state.presign = presignDice.pick([0, 1, 2, presign.levels])
  history.note(`presign_cancel is ${state.presign}`)
  service.patch()
}

/** An operator sweeps accounts, and ends the pauses again. */
function varySweeps(world: World, service: Service): void {
  const { scenario, sweepDice, state } = world
  const { sweeps } = scenario
  if (sweeps === undefined) return
  if (sweepDice.chance(sweeps)) sweepOne(world, service)
  else if (sweepDice.chance(sweeps / 2) && !state.policies.paused.includes(true)) service.patch()
}

/** An operator cancels what a filter matches. */
function varyBulkObjects(world: World, service: Service): void {
  const { scenario, bulkDice, timeline } = world
  const { bulkObjects } = scenario
  if (bulkObjects === undefined || !bulkDice.chance(bulkObjects)) return
  // Half of the time it happens between two turns of an engine that is at work.
  if (bulkDice.chance(0.5)) timeline.interject(bulkDice.between(1, 12), () => cancelSome(world, service))
  else cancelSome(world, service)
}

/** An operator ends the pauses of bulk cancellations. */
function varyBulkPauses({ scenario, bulkTermsDice, state }: World, service: Service): void {
  if (scenario.bulkTerms === undefined || !bulkTermsDice.chance(0.02)) return
  if (!state.policies.paused.includes(true)) service.patch()
}

/** An operator pauses the whole network, and lifts that, beside the pauses of its relayers. */
function varyNetworkPauses({ scenario, networkDice }: World, service: Service): void {
  const { networkPauses } = scenario
  if (networkPauses === undefined || !networkDice.chance(networkPauses)) return
  service.pauseNetwork(networkDice.chance(0.5))
}

/** Bulk cancellations with a limit of cost, and plain ones that lift their bounds. */
function varyCostBounds(world: World, service: Service): void {
  const { scenario, boundDice } = world
  if (scenario.costBounds !== undefined && boundDice.chance(scenario.costBounds)) boundOne(world, service)
}

// One seed, from its first step to the end of everything it began.
import { act, boundOne, cancelSome, sweepOne } from './act.ts'
import { breakForGood, lacksSignature, rowsToEnd, takeBackQueue } from './broken-end.ts'
import { accountAt } from './chain/blocks.ts'
import { tagsOf } from './chain/transaction.ts'
import { type Figures, figuresOf } from './check/figures.ts'
import { demandGas } from './check/gas.ts'
import { demandNothingWaits, demandRaces, outageBlocks } from './check/signers.ts'
import { approveHeld, varyFourEyes } from './four-eyes.ts'
import { releaseHeld, varyHolds } from './holds.ts'
import type { Mark } from './marks/marks.ts'
import { beginGasFork, keepMining, takeBackSafe } from './mining.ts'
import { openService } from './open-service.ts'
import { openWorld } from './open-world.ts'
import { varyPreviews } from './previews.ts'
import type { Disk } from './process/database.ts'
import { epochMs } from './process/engine.ts'
import { signerBehaviors } from './process/signers.ts'
import { type Backup, backUp, downMs, dropUnseen, restore, takeBackLater } from './restore.ts'
import { type Drawn, drawnUsually } from './scenario/features.ts'
import { droughtKinds } from './scenario/fees.ts'
import { inWords } from './scenario/policies.ts'
import type { BrokenPart, Restore } from './scenario/scenario.ts'
import type { Service } from './service.ts'
import {
  askForTheRest,
  boundBlocks,
  calm,
  demandProgress,
  gapFillersBelowFalseCount,
  giveUpWaiting,
  openRows,
  permitGapFillers,
  refillSwept,
  standingStill,
  steerBaseFee,
  unusedNonces,
} from './settle.ts'
import { varyTags } from './tags.ts'
import type { World } from './world.ts'

export interface Outcome {
  readonly seed: number
  readonly steps: number
  /** What broke, and when: in this step, or after the last one. */
  readonly failure?: { readonly what: string; readonly step: number | 'afterwards' }
  /** The end of the history, if it failed. */
  readonly tail: readonly string[]
  /** Of the whole history: the same seed gives the same. */
  readonly hash: string
  readonly events: number
  readonly transactions: number
  /** Blocks from the end of the faults to the end of the last transaction. */
  readonly blocksToEnd: number
  readonly bound: number
  readonly figures: Figures
  /** The marks that it reached (sim/marks/marks.ts). */
  readonly marks: readonly Mark[]
  /** What stayed broken at the end. */
  readonly brokenEnd?: BrokenPart
}

export async function runSeed(
  disk: Disk,
  {
    seed,
    steps,
    print,
    drawn = drawnUsually,
  }: { seed: number; steps: number; print?: (line: string) => void; drawn?: Drawn },
): Promise<Outcome> {
  const world = openWorld(seed, disk, print, drawn)
  const { history, timeline } = world
  const service = openService(world)
  const stray = (error: unknown) =>
    history.fail(`nobody handles ${error instanceof Error ? error.stack : String(error)}`)
  process.on('unhandledRejection', stray)
  let step: number | 'afterwards' = 0
  let settled = { blocks: 0, bound: 0 }
  try {
    keepMining(world)
    service.start()
    await timeline.rest()
    const backups = new Map<Restore, Backup>()
    for (step = 0; step < steps && !history.failure(); step += 1) {
      for (const each of world.scenario.restores) {
        if (step === Math.floor(each.copied * steps)) {
          backups.set(each, backUp(world))
          if (each.takesBack) takeBackLater(world, service)
        }
        const backup = backups.get(each)
        if (backup && step === Math.floor(each.putBack * steps)) await putBack(world, service, backup, each)
      }
      if (step === Math.floor((world.scenario.gasFork?.at ?? 1) * steps)) approachFork(world, service)
      await oneStep(world, service)
    }
    if (!history.failure()) {
      step = 'afterwards'
      settled = await settle(world, service)
    }
  } catch (error) {
    history.fail(`the simulator itself failed: ${error instanceof Error ? error.stack : String(error)}`)
  } finally {
    service.close()
    await timeline.rest()
    process.off('unhandledRejection', stray)
  }
  const what = history.failure()
  return {
    seed,
    steps,
    ...(what !== undefined && { failure: { what, step } }),
    tail: what === undefined ? [] : [describe(world), ...history.last(60), ...inventory(world)],
    hash: history.hash(),
    events: timeline.events(),
    transactions: world.rows.all().size,
    blocksToEnd: settled.blocks,
    bound: settled.bound,
    figures: figuresOf(world.blocks, world.rows.all(), world.addresses, world.scenario.blocktimeMs),
    marks: world.marks.reached(),
    ...(world.scenario.brokenEnd !== undefined && { brokenEnd: world.scenario.brokenEnd }),
  }
}

async function putBack(world: World, service: Service, backup: Backup, each: Restore): Promise<void> {
  const { timeline, history } = world
  timeline.interject(0, () => undefined)
  service.stop()
  await timeline.rest()
  world.look()
  await until(world, timeline.now() + downMs(each, world.scenario.blocktimeMs))
  if (!history.failure()) restore(world, service, backup)
  await timeline.rest()
}

async function oneStep(world: World, service: Service): Promise<void> {
  const { dice, timeline, history, scenario } = world
  const { replicas } = scenario
  beginDrought(world)
  varyTags(world)
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
    await until(world, timeline.now() + dice.below(scenario.blocktimeMs))
  }
}

/** With some in flight. */
function approachFork(world: World, service: Service): void {
  beginGasFork(world)
  for (let left = world.dice.between(0, 6); left > 0; left -= 1) act(world, service, 'send')
}

function beginDrought({ scenario, feesDice, state, timeline, history, marks }: World): void {
  const { droughts } = scenario.fees
  if (droughts === 0 || state.drought || !feesDice.chance(droughts)) return
  const kind = feesDice.pick(droughtKinds)
  const blocks = feesDice.between(20, 120)
  state.drought =
    kind === 'blocks' ? { kind, untilMs: timeline.now() + blocks * scenario.blocktimeMs } : { kind, blocksLeft: blocks }
  marks.inRace('drought-in-a-race')
  history.note(
    `for ${blocks} ${kind === 'blocks' ? 'block times no block is made' : `blocks nothing of ${kind} is mined`}`,
  )
}

function varySigners({ scenario, signersDice, state, history, marks }: World): void {
  if (scenario.signerChanges === undefined || !signersDice.chance(scenario.signerChanges) || state.outageLeft > 0)
    return
  state.signerBehavior = signersDice.chance(0.4) ? 'fine' : signersDice.pick(signerBehaviors)
  if (state.signerBehavior !== 'fine') marks.inRace('signer-fails-in-a-race')
  history.note(`the service that holds the keys: ${state.signerBehavior}`)
}

const outages = ['hangs', 'fails', 'refuses', 'wrongKey'] as const

/** The policy is changed now and then, and clients go on to cancel while the keys are out of reach for long. */
function varyPresigning({ scenario, presignDice, state, history }: World, service: Service): void {
  const { presign } = scenario
  if (!presign) return
  if (state.outageLeft > 0) {
    state.outageLeft -= 1
    if (state.outageLeft === 0) state.signerBehavior = 'fine'
  } else if (presignDice.chance(presign.outages)) {
    state.signerBehavior = presignDice.pick(outages)
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

/** A part that waited may have paused its relayer, and set bounds of cost, only now. */
function endBulkTerms(world: World, service: Service): void {
  const { scenario, state, machine } = world
  if (scenario.bulkTerms === undefined) return
  liftCostBounds(world, service)
  const paused = machine.disk.committed<[], { id: string }>('SELECT id FROM relayers WHERE paused = 1')()
  if (paused.some(({ id }) => !state.policies.paused[Number(id.slice(1))])) service.patch()
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

/** A race that waits at its bound may wait for ever. */
function liftCostBounds({ rows, scenario }: World, service: Service): void {
  if (scenario.costBounds === undefined && scenario.bulkTerms === undefined && scenario.bulkPreviews === undefined)
    return
  for (const row of rows.all().values()) {
    if (row.open === 1 && row.cancel_cost_max !== null) service.cancel(Number(row.relayer_id.slice(1)), row.id)
  }
}

/** Where all is canceled, the network may stay paused: cancellations go on. */
function endNetworkPauses({ scenario, networkDice }: World, service: Service): void {
  if (scenario.networkPauses === undefined) return
  service.pauseNetwork(scenario.ending !== 'drain' && networkDice.chance(0.5))
}

/** Clients send, and take everything back as soon as the keys are out of reach. */
async function sendSome(world: World, service: Service): Promise<void> {
  const { scenario, presignDice, timeline } = world
  if (!scenario.presign) return
  await until(world, timeline.now() + breakerMs)
  for (let count = presignDice.between(2, 8); count > 0; count -= 1) act(world, service, 'send')
  await until(world, timeline.now() + presignDice.between(200, 4_000))
}

/** The keys stay out of reach when nothing else is wrong any more. */
async function outlastOutage(world: World, service: Service): Promise<void> {
  const { scenario, signersDice, state, history, blocks } = world
  if (scenario.signerChanges === undefined) return
  state.outageLeft = 0
  state.signerBehavior = 'fine'
  await sendSome(world, service)
  state.signerBehavior = signersDice.pick(outages)
  history.note(`nothing else is wrong; the service that holds the keys: ${state.signerBehavior}`)
  if (scenario.presign && world.presignDice.chance(0.7)) {
    for (let relayer = 0; relayer < scenario.relayers; relayer += 1) service.cancelPending(relayer)
  }
  const ends = blocks.canonical().number + outageBlocks(world)
  let height = blocks.canonical().number
  while (!history.failure() && height < ends) {
    await oneEvent(world)
    const { number } = blocks.canonical()
    if (number !== height) steerBaseFee(world)
    height = number
  }
  demandNothingWaits(world)
  demandRaces(world)
  state.signerBehavior = 'fine'
  history.note('the service that holds the keys: fine')
  await until(world, world.timeline.now() + breakerMs)
}

/** The longest pause of the breaker, and a try. */
const breakerMs = 63_000

async function until(world: World, timeMs: number): Promise<void> {
  const { timeline, history } = world
  while ((timeline.nextAt() ?? Number.POSITIVE_INFINITY) <= timeMs && !history.failure()) await oneEvent(world)
  timeline.pass(timeMs)
}

async function oneEvent(world: World): Promise<void> {
  await world.timeline.next()
  dropUnseen(world)
  world.look()
}

/** A look each second, and room for a start. */
const announcedWithinMs = 5_000

async function settle(world: World, service: Service): Promise<{ blocks: number; bound: number }> {
  const { timeline, blocks, history } = world
  timeline.interject(0, () => undefined)
  await timeline.rest()
  calm(world, service)
  // Long enough for whoever drains or starts to be there, and for zombies to be gone.
  await until(world, timeline.now() + 25_000)
  while (!service.up() && !history.failure()) await oneEvent(world)
  if (world.scenario.liar?.kind === 'highCount') permitGapFillers(world, service)
  if (world.scenario.sweeps !== undefined || world.scenario.bulkTerms !== undefined) service.patch()
  endNetworkPauses(world, service)
  liftCostBounds(world, service)
  await outlastOutage(world, service)
  breakForGood(world, service)
  // Where blocks are fast, whoever drains may take as many as all that comes after.
  const began = blocks.canonical().number
  askForTheRest(world, service)
  await timeline.rest()
  world.look()
  const expected = openRows(world) + unusedNonces(world)
  const gapFillers = gapFillersBelowFalseCount(world)
  let bound = boundBlocks(world, expected)
  const half = bound >> 1
  let height = -1
  let still: ReadonlyMap<string, string> = new Map()
  const isSigned = world.scenario.brokenEnd !== 'signer'
  const isOver = () => openRows(world) === 0 || (!isSigned && height - began > half && rowsToEnd(world).length === 0)
  while (!history.failure() && !isOver()) {
    await oneEvent(world)
    const { number } = blocks.canonical()
    if (number === height) continue
    height = number
    releaseHeld(world, service)
    approveHeld(world, service)
    bound = Math.max(bound, boundBlocks(world, expected + gapFillersBelowFalseCount(world) - gapFillers))
    steerBaseFee(world)
    refillSwept(world)
    endBulkTerms(world, service)
    const since = number - began - half
    if (since === -(half >> 1)) still = standingStill(world)
    if (since === 0) {
      takeBackQueue(world, service)
      demandExpiries(world)
      demandGas(world)
      demandProgress(world, still)
    }
    // Now and then again: some begin to wait only then.
    if (since >= 0 && since % 16 === 0) bound += giveUpWaiting(world, service)
    if (number - began <= bound) continue
    const left = rowsToEnd(world)
    const reported = left.map(
      (row) => `${row.id.slice(-6)} ${row.status} ${row.phase} ${row.nonce} "${row.wait_text ?? row.status_reason}"`,
    )
    history.fail(
      `${bound} blocks after the faults stopped, ${left.length} have not ended: ${reported.slice(0, 5).join('; ')}`,
    )
  }
  const ended = blocks.canonical().number - began
  if (world.scenario.bulkObjects !== undefined && !history.failure()) {
    await until(world, timeline.now() + announcedWithinMs)
    world.rows.settled()
  }
  world.truth.recheck()
  demandVerdicts(world)
  return { blocks: ended, bound }
}

function demandVerdicts(world: World): void {
  const { rows, clients, history } = world
  for (const [id, { tag }] of clients.accepted) {
    const row = rows.all().get(id)
    if (!row || (row.open === 1 && !lacksSignature(world, row))) history.fail(`${id.slice(-6)} (${tag}) never ended`)
  }
  for (const { id, tag } of clients.replaced) {
    const row = rows.all().get(id)
    if (row && !tagsOf(row).includes(tag)) history.fail(`${id.slice(-6)} forgot its payload ${tag}, put in by a PUT`)
  }
}

/**
 * The engine ends an expired transaction soon. One that a lost history may have sent ends after the history check, and one whose
 * nonce is spent by what the chain shows.
 */
function demandExpiries({ rows, scenario, machine, timeline, history }: World): void {
  const since = epochMs + timeline.now() + machine.skewMs() - 20 * scenario.blocktimeMs
  const all = [...rows.all().values()]
  // Only the first of a queue reports the check that holds up all of it.
  const checked = new Set(all.flatMap((row) => (row.wait_condition === 'history_unknown' ? [row.relayer_id] : [])))
  for (const row of all) {
    const { id, open, phase, valid_until: end, canceled_at: taken, wait_condition: condition } = row
    if (open === 0 || phase === 'mined' || end === null || end > since || taken !== null) continue
    if (checked.has(row.relayer_id) || condition === 'nonce_unproven') continue
    history.fail(`${id.slice(-6)} has expired long ago, and is not taken back: "${row.wait_text ?? row.status_reason}"`)
  }
}

function describe({ scenario }: World): string {
  const { kind, finality, ...rest } = scenario
  const { replicas, profiles, relayers, policies, reorgMax, confirmations, blocktimeMs, ending, gaps, fees } = rest
  return [
    `nodes ${profiles.map(({ client }) => client).join(', ')}`,
    `pending counts by ${gaps.pendingCounts}, ${gaps.tightGapFillers} of 16 gap fillers too tight`,
    `${relayers} relayers, ${inWords(policies)}`,
    `reorgs to ${reorgMax}, ${confirmations} confirmations${finality ? `, final by ${finality.rule}; tags ${finality.lags.safe} and ${finality.lags.finalized} behind, answered with ${finality.answers}` : ''}`,
    `a block each ${blocktimeMs} ms, configured as ${scenario.configuredBlocktimeMs}`,
    `ending ${ending}`,
    ...(rest.signerChanges === undefined ? [] : ['keys in a service']),
    ...(rest.custody ? [`it has ${rest.custody.kind}`] : []),
    ...(rest.presign ? [`${rest.presign.levels} no-ops are pre-signed for each nonce`] : []),
    ...(rest.bulkShare ? [`a queue is canceled in shares of ${rest.bulkShare.transactions}`] : []),
    ...(kind.isFcfs ? ['first come, first served'] : kind.hasSequencer ? ['one pool'] : []),
    ...(kind.hasL1Gas ? ['gas with a part for L1'] : []),
    ...(kind.hasL1Fee ? ['a fee for L1 beside gas'] : []),
    ...(fees.isFree ? ['gas is free'] : []),
    ...(rest.gasFork ? ['a fork of gas rules'] : []),
    ...(rest.sweeps ? ['accounts are swept'] : []),
    ...(rest.costBounds ? ['cancellations have bounds of cost'] : []),
    ...(rest.externalIds ? [`sends have one of ${rest.externalIds} external ids`] : []),
    ...(rest.fourEyes ? ['two keys stand behind each payload'] : []),
    ...(rest.holds ? ['some sends are on hold'] : []),
    ...(rest.bulkObjects ? ['bulk cancellations have filters'] : []),
    ...(rest.bulkTerms ? ['some of them have a limit of cost, or pause'] : []),
    ...(rest.bulkPreviews ? ['clients look before they cancel'] : []),
    ...(rest.networkPauses ? ['the network is paused now and then'] : []),
    ...(rest.surveys ? ['idle relayers are looked at'] : []),
    ...(rest.reserve ? [`a reserve of ${rest.reserve.reserve} wei, at first ${fees.balance}`] : []),
    `traffic ${fees.traffic}; tips from ${fees.poolTipMin} in pools, from ${fees.builderTipMin} in blocks; in the end ${fees.finalBalance} wei`,
    ...(replicas ? [`${replicas.atFirst} replicas at first, at most ${replicas.most}`] : []),
  ].join('; ')
}

/** What the chain and the pools hold of each relayer. */
function inventory({ addresses, blocks, nodes }: World): readonly string[] {
  return addresses.map((address, index) => {
    const { nonce } = accountAt(blocks.canonical(), address)
    const pools = nodes.map(({ profile, pool }) => {
      const held = [...(pool.bySender.get(address)?.values() ?? [])].sort((one, other) => one.nonce - other.nonce)
      const shown = held.map(({ nonce: at, hash, cap, tip }) => `${at}=${hash.slice(2, 8)} (${cap}, ${tip})`)
      return `${profile.client} [${shown.join(', ')}]`
    })
    return `r${index} is at nonce ${nonce}; pools: ${pools.join('; ')}`
  })
}

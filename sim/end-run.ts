// The end of a run: the faults stop, and every transaction has to end, truly and within a bound of blocks.

import { act } from './act.ts'
import {
  boundBlocks,
  cancelTheRest,
  demandProgress,
  gapFillersBelowFalseCount,
  giveUpWaiting,
  openRows,
  permitGapFillers,
  refillSwept,
  standingStill,
  steerBaseFee,
  stopFaults,
  unusedNonces,
} from './after-faults.ts'
import { breakForGood, lacksSignature, outlastLiar, rowsToEnd, takeBackQueue } from './broken-end.ts'
import { ancestorAt } from './chain/blocks.ts'
import { tagsOf } from './chain/transaction.ts'
import { watchFailingCalls } from './check/failing-calls.ts'
import { lookedWithinMs } from './check/foreign-uses.ts'
import { demandGas } from './check/gas.ts'
import { watchPromptNoOps } from './check/prompt-no-ops.ts'
import { demandNothingWaits, demandRaces, outageBlocks } from './check/signers.ts'
import { watchWaits } from './check/waits.ts'
import { outlastFeeAboveCap } from './fee-above-cap.ts'
import { approveHeld } from './four-eyes.ts'
import { outlastHeldBack } from './held-back.ts'
import { releaseHeld } from './holds.ts'
import { hasLie } from './lies/lie.ts'
import { oneEvent, until } from './pass-time.ts'
import { epochMs } from './process/engine.ts'
import { outageBehaviors } from './process/signers.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

export async function endRun(world: World, service: Service): Promise<{ blocks: number; bound: number }> {
  const { timeline, blocks, history } = world
  timeline.interject(0, () => undefined)
  await timeline.rest()
  stopFaults(world, service)
  // By then processes have shut down and started, and resumed ones have ended.
  await until(world, timeline.now() + 25_000)
  while (!service.up() && !history.failure()) await oneEvent(world)
  if (hasLie(world.scenario.liar, 'highCount')) permitGapFillers(world, service)
  if (world.scenario.sweeps !== undefined || world.scenario.bulkTerms !== undefined) service.patch()
  endNetworkPauses(world, service)
  liftCostBounds(world, service)
  await outlastOutage(world, service)
  await outlastFeeAboveCap(world, service)
  await outlastHeldBack(world, service)
  breakForGood(world, service)
  await outlastLiar(world, service)
  // Where blocks are fast, a shutdown takes many of them, so they count only from here on.
  const began = blocks.canonical().number
  const noOps = watchPromptNoOps(world)
  cancelTheRest(world, service)
  await timeline.rest()
  world.look()
  const expected = openRows(world) + unusedNonces(world)
  const gapFillers = gapFillersBelowFalseCount(world)
  let bound = boundBlocks(world, expected)
  const half = bound >> 1
  let height = -1
  let still: ReadonlyMap<string, string> = new Map()
  const waits = watchWaits(world)
  const isSigned = world.scenario.brokenEnd !== 'signer'
  const isOver = () => openRows(world) === 0 || (!isSigned && height - began > half && rowsToEnd(world).length === 0)
  const failingCalls = watchFailingCalls(world)
  while (!history.failure() && !isOver()) {
    await oneEvent(world)
    noOps.look()
    failingCalls.look()
    const { number } = blocks.canonical()
    if (number === height) continue
    height = number
    waits.look()
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
      (row) => `${row.id.slice(-6)} ${row.status} ${row.phase} ${row.nonce} ${row.wait_facts ?? row.status_reason}`,
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
  await demandForeignUses(world)
  world.truth.recheck()
  demandVerdicts(world)
  return { blocks: ended, bound }
}

/** Each foreign use is on record, once a look has come. A signer that is gone leaves rows that a history check would have to compare. */
async function demandForeignUses(world: World): Promise<void> {
  const { foreignUses, scenario, timeline, blocks, history } = world
  if (!foreignUses || history.failure()) return
  const through = ancestorAt(blocks.canonical(), Math.max(0, blocks.canonical().number - scenario.confirmations))
  if (scenario.brokenEnd === undefined) await until(world, timeline.now() + lookedWithinMs(scenario))
  foreignUses.check(scenario.brokenEnd === undefined ? through : undefined)
}

/** Ends pauses and limits of bulk cancellations, some of which may only begin now. */
function endBulkTerms(world: World, service: Service): void {
  const { scenario, state, machine } = world
  if (scenario.bulkTerms === undefined) return
  liftCostBounds(world, service)
  const paused = machine.disk.committed<[], { id: string }>('SELECT id FROM relayers WHERE paused = 1')()
  if (paused.some(({ id }) => !state.policies.paused[Number(id.slice(1))])) service.patch()
}

/** Cancels again without a limit: a race that waits at its limit may wait for ever. */
function liftCostBounds({ rows, scenario }: World, service: Service): void {
  if (scenario.costBounds === undefined && scenario.bulkTerms === undefined && scenario.bulkPreviews === undefined)
    return
  for (const row of rows.all().values()) {
    if (row.open === 1 && row.cancel_cost_max !== null) service.cancel(Number(row.relayer_id.slice(1)), row.id)
  }
}

/** Resumes the network. Where everything is canceled it may stay paused, since cancellations go on. */
function endNetworkPauses({ scenario, networkDice }: World, service: Service): void {
  if (scenario.networkPauses === undefined) return
  service.pauseNetwork(scenario.ending !== 'drain' && networkDice.chance(0.5))
}

/** Clients send a few transactions, and cancel them once the keys are out of reach. */
async function sendSome(world: World, service: Service): Promise<void> {
  const { scenario, presignDice, timeline } = world
  if (!scenario.presign) return
  await until(world, timeline.now() + breakerMs)
  for (let count = presignDice.between(2, 8); count > 0; count -= 1) act(world, service, 'send')
  await until(world, timeline.now() + presignDice.between(200, 4_000))
}

/** One more outage of the key service, when no other fault is left. */
async function outlastOutage(world: World, service: Service): Promise<void> {
  const { scenario, signersDice, state, history, blocks } = world
  if (scenario.signerChanges === undefined) return
  state.outageLeft = 0
  state.signerBehavior = 'fine'
  await sendSome(world, service)
  state.signerBehavior = signersDice.pick(outageBehaviors)
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

/** The longest pause of the circuit breaker and one call, in milliseconds. */
const breakerMs = 63_000

/** The service looks for finished bulk cancellations each second, in milliseconds with room for a start. */
const announcedWithinMs = 5_000

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
function demandExpiries({ rows, state, machine, timeline, history }: World): void {
  const since = epochMs + timeline.now() + machine.skewMs() - 20 * state.blocktimeMs
  const all = [...rows.all().values()]
  // Only the first of a queue reports the check that holds up all of it.
  const checked = new Set(all.flatMap((row) => (row.wait_condition === 'history_unknown' ? [row.relayer_id] : [])))
  for (const row of all) {
    const { id, open, phase, valid_until: end, canceled_at: taken, wait_condition: condition } = row
    if (open === 0 || phase === 'mined' || end === null || end > since || taken !== null) continue
    if (checked.has(row.relayer_id) || condition === 'nonce_unproven') continue
    history.fail(`${id.slice(-6)} has expired long ago, and is not taken back: ${row.wait_facts ?? row.status_reason}`)
  }
}

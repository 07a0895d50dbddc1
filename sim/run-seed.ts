// One run of the simulator: the service's own engine of src/ on a simulated chain, network, database and clock.
//
// 1. The seed draws the options of the run (scenario/scenario.ts): the chain, the nodes, the clients, the operator, the processes.
// 2. The world is built from them (open-world.ts), with the checks of check/, which read every request and every commit.
// 3. The service starts: one process, or several replicas on one database (open-service.ts).
// 4. Each step (step.ts) does something to it: a client sends or cancels, a node fails or lies, the chain reorganizes, a process
//    dies. Then time passes: the timeline runs the events that are due (timeline.ts).
// 5. The faults stop (end-run.ts). Every transaction must now end within a bound of blocks, and as the chain says.
// 6. The first failed check is the outcome. The same seed gives the same history again, event by event.

import { act } from './act.ts'
import { describe, inventory } from './describe.ts'
import { endRun } from './end-run.ts'
import type { Mark } from './marks/marks.ts'
import { beginGasFork, failOver, keepMining } from './mining.ts'
import { openService } from './open-service.ts'
import { openWorld } from './open-world.ts'
import { until } from './pass-time.ts'
import type { Disk } from './process/database.ts'
import { type Backup, backUp, downMs, restore, takeBackLater } from './restore.ts'
import { type Drawn, drawnUsually } from './scenario/features.ts'
import type { BrokenPart, Restore } from './scenario/scenario.ts'
import type { Service } from './service.ts'
import { takeStep } from './step.ts'
import type { World } from './world.ts'

export interface Outcome {
  readonly seed: number
  readonly steps: number
  /** The first failed check, and its step, or `afterwards`. */
  readonly failure?: { readonly what: string; readonly step: number | 'afterwards' }
  /** The end of the history of a failed run. Empty otherwise. */
  readonly tail: readonly string[]
  /** The hash of the whole history. The same seed gives the same hash. */
  readonly hash: string
  readonly events: number
  readonly transactions: number
  /** Blocks from the end of the faults to the end of the last transaction. */
  readonly blocksToEnd: number
  /** The most blocks that were allowed. */
  readonly bound: number
  /** The marks that the run reached (sim/marks/marks.ts). */
  readonly marks: readonly Mark[]
  /** The part that stayed broken at the end. */
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
      const { failover } = world.scenario.rollup ?? {}
      if (failover && step === Math.floor(failover.at * steps)) failOver(world, failover.ms)
      await takeStep(world, service)
    }
    if (!history.failure()) {
      step = 'afterwards'
      settled = await endRun(world, service)
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

/** Announces the fork, and sends some transactions before it comes. */
function approachFork(world: World, service: Service): void {
  beginGasFork(world)
  for (let left = world.dice.between(0, 6); left > 0; left -= 1) act(world, service, 'send')
}

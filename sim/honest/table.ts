// A table of the longest times without progress in worlds whose nodes are honest, and odd: a service that waits for agreement must not
// stand still there.
import type { Disk } from '../process/database.ts'
import { runHonest } from './run.ts'
import { honestWorlds } from './worlds.ts'

export interface HonestTable {
  readonly seed: number
  /** For each world. */
  readonly seeds: number
  readonly print: (line: string) => void
}

/** Returns how many runs failed an assertion. */
export async function printHonest(disk: Disk, { seed, seeds, print }: HonestTable): Promise<number> {
  print(
    '| world | seeds | transactions | failed runs | longest time without progress | until a block has it, half and all | from the block to the end |',
  )
  print('|---|---|---|---|---|---|---|')
  let failed = 0
  for (const world of honestWorlds) {
    const before = failed
    const stills: number[] = []
    const delays: number[] = []
    const ends: number[] = []
    for (let each = seed; each < seed + seeds; each += 1) {
      const run = await runHonest(disk, each, world)
      if (run.failure !== undefined) {
        failed += 1
        print(`seed ${each}, ${world.name}: ${run.failure}`)
      }
      stills.push(run.stillMs)
      delays.push(...run.delaysMs)
      ends.push(run.endMs)
    }
    const { blocktimeMs } = world.scenario
    const sorted = delays.toSorted((one, other) => one - other)
    const shown = (ms: number) => `${(ms / 1_000).toFixed(1)} s (${(ms / blocktimeMs).toFixed(1)} block times)`
    const half = shown(sorted[sorted.length >> 1] ?? 0)
    const cells = [world.name, seeds, delays.length, failed - before, shown(Math.max(...stills))]
    const all = shown(sorted.at(-1) ?? 0)
    print(`| ${[...cells, `${half}, ${all}`, shown(Math.max(...ends))].join(' | ')} |`)
  }
  return failed
}

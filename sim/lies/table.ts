// A table of the cost of each lie: each seed runs twice, with the lie and without it.
import { dice } from '../../tooling/dice.ts'
import type { Figures } from '../check/figures.ts'
import type { Disk } from '../process/database.ts'
import { runSeed } from '../run-seed.ts'
import { drawScenario } from '../scenario/draw-scenario.ts'
import { type Drawn, drawnUsually } from '../scenario/features.ts'
import { type LieKind, lieKinds } from './lie.ts'

export interface LiesTable {
  readonly seed: number
  /** For each lie and number of endpoints. */
  readonly seeds: number
  readonly steps: number
  readonly print: (line: string) => void
}

/** One endpoint lies, of so many. */
const endpoints = ['three or more', 'two', 'one'] as const
/** Many a seed has another number of endpoints, or no place for the lie. */
const lookedAtMax = 60

/** Returns how many runs failed an assertion. */
export async function printLies(disk: Disk, { seed, seeds, steps, print }: LiesTable): Promise<number> {
  print(
    '| lie | endpoints | seeds | failed runs | gap fillers, without the lie | price of a no-op, against without | delay of a no-op, without |',
  )
  print('|---|---|---|---|---|---|---|')
  let failed = 0
  for (const kind of lieKinds) {
    for (const [index, name] of endpoints.entries()) {
      const chosen = seedsFor(kind, 3 - index, seed, seeds)
      if (chosen.length === 0) continue
      const lied: Figures[] = []
      const honest: Figures[] = []
      const before = failed
      for (const each of chosen) {
        const run = await runSeed(disk, { seed: each, steps, drawn: drawnWith(kind) })
        if (run.failure) failed += 1
        lied.push(run.figures)
        honest.push((await runSeed(disk, { seed: each, steps, drawn: drawnWith() })).figures)
      }
      const cells = [kind, name, chosen.length, failed - before, ...compared(lied, honest)]
      print(`| ${cells.join(' | ')} |`)
    }
  }
  return failed
}

function drawnWith(kind?: LieKind): Drawn {
  const none = Object.fromEntries(lieKinds.map((each) => [each, 0]))
  return { ...drawnUsually, ...none, ...(kind && { [kind]: 1 }) }
}

function seedsFor(kind: LieKind, nodes: number, from: number, count: number): readonly number[] {
  const chosen: number[] = []
  for (let seed = from; seed < from + lookedAtMax * count && chosen.length < count; seed += 1) {
    const { profiles, liar } = drawScenario((stream) => dice(seed, stream), drawnWith(kind))
    if (liar?.kind === kind && Math.min(3, profiles.length) === nodes) chosen.push(seed)
  }
  return chosen
}

function compared(lied: readonly Figures[], honest: readonly Figures[]): readonly string[] {
  const sum = (all: readonly Figures[]) => all.reduce((total, { gapFillers }) => total + gapFillers, 0)
  const price = (all: readonly Figures[]) => median(all.flatMap(({ prices }) => prices))
  const delay = (all: readonly Figures[]) => median(all.flatMap(({ delays }) => delays)).toFixed(1)
  const ratio = price(honest) === 0 ? Number.NaN : price(lied) / price(honest)
  return [`${sum(lied)}, ${sum(honest)}`, ratio.toFixed(2), `${delay(lied)}, ${delay(honest)} block times`]
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

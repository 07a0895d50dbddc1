// Three replicas on one PostgreSQL, thirty relayers on three chains: kill -9, SIGTERM, stopped processes, frozen and cut
// lines, and a database that restarts and crashes, while clients send and cancel through whichever answers.
//
//   npm run chaos -- --minutes 10 --seed N     the same for so many minutes, with its figures
//   CHAOS_SEED=N                               the same dice again; a failure prints its seed
import { expect, test } from 'vitest'
import { faultKinds } from './replicas/faults.ts'
import { storm } from './replicas/storm.ts'
import { report, seed, seeded } from './support/size.ts'

test(
  'a minute of storm over three replicas: nothing is lost, nothing executes twice, every verdict is true',
  { timeout: 600_000 },
  () =>
    seeded(async () => {
      const { wrong, ...figures } = await storm({ seed, stormMs: 60_000 })
      report(figures)
      expect(wrong).toEqual([])
      for (const kind of faultKinds) expect(figures.faults[kind] ?? 0, kind).toBeGreaterThan(0)
      expect(figures.executed).toBeGreaterThan(0)
      expect(Object.values(figures.verdicts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
    }),
)

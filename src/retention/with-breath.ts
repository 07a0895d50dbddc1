// The pace of background work on old rows: portions with pauses, and rounds.
import type { Clock } from '../ops/clock.ts'

/** The pause of rounds that remove rows by their age in days. */
export const hourlyMs = 3_600_000

const breathMinMs = 20
/** A portion takes at most a tenth of the time. */
const breathOfPortion = 9

/** Runs one portion, then pauses, so that requests come through. */
export async function withBreath<T>(clock: Clock, signal: AbortSignal, portion: () => Promise<T>): Promise<T> {
  const began = clock.elapsed()
  const done = await portion()
  await clock.sleep(Math.max(breathMinMs, breathOfPortion * (clock.elapsed() - began)), signal)
  return done
}

// How much of a storm to run, and by which seed: CHAOS=full for the whole of it, CHAOS_SEED=N for a certain one.
import { randomInt } from 'node:crypto'

const { CHAOS, CHAOS_SEED } = process.env

export const full = CHAOS === 'full'

/** Real processes keep no time: a seed repeats the actions and their times, not their interleaving. */
export const seed = CHAOS_SEED === undefined ? randomInt(2 ** 31) : Number(CHAOS_SEED)

/** A failure names its seed. */
export async function seeded(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (error instanceof Error) error.message = `CHAOS_SEED=${seed}: ${error.message}`
    throw error
  }
}

/** The figures of a run that was requested by its seed. */
export function report(figures: object): void {
  if (full || CHAOS_SEED !== undefined) process.stdout.write(`${JSON.stringify({ seed, ...figures })}\n`)
}

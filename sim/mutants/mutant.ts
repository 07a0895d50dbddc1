// A mutant: the engine broken in one way, and how that has to be noticed.
import type { Feature } from '../scenario/features.ts'

export interface Edit {
  /** From the repository's root. */
  readonly file: string
  /** Stands there exactly once. */
  readonly find: string
  readonly put: string
}

export interface Mutant {
  readonly name: string
  /** What it makes of the engine. */
  readonly breaks: string
  readonly edits: readonly Edit[]
  /** Features of the world (sim/scenario/features.ts) that show it: every seed of its trial has them. */
  readonly with?: readonly Feature[]
  /** Rare in the simulator: a test file that notices it, and no pin. */
  readonly caughtBy?: string
  /**
   * Words of the check that has to notice it: of the simulator's finding at its pin, or of the test's name. Another failure does not
   * count.
   */
  readonly expects: string
}

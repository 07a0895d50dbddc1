// What units leave to be written once for all of a commit: each unit's apart until it is through.

export interface Deferred {
  /** The unit is through. */
  keep(): void
  /** The unit failed: it left nothing. */
  forget(): void
  /** Writes what was kept, in the commit that it belongs to. */
  write(): Promise<void>
  /** The commit failed: nothing of it counts. */
  reset(): void
}

export function together(...all: readonly Deferred[]): Deferred {
  return {
    keep() {
      for (const each of all) each.keep()
    },
    forget() {
      for (const each of all) each.forget()
    },
    async write() {
      for (const each of all) await each.write()
    },
    reset() {
      for (const each of all) each.reset()
    },
  }
}

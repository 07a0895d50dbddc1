// Writes that a commit makes once for all of its units. A unit's writes count only if the unit succeeds.

export interface Deferred {
  /** The unit succeeded: the commit makes its writes. */
  keep(): void
  /** The unit failed: its writes are dropped. */
  forget(): void
  /** Makes the writes of all units that succeeded, in the commit. */
  write(): Promise<void>
  /** The commit failed: all writes are dropped. */
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

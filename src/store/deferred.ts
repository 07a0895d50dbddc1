// Writes that a commit makes once for all of its units. A unit's share counts only if the unit succeeds.

export interface Deferred {
  /** The unit succeeded: the commit writes its share. */
  keep(): void
  /** The unit failed: its share is dropped. */
  forget(): void
  /** Writes every kept share, in the commit. */
  write(): Promise<void>
  /** The commit failed: all shares are dropped. */
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

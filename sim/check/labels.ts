// Checks the promise of `external_id` against the chain: at most one payload with the same id succeeds.

export interface SentLabels {
  /** A send, answered or not. */
  sent(relayer: number, tag: number, externalId: string): void
  /** A PUT, answered or not: its payload has the name of its transaction, whose send had the first tag. */
  replaced(first: number | undefined, tag: number): void
  /** The canonical chain executes it from now on. */
  executed(tag: number): void
  /** A copy was restored: earlier sends under these names may be missing, and promise nothing. */
  forget(): void
}

export function watchLabels(fail: (what: string) => void, successes: (tag: number) => number): SentLabels {
  const names = new Map<number, string>()
  const tags = new Map<string, Set<number>>()

  function name(tag: number, as: string): void {
    names.set(tag, as)
    tags.set(as, (tags.get(as) ?? new Set()).add(tag))
  }

  return {
    sent: (relayer, tag, externalId) => name(tag, `${externalId} of r${relayer}`),
    replaced(first, tag) {
      const as = first === undefined ? undefined : names.get(first)
      if (as !== undefined) name(tag, as)
    },
    executed(tag) {
      const as = names.get(tag)
      if (as === undefined) return
      const done = [...(tags.get(as) ?? [])].filter((each) => successes(each) > 0)
      if (done.length > 1) fail(`the payloads ${done} have one external_id, ${as}, and both are executed`)
    },
    forget() {
      names.clear()
      tags.clear()
    },
  }
}

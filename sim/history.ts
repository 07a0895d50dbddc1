// The history of a run, in short lines: a failing seed prints the end of it, and two equal runs have the same hash.
import { createHash } from 'node:crypto'

export interface History {
  note(line: string): void
  /** The first that is reported stays: everything after it may follow from it. */
  fail(what: string): void
  failure(): string | undefined
  /** The latest lines, oldest first. */
  last(count: number): readonly string[]
  hash(): string
}

export function openHistory(now: () => number, print: ((line: string) => void) | undefined): History {
  const kept = 4_000
  const hash = createHash('sha256')
  let lines: string[] = []
  /** Noted, and not hashed yet: many lines at once cost hardly more than one. */
  let unhashed = ''
  let failure: string | undefined

  function note(line: string): void {
    if (failure) return
    const stamped = `${(now() / 1000).toFixed(3).padStart(9)} s  ${line}`
    unhashed += stamped
    if (unhashed.length > 16_384) takeIn()
    lines.push(stamped)
    if (lines.length > 2 * kept) lines = lines.slice(-kept)
    print?.(stamped)
  }

  function takeIn(): void {
    hash.update(unhashed)
    unhashed = ''
  }

  return {
    note,
    fail(what) {
      note(`FAILED: ${what}`)
      failure ??= what
    },
    failure: () => failure,
    last: (count) => lines.slice(-count),
    hash() {
      takeIn()
      return hash.copy().digest('hex')
    },
  }
}

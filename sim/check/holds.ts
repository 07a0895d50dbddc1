// Checks transactions on hold: none is released before its time by both clocks, and none is signed on hold.
import { headPatienceMs } from '../../src/domain/hold.ts'
import type { Row } from './row.ts'

export interface Holds {
  changed(row: Row, before: Row | undefined): void
  /** A client requested the release of these transactions. */
  requested(ids: readonly string[]): void
  /** A copy was restored: earlier observations no longer count. */
  forget(): void
}

export interface HoldWatch {
  fail(what: string): void
  /** The machine's clock, which may jump. */
  nowMs(): number
  /** The latest time of a head of any branch, in milliseconds. */
  newestHeadMs(): number
  /** A restored service found it on the chain, without a record. */
  isRecovered(row: Row): boolean
}

export function watchHolds({ fail, nowMs, newestHeadMs, isRecovered }: HoldWatch): Holds {
  const requested = new Set<string>()
  /** The latest time that the clock has shown. It may jump back. */
  let latest = 0

  return {
    changed(row, before) {
      latest = Math.max(latest, nowMs())
      const name = row.id.slice(-6)
      const isHeld = row.phase === 'held'
      if (
        isHeld !== (row.hold !== null) ||
        isHeld !== (row.held_until !== null) ||
        isHeld !== (row.status === 'held')
      ) {
        fail(`${name} is ${row.phase} and ${row.status}, with the hold ${row.hold}`)
      }
      if (isHeld && (row.nonce !== null || row.open !== 1)) fail(`${name} is on hold with nonce ${row.nonce}`)
      if (isHeld && row.origin !== 'client') fail(`${name} is on hold, and the service made it`)
      if (before?.phase !== 'held' || isHeld || row.phase === 'dropped') return
      if (isRecovered(row)) return
      // Two commits may come between two looks.
      if (row.phase !== 'queued' && row.version === before.version + 1) {
        fail(`${name} was on hold, and is ${row.phase}: nobody released it`)
      }
      // A PUT may leave no hold.
      if (row.earlier !== before.earlier || requested.has(row.id)) return
      const { until } = JSON.parse(before.hold ?? '{}') as { readonly until?: number }
      if (until === undefined) fail(`${name} was released by time, which never ends its hold`)
      else if (latest < until) fail(`${name} was released ${until - latest} ms too early by our clock`)
      else if (newestHeadMs() < until && latest < until + headPatienceMs) {
        fail(`${name} was released ${until - newestHeadMs()} ms too early by the chain`)
      }
    },
    requested(ids) {
      for (const id of ids) requested.add(id)
    },
    forget() {
      latest = 0
    },
  }
}

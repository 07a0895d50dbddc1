// The terms of bulk cancellations: shares add up to at most max_cost, a free one makes no no-op, and a pause comes with the first
// commit. That a paused relayer gives out no nonce is checked with its policies.
import type { Selectable } from 'kysely'
import type { BulkPartTable, BulkTable } from '../../src/store/bulk-tables.ts'
import type { Disk } from '../process/database.ts'
import type { Row } from './row.ts'

export interface BulkTermsChecks {
  /** Durable from here on. */
  committed(): void
  changed(row: Row, before: Row | undefined): void
  /** All committed changes have been read. */
  looked(): void
  /** An operator ends the pause of this relayer, in the unit under way. */
  lifts(relayer: string): void
  /** The disk is another: its rows were checked when they were made. */
  forget(): void
}

type Part = Pick<Selectable<BulkPartTable>, 'id' | 'bulk_id' | 'relayer_id' | 'spent'> &
  Pick<BulkTable, 'pause' | 'only_what' | 'max_cost'> & { readonly paused: 0 | 1 }

/** What a part took in one look. */
interface Taken {
  readonly nonces: Set<number>
  readonly ids: Set<string>
}

export function watchBulkTerms(
  { committed }: Disk,
  rows: () => Iterable<Row>,
  fail: (what: string) => void,
): BulkTermsChecks {
  const stoppedParts = committed<[], Part>(
    `SELECT p.id, p.bulk_id, p.relayer_id, p.spent, b.pause, b.only_what, b.max_cost, r.paused
      FROM bulk_parts p JOIN bulks b ON b.id = p.bulk_id JOIN relayers r ON r.id = p.relayer_id
      WHERE p.instant IS NOT NULL AND (b.pause = 1 OR b.only_what IS NOT NULL OR b.max_cost IS NOT NULL)`,
  )
  // Pre-signed ones were there before.
  const noOps = committed<[number], { place: number; id: string }>(
    `SELECT a.rowid AS place, t.id FROM attempts a JOIN transactions t ON t.id = a.transaction_id
      JOIN bulk_parts p ON p.id = t.bulk_part JOIN bulks b ON b.id = p.bulk_id
      WHERE a.rowid > ? AND a.kind = 'cancel' AND a.presigned = 0 AND b.only_what = 'free' ORDER BY a.rowid`,
  )
  const newest = committed<[], { place: number | null }>('SELECT max(rowid) AS place FROM attempts')
  const stopped = new Map<number, Part>()
  const lifted = new Set<string>()
  /** By part. */
  const shares = new Map<number, bigint>()
  /** By part, of the look under way. */
  const takenNow = new Map<number, Taken>()
  /** Rows that left a queue without a nonce, in the look under way. */
  const leftQueue: Row[] = []
  let last = 0

  const name = (part: Part) => `bulk ${part.bulk_id.slice(-6)} at ${part.relayer_id}`

  function stop(part: Part): void {
    if (stopped.has(part.id)) return
    stopped.set(part.id, part)
    if (part.pause === 1 && part.paused === 0 && !lifted.has(part.relayer_id)) {
      fail(`${name(part)} did not pause its relayer`)
    }
    if (part.max_cost === null) return
    const of = [...stopped.values()].filter(({ bulk_id: id }) => id === part.bulk_id)
    const spent = of.reduce((sum, each) => sum + BigInt(each.spent ?? 0), 0n)
    if (spent > BigInt(part.max_cost)) fail(`${name(part)}: the shares add up to ${spent} of at most ${part.max_cost}`)
  }

  function take(part: Part, row: Row, before: Row): void {
    // A block has spent its nonce: should a reorganization take that back, nothing may be spent on it.
    const isSpent = row.phase === 'mined' && row.cancel_cost_max === '0'
    if (part.only_what === 'free' && row.phase !== 'dropped' && !isSpent) {
      fail(`${name(part)} took ${row.id.slice(-6)} for free, and it is ${row.phase}`)
    }
    const taken = takenNow.get(part.id) ?? { nonces: new Set(), ids: new Set() }
    takenNow.set(part.id, taken)
    taken.ids.add(row.id)
    if (before.nonce !== null && row.phase === 'dropped') taken.nonces.add(before.nonce)
    // Another commit in between may have set another bound.
    if (part.max_cost === null || row.version !== before.version + 1) return
    if (row.cancel_cost_max === null) {
      if (row.phase === 'inFlight') fail(`${name(part)} took ${row.id.slice(-6)} without a share of ${part.max_cost}`)
      return
    }
    const sum = (shares.get(part.id) ?? 0n) + BigInt(row.cancel_cost_max)
    shares.set(part.id, sum)
    if (sum > BigInt(part.spent ?? 0)) {
      fail(`${name(part)}: its transactions have shares of ${sum}, and it recorded ${part.spent ?? 0}`)
    }
  }

  /** A nonce that it gave back, below one in use, costs a gap filler unless the queue takes it. */
  function demandFree(part: Part, { nonces, ids }: Taken): void {
    const of = [...rows()].filter(({ relayer_id: id, open }) => id === part.relayer_id && open === 1)
    // Another commit between the two looks may have taken the queue.
    if (leftQueue.some((row) => row.relayer_id === part.relayer_id && !ids.has(row.id))) return
    const inUse = of.flatMap(({ phase, nonce }) => (phase === 'inFlight' && nonce !== null ? [nonce] : []))
    const missing = [...nonces].filter((nonce) => nonce < Math.max(-1, ...inUse) && !inUse.includes(nonce))
    const ready = part.pause === 1 ? 0 : of.filter(({ phase }) => phase === 'queued').length
    if (missing.length > ready)
      fail(`${name(part)} took transactions for free, and nonce ${missing} needs a gap filler`)
  }

  return {
    committed() {
      for (const part of stoppedParts()) stop(part)
      lifted.clear()
      for (const { place, id } of noOps(last)) {
        last = place
        fail(`a no-op was signed for ${id.slice(-6)}, which a bulk cancellation took for free`)
      }
      last = newest()[0]?.place ?? last
    },
    changed(row, before) {
      const isLeaving = before?.phase === 'queued' && row.phase !== 'queued' && row.phase !== 'inFlight'
      if (isLeaving) leftQueue.push(row)
      if (!before || row.bulk_part === null || before.bulk_part !== null) return
      const part = stopped.get(row.bulk_part)
      if (part) take(part, row, before)
    },
    looked() {
      for (const [id, taken] of takenNow) {
        const part = stopped.get(id)
        if (part?.only_what === 'free') demandFree(part, taken)
      }
      takenNow.clear()
      leftQueue.length = 0
    },
    lifts(relayer) {
      lifted.add(relayer)
    },
    forget() {
      for (const each of [stopped, lifted, shares, takenNow]) each.clear()
      leftQueue.length = 0
      last = newest()[0]?.place ?? 0
      for (const part of stoppedParts()) stopped.set(part.id, part)
    },
  }
}

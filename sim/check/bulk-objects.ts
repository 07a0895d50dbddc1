// Bulk cancellations say what the rows say: an object's counts are those of its rows, it took nothing that its filter does not match, and it
// left nothing that was there at its instant and that matches.
import type { Selectable } from 'kysely'
import type { BulkPartTable } from '../../src/store/bulk-tables.ts'
import type { Disk } from '../process/database.ts'
import type { Row } from './row.ts'

export interface BulkObjects {
  changed(row: Row, before: Row | undefined): void
  /** All that is committed is seen. */
  looked(): void
  forget(): void
}

type Part = Selectable<BulkPartTable> & { readonly filter: string }

const counted = ['dropped', 'won', 'external', 'unsettled', 'safe'] as const
type Counts = Record<(typeof counted)[number] | 'racing' | 'lost', number> & { cost: bigint }

const pending = ['pending', 'sent', 'submitted']

export function watchBulkObjects({ committed }: Disk, fail: (what: string) => void): BulkObjects {
  const parts = committed<[], Part>(
    'SELECT bulk_parts.*, bulks.filter FROM bulk_parts JOIN bulks ON bulks.id = bulk_parts.bulk_id',
  )
  const tagsOf = committed<[string], { readonly tag: string }>(
    'SELECT tag FROM transaction_tags WHERE transaction_id = ?',
  )
  const known = new Map<string, Row>()
  /** By row. A PUT leaves tags as they are. */
  const tags = new Map<string, readonly string[]>()
  const members = new Map<number, Set<string>>()
  /** Rows that were seen before the present look. */
  const seen = new Set<string>()
  const over = new Set<number>()
  /** By part and row: whether the row matched when the part took it. */
  const seenAs = new Set<string>()
  /** By row: how it was at the last look, if it has changed since. One look may see a reorganization and an instant, in either order. */
  const earlier = new Map<string, Row>()

  const name = (part: Part) => `bulk ${part.bulk_id.slice(-6)} at ${part.relayer_id}`

  const fits = (part: Part, row: Row) => isMatch(part, row, tags.get(row.id) ?? [])

  function isCovered(row: Row, part: Part): boolean {
    const isPending = pending.includes(row.status) && row.canceled_at === null
    return row.relayer_id === part.relayer_id && row.origin !== 'gap' && isPending && !isMoving(part) && fits(part, row)
  }

  function wasCovered(id: string, part: Part): boolean {
    const now = known.get(id) as Row
    return isCovered(now, part) && isCovered(earlier.get(id) ?? now, part)
  }

  function compare(part: Part): void {
    const rows = [...(members.get(part.id) ?? [])].flatMap((id) => known.get(id) ?? [])
    const counts = countsOf(rows)
    for (const each of counted) {
      if (part[each] !== counts[each]) fail(`${name(part)} counts ${part[each]} ${each}, its rows are ${counts[each]}`)
    }
    // A sequencer's receipt decides a race before a block shows it, and is not in the row.
    if (part.racing + part.lost !== counts.racing + counts.lost || part.lost < counts.lost) {
      fail(`${name(part)} counts ${part.racing} racing and ${part.lost} lost: ${counts.racing} and ${counts.lost}`)
    }
    const cost = BigInt(part.gwei) * 1_000_000_000n + BigInt(part.wei)
    if (part.unpriced === 0 && cost !== counts.cost) fail(`${name(part)} cost ${cost}, its rows ${counts.cost}`)
    const isFinal = part.state === 'written' && counts.unsettled === 0
    if (isFinal !== (part.final_at !== null)) fail(`${name(part)} is ${isFinal ? '' : 'not '}final, and says otherwise`)
  }

  function follow(part: Part): void {
    if (part.instant === null || over.has(part.id)) return
    over.add(part.id)
    const left = [...seen].find((id) => wasCovered(id, part) && !isLeft(id, part))
    if (left) fail(`${name(part)} left ${left.slice(-6)}, which was there before`)
  }

  return {
    changed(row, before) {
      known.set(row.id, row)
      if (before && !earlier.has(row.id)) earlier.set(row.id, before)
      if (!before) {
        tags.set(
          row.id,
          tagsOf(row.id).map(({ tag }) => tag),
        )
      }
      if (before && before.bulk_part !== null && before.bulk_part !== row.bulk_part) {
        fail(`${row.id.slice(-6)} left its bulk cancellation`)
      }
      if (row.bulk_part === null) return
      const of = members.get(row.bulk_part) ?? new Set()
      members.set(row.bulk_part, of.add(row.id))
    },
    looked() {
      for (const part of parts()) {
        for (const id of members.get(part.id) ?? []) {
          const row = known.get(id)
          if (row?.relayer_id !== part.relayer_id) fail(`${name(part)} has ${id.slice(-6)} of another relayer`)
          if (row && !seenAs.has(`${part.id} ${id}`) && !fits(part, row)) {
            fail(`${name(part)} took ${id.slice(-6)}, which does not match`)
          }
          seenAs.add(`${part.id} ${id}`)
        }
        compare(part)
        follow(part)
      }
      for (const id of known.keys()) seen.add(id)
      earlier.clear()
    },
    forget() {
      for (const each of [known, tags, members, seen, over, seenAs, earlier]) each.clear()
    },
  }
}

/** Whether the part has refused it, with a reason on record. */
function isLeft(id: string, { refusals }: Part): boolean {
  return refusals !== null && JSON.parse(refusals).some((each: { readonly id: string }) => each.id === id)
}

/** It goes by what an owner changes, and may have changed since the instant. */
function isMoving({ filter }: Part): boolean {
  const { statuses, nonceFrom, nonceTo } = JSON.parse(filter)
  return statuses !== undefined || nonceFrom !== undefined || nonceTo !== undefined
}

/** The filter once more, over rows. Of a nonce: one that it gave back is not in its row any more. */
function isMatch({ filter, instant }: Part, row: Row, its: readonly string[]): boolean {
  const { ids, to, selector, tags, createdTo, olderThanMs, newerThanMs, valueFrom, valueTo } = JSON.parse(filter)
  const age = Math.min(createdTo ?? Number.POSITIVE_INFINITY, instant ?? 0) - row.created_at
  return (
    (ids?.includes(row.id) ?? true) &&
    (to === undefined || to === row.to_address) &&
    (selector === undefined || (row.to_address !== null && row.data.slice(0, 10) === selector)) &&
    (tags === undefined || tags.some((tag: string) => its.includes(tag))) &&
    (createdTo === undefined || row.created_at <= createdTo) &&
    (olderThanMs === undefined || age >= olderThanMs) &&
    (newerThanMs === undefined || age < newerThanMs) &&
    (valueFrom === undefined || BigInt(row.value) >= BigInt(valueFrom.wei)) &&
    (valueTo === undefined || BigInt(row.value) <= BigInt(valueTo.wei))
  )
}

function countsOf(rows: readonly Row[]): Counts {
  const counts: Counts = { dropped: 0, racing: 0, won: 0, lost: 0, external: 0, unsettled: 0, safe: 0, cost: 0n }
  for (const row of rows) {
    const isFinal = row.phase === 'final' || row.phase === 'dropped'
    const state = stateOf(row)
    counts[state] += 1
    if (!isFinal) counts.unsettled += 1
    if (isFinal && state !== 'lost') counts.safe += 1
    if (state === 'won')
      counts.cost += BigInt(row.gas_used ?? 0) * BigInt(row.effective_gas_price ?? 0) + BigInt(row.l1_fee ?? 0)
  }
  return counts
}

function stateOf({ phase, included_kind: kind }: Row): 'dropped' | 'racing' | 'won' | 'lost' | 'external' {
  if (phase === 'dropped') return 'dropped'
  if (phase === 'inFlight' || phase === 'queued') return 'racing'
  return kind === 'external' ? 'external' : kind === 'cancel' ? 'won' : 'lost'
}

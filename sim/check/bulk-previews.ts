// Previews, watched from outside: an object that is made with a token never took a row, a no-op or a cost beyond what a client was shown,
// and it reports how many of those shown it neither took nor refused.
import type { Selectable } from 'kysely'
import { endedOf } from '../../src/domain/bulk-counts.ts'
import type { ShownPart } from '../../src/domain/bulk-preview.ts'
import { type SequenceRuns, type SequenceSet, setOf } from '../../src/domain/sequence-runs.ts'
import type { BulkPartTable } from '../../src/store/bulk-tables.ts'
import type { Disk } from '../process/database.ts'
import type { Row } from './row.ts'

export interface BulkPreviewChecks {
  /** A client has the preview. `id`: the digest of its token. */
  shown(id: string, parts: readonly ShownPart[]): void
  /** Whether the preview showed this row. */
  hasShown(id: string, row: Pick<Row, 'relayer_id' | 'sequence'>): boolean
  changed(row: Row): void
  /** All that is committed is seen. */
  looked(): void
  /** The disk is another. Clients keep their tokens. */
  forget(): void
}

type Part = Selectable<BulkPartTable> & { readonly preview_id: string }

type Bound = Pick<ShownPart, 'noOps' | 'costMax' | 'matches' | 'sequences'> & { readonly set: SequenceSet }

/** A row as it was when it was taken, which a later cancellation and a verdict change. */
interface Taken {
  readonly share: bigint
  /** It had no verdict. One whose nonce was spent needs no no-op. */
  readonly isRace: boolean
}

export function watchBulkPreviews({ committed }: Disk, fail: (what: string) => void): BulkPreviewChecks {
  const parts = committed<[], Part>(
    `SELECT bulk_parts.*, preview_id FROM bulk_parts JOIN bulks ON bulks.id = bulk_parts.bulk_id
      WHERE preview_id IS NOT NULL`,
  )
  const bounds = new Map<string, Bound>()
  const members = new Map<number, Map<string, Row>>()
  /** By row. It outlasts a restore, unless the copy is older. */
  const taken = new Map<string, Taken>()
  /** By relayer and sequence. */
  const ids = new Map<string, string>()
  let isNew = false

  function compare(part: Part): void {
    const name = `bulk ${part.bulk_id.slice(-6)} at ${part.relayer_id}`
    const rows = [...(members.get(part.id)?.values() ?? [])]
    const bound = bounds.get(`${part.preview_id} ${part.relayer_id}`)
    if (!bound) {
      fail(`${name} is beyond its preview, which has no such relayer`)
      return
    }
    const other = rows.find(({ sequence }) => !bound.set.has(sequence))
    if (other) fail(`${name} took ${other.id.slice(-6)}, which its preview did not show`)
    const noOps = rows.filter(({ id }) => taken.get(id)?.isRace).length
    if (noOps > bound.noOps) fail(`${name} needs ${noOps} no-ops, and its preview showed ${bound.noOps}`)
    if (part.state === 'written') compareEnded(part, name, bound)
    if (bound.costMax === undefined || part.state === 'waiting') return
    const cost = rows.reduce((sum, { id }) => sum + (taken.get(id)?.share ?? 0n), 0n)
    if (part.spent === null || BigInt(part.spent) > bound.costMax || cost > bound.costMax) {
      fail(`${name} may cost ${part.spent}, in shares ${cost}, and its preview showed ${bound.costMax}`)
    }
  }

  function compareEnded(part: Part, name: string, bound: Bound): void {
    // The races that max_cost would bound anew are shown, and are no matches.
    if (bound.matches !== bound.set.size) return
    const refused = refusalsOf(part)
    const rest = listOf(bound.sequences).filter((sequence) => {
      const id = ids.get(`${part.relayer_id} ${sequence}`) ?? ''
      return !members.get(part.id)?.has(id) && !refused.some((each) => each.id === id)
    })
    const counts = { ...part, cost: 0n }
    const reported = endedOf({ shown: bound, counts, refused })
    if (reported !== rest.length) fail(`${name} reports that ${reported} of those shown had ended: ${rest.length} had`)
  }

  return {
    shown(id, all) {
      for (const part of all) bounds.set(`${id} ${part.relayerId}`, { ...part, set: setOf(part.sequences) })
    },
    hasShown: (id, row) => bounds.get(`${id} ${row.relayer_id}`)?.set.has(row.sequence) ?? false,
    changed(row) {
      ids.set(`${row.relayer_id} ${row.sequence}`, row.id)
      if (row.bulk_part === null) {
        taken.delete(row.id)
        return
      }
      isNew = true
      const of = members.get(row.bulk_part) ?? new Map<string, Row>()
      if (!taken.has(row.id)) {
        taken.set(row.id, { share: BigInt(row.cancel_cost_max ?? 0), isRace: row.phase === 'inFlight' })
      }
      members.set(row.bulk_part, of.set(row.id, row))
    },
    looked() {
      if (!isNew) return
      isNew = false
      for (const part of parts()) compare(part)
    },
    forget() {
      members.clear()
      ids.clear()
    },
  }
}

function refusalsOf({ refusals }: Part): Parameters<typeof endedOf>[0]['refused'] {
  return refusals === null ? [] : JSON.parse(refusals)
}

function listOf(runs: SequenceRuns): readonly number[] {
  const all: number[] = []
  let end = 0
  for (let index = 0; index + 1 < runs.length; index += 2) {
    const start = end + (runs[index] ?? 0)
    end = start + (runs[index + 1] ?? 0)
    for (let sequence = start; sequence < end; sequence += 1) all.push(sequence)
  }
  return all
}

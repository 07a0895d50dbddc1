// Previews, watched from outside: an object that is made with a token never took a row, a no-op or a cost beyond what a client was shown.
import type { ShownPart } from '../../src/domain/bulk-preview.ts'
import { type SequenceSet, setOf } from '../../src/domain/sequence-runs.ts'
import type { Disk } from '../process/database.ts'
import type { Row } from './row.ts'

export interface BulkPreviewChecks {
  /** A client has the preview. `id`: the digest of its token. */
  shown(id: string, parts: readonly ShownPart[]): void
  changed(row: Row): void
  /** All that is committed is seen. */
  looked(): void
  /** The disk is another. Clients keep their tokens. */
  forget(): void
}

interface Part {
  readonly id: number
  readonly bulk_id: string
  readonly relayer_id: string
  readonly state: string
  readonly spent: string | null
  readonly preview_id: string
}

type Bound = Pick<ShownPart, 'noOps' | 'costMax'> & { readonly set: SequenceSet }

export function watchBulkPreviews({ committed }: Disk, fail: (what: string) => void): BulkPreviewChecks {
  const parts = committed<[], Part>(
    `SELECT bulk_parts.id, bulk_id, relayer_id, state, spent, preview_id
      FROM bulk_parts JOIN bulks ON bulks.id = bulk_parts.bulk_id WHERE preview_id IS NOT NULL`,
  )
  const bounds = new Map<string, Bound>()
  const members = new Map<number, Map<string, Row>>()
  /** By row: the share that it was taken with. */
  const shares = new Map<string, bigint>()
  /** They had no verdict when they were taken. One whose nonce was spent needs no no-op. */
  const races = new Set<string>()
  /** Later bounds of a restored copy can't be told from the first ones. */
  let isRestored = false
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
    const noOps = rows.filter(({ id }) => races.has(id)).length
    if (noOps > bound.noOps) fail(`${name} needs ${noOps} no-ops, and its preview showed ${bound.noOps}`)
    if (bound.costMax === undefined || part.state === 'waiting') return
    const cost = isRestored ? 0n : rows.reduce((sum, { id }) => sum + (shares.get(id) ?? 0n), 0n)
    if (part.spent === null || BigInt(part.spent) > bound.costMax || cost > bound.costMax) {
      fail(`${name} may cost ${part.spent}, in shares ${cost}, and its preview showed ${bound.costMax}`)
    }
  }

  return {
    shown(id, all) {
      for (const { relayerId, sequences, noOps, costMax } of all) {
        bounds.set(`${id} ${relayerId}`, {
          set: setOf(sequences),
          noOps,
          ...(costMax !== undefined && { costMax }),
        })
      }
    },
    changed(row) {
      if (row.bulk_part === null) return
      isNew = true
      const of = members.get(row.bulk_part) ?? new Map<string, Row>()
      if (!of.has(row.id)) {
        shares.set(row.id, BigInt(row.cancel_cost_max ?? 0))
        if (row.phase === 'inFlight') races.add(row.id)
      }
      members.set(row.bulk_part, of.set(row.id, row))
    },
    looked() {
      if (!isNew) return
      isNew = false
      for (const part of parts()) compare(part)
    },
    forget() {
      isRestored = true
      members.clear()
    },
  }
}

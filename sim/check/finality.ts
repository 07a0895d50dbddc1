// Two thresholds, held against the chain: nothing is confirmed or final too early, and a client gets an event when something
// that was confirmed is taken back.
import type { Hash } from '../../src/domain/ids.ts'
import type { Block, Blocks } from '../chain/blocks.ts'
import type { Tags } from '../chain/node.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Event, Row } from './row.ts'

export interface FinalityCheck {
  changed(row: Row, before: Row | undefined): void
  published(event: Event): void
  looked(): void
}

export function watchFinality(
  { confirmations, finality }: Pick<Scenario, 'confirmations' | 'finality'>,
  blocks: Blocks,
  state: { readonly tags: Tags; readonly shownHeight: number },
  fail: (what: string) => void,
): FinalityCheck {
  /** Taken back since the last look: their alarms are due. */
  const due = new Set<string>()
  const alarmed = new Set<string>()
  const rule = finality?.rule ?? confirmations

  function depthOf(block: Block): number {
    return Math.max(blocks.canonical().number, state.shownHeight) - block.number + 1
  }

  function isFinal(block: Block): boolean {
    if (depthOf(block) < confirmations) return false
    return typeof rule === 'number' ? depthOf(block) >= rule : block.number <= state.tags[rule].number
  }

  return {
    changed(row, before) {
      const name = row.id.slice(-6)
      if (before && isConfirmed(before) && before.included_block_hash !== row.included_block_hash) due.add(row.id)
      if (row.phase !== 'mined' && row.phase !== 'final') {
        if (row.confirmed_at !== null) fail(`${name} is ${row.phase}, and confirmed`)
        return
      }
      const block = blocks.byHash(row.included_block_hash as Hash)
      if (!block) return
      const depth = depthOf(block)
      if (row.phase === 'final' && !isFinal(block))
        fail(`${name} is final in block ${block.number} at depth ${depth}, and by ${rule} that block is not`)
      if (row.confirmed_at !== null && depth < confirmations) fail(`${name} is confirmed at depth ${depth}`)
      if (row.phase === 'mined' && isPayload(row)) {
        const shown = row.confirmed_at !== null && row.included_succeeded !== null
        const status =
          row.included_contradicted === 1
            ? 'submitted'
            : !shown
              ? 'mined'
              : row.included_succeeded === 1
                ? 'confirmed'
                : 'failed'
        if (row.status !== status) fail(`${name} is shown as ${row.status}, and should be ${status}`)
      }
    },
    published(event) {
      if (event.kind === 'alarm') alarmed.add(event.transaction_id)
    },
    looked() {
      for (const id of due) if (!alarmed.has(id)) fail(`${id.slice(-6)} was confirmed and taken back without an alarm`)
      due.clear()
      alarmed.clear()
    },
  }
}

function isPayload({ included_kind: kind }: Row): boolean {
  return kind === 'execute' || kind === 'replace' || kind === 'unrecorded'
}

function isConfirmed(row: Row): boolean {
  return row.phase === 'mined' && row.confirmed_at !== null && isPayload(row)
}

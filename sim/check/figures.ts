// What a run cost, and how fast its no-ops were: figures to compare a run in which a node lies with the same seed without the lie.
import type { Blocks } from '../chain/blocks.ts'
import { isNoOp } from '../chain/transaction.ts'
import { epochMs } from '../process/engine.ts'
import type { Row } from './row.ts'

export interface Figures {
  /** Mined gap fillers. Without a gap there is nothing to fill. */
  readonly gapFillers: number
  readonly noOps: number
  /** For each no-op on the chain: what a unit of gas cost, divided by the base fee of its block. */
  readonly prices: readonly number[]
  /** For each won cancellation: block times from the DELETE to the block of the no-op. */
  readonly delays: readonly number[]
}

export function figuresOf(
  blocks: Blocks,
  rows: ReadonlyMap<string, Row>,
  addresses: readonly string[],
  blocktimeMs: number,
): Figures {
  const mined = new Map<string, { readonly price: number; readonly atMs: number }>()
  for (let block = blocks.canonical(); block.parent; block = block.parent) {
    for (const { transaction, price } of block.included) {
      if (!addresses.includes(transaction.from) || !isNoOp(transaction)) continue
      const multiple = Number(price) / Math.max(1, Number(block.baseFee))
      mined.set(transaction.hash, { price: multiple, atMs: block.timestampSeconds * 1_000 })
    }
  }
  const all = [...rows.values()]
  const delays = all.flatMap(({ included_hash: hash, included_kind: kind, canceled_at: at, sent_at: sentAt }) => {
    const won = kind === 'cancel' && hash !== null ? mined.get(hash) : undefined
    if (!won || at === null) return []
    return [Math.max(0, (won.atMs - Math.max(at, sentAt ?? 0, epochMs)) / blocktimeMs)]
  })
  const gapFillers = all.filter(
    ({ origin, included_hash: hash }) => origin === 'gap' && hash !== null && mined.has(hash),
  )
  return {
    gapFillers: gapFillers.length,
    noOps: mined.size,
    prices: [...mined.values()].map(({ price }) => price),
    delays,
  }
}

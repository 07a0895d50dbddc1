// Checks cancellations with a limit of cost: no recorded or mined no-op may cost more than the limit.
import type { Hash } from '../../src/domain/ids.ts'
import { maxWei, minWei } from '../../src/domain/units.ts'
import type { Block, Blocks } from '../chain/blocks.ts'
import { type ChainKind, l1PriceAt } from '../chain/sequencer.ts'
import type { Disk } from '../process/database.ts'

export interface CostBounds {
  /** A process has committed. */
  committed(): void
  sealed(block: Block): void
  /** A copy was restored: its rows were checked when they were written. */
  forget(): void
}

interface NoOp {
  readonly place: number
  readonly hash: Hash
  readonly id: string
  readonly gas_limit: number
  readonly gas_price: string | null
  readonly max_fee_per_gas: string | null
  readonly raw: string
  readonly recorded_at_block: number
}

/** The price of data on L1 may be as of so many blocks ago: 16 by the node, and the 2 s for which it is kept, in blocks of 200 ms. */
const l1ReadBlocks = 26

export function watchCostBounds(
  { committed }: Disk,
  blocks: Pick<Blocks, 'holding'>,
  kind: ChainKind,
  fail: (what: string) => void,
): CostBounds {
  const noOps = committed<[number], NoOp>(
    `SELECT rowid AS place, hash, transaction_id AS id, gas_limit, gas_price, max_fee_per_gas, raw, recorded_at_block
      FROM attempts WHERE rowid > ? AND kind = 'cancel' AND raw <> '' ORDER BY rowid`,
  )
  const bounds = committed<[], { id: string; cancel_cost_max: string }>(
    'SELECT id, cancel_cost_max FROM transactions WHERE cancel_cost_max IS NOT NULL',
  )
  const newest = committed<[], { place: number | null }>('SELECT max(rowid) AS place FROM attempts')
  /** The limit of cost of each no-op, in wei. A no-op without an entry has no limit. */
  const limits = new Map<Hash, bigint>()
  let before: ReadonlyMap<string, bigint> = new Map()
  let last = 0

  /** The lowest cost of its data on L1 when it was priced, in wei. */
  function l1FeeOf({ raw, recorded_at_block: at }: NoOp): bigint {
    const prices = Array.from({ length: l1ReadBlocks + 1 }, (_, ago) =>
      l1PriceAt({ number: Math.max(0, at - ago) }, kind),
    )
    const [first = 0n, ...rest] = prices
    return BigInt((raw.length - 2) / 2) * minWei(first, ...rest)
  }

  return {
    committed() {
      const now = new Map(bounds().map((row) => [row.id, BigInt(row.cancel_cost_max)]))
      for (const noOp of noOps(last)) {
        last = noOp.place
        const [was, is] = [before.get(noOp.id), now.get(noOp.id)]
        // The order of the two within one commit is not visible.
        if (was === undefined || is === undefined || limits.has(noOp.hash)) continue
        // A restored copy did not hold it, and the chain shows it: it was signed long ago.
        if (blocks.holding(noOp.hash).length > 0) continue
        const limit = maxWei(was, is)
        limits.set(noOp.hash, limit)
        const cost = BigInt(noOp.gas_limit) * BigInt(noOp.max_fee_per_gas ?? noOp.gas_price ?? 0) + l1FeeOf(noOp)
        if (cost > limit) fail(`a no-op of ${noOp.id.slice(-6)} may cost ${cost}, and its bound is ${limit}`)
      }
      before = now
    },
    sealed({ included }) {
      for (const { transaction, gasUsed, price } of included) {
        const limit = limits.get(transaction.hash)
        // The price of data on L1 may rise after the signature.
        if (limit !== undefined && BigInt(gasUsed) * price > limit)
          fail(`a no-op was mined for ${BigInt(gasUsed) * price}, and its bound was ${limit}`)
      }
    },
    forget() {
      last = newest()[0]?.place ?? 0
      before = new Map(bounds().map((row) => [row.id, BigInt(row.cancel_cost_max)]))
    },
  }
}

// Once the faults have stopped, whatever one node says: soon after a DELETE the pool of an honest node has the no-op, and no transaction is
// mined for long, so that a DELETE is refused, while the chain has not spent its nonce.
import { accountAt } from '../chain/blocks.ts'
import { isNoOp } from '../chain/transaction.ts'
import type { World } from '../world.ts'
import type { Row } from './row.ts'

export const promptBlocks = 3
/** Ten seconds, and two answers that take up to six seconds each way. */
export const promptMs = 34_000

/** A no-op waits for these by right. */
const waits: readonly (string | null)[] = [
  'nonce_blocked',
  'cost_bound',
  'cancel_unfunded',
  'price_ceiling',
  'cancel_gas_price_cap',
  'signer_unavailable',
  'facts_missing',
  'gas_unknown',
  'already_ordered',
  'node_unreachable',
]

export interface PromptNoOps {
  /** Called after each event. */
  look(): void
}

export function watchPromptNoOps(world: World): PromptNoOps {
  const { blocks, nodes, rows, addresses, timeline, history, scenario } = world
  const honest = nodes.filter(({ index }) => index !== scenario.liar?.node)
  // Pools may have refused earlier ones, and they are repeated seldom where one has taken them.
  const earlier = new Set([...rows.all().values()].flatMap((row) => (row.canceled_at === null ? [] : [row.id])))
  const since = new Map<string, { readonly ms: number; readonly block: number }>()

  const addressOf = ({ relayer_id: relayer }: Row) => addresses[Number(relayer.slice(1))] ?? ''
  const isSpent = (row: Row) => (row.nonce ?? -1) < accountAt(blocks.canonical(), addressOf(row)).nonce

  function isServed(row: Row): boolean {
    const { nonce, open, phase, wait_condition: condition } = row
    if (open === 0 || nonce === null || phase === 'queued' || waits.includes(condition) || isSpent(row)) return true
    const address = addressOf(row)
    return honest.some(({ pool }) => {
      const held = pool.bySender.get(address)?.get(nonce)
      return held !== undefined && isNoOp(held)
    })
  }

  return {
    look() {
      const { number } = blocks.canonical()
      const now = timeline.now()
      for (const row of rows.all().values()) {
        const isRefused = row.status === 'mined' && !isSpent(row)
        if (!isRefused && (row.cancel_origin !== 'request' || earlier.has(row.id))) {
          since.delete(row.id)
          continue
        }
        if (row.open === 0 || row.nonce === null) continue
        const from = since.get(row.id) ?? { ms: now, block: number }
        since.set(row.id, from)
        if (now < from.ms + promptMs || number < from.block + promptBlocks) continue
        if (isServed(row)) since.set(row.id, { ms: Number.POSITIVE_INFINITY, block: 0 })
        else if (isRefused) history.fail(`${row.id.slice(-6)} is mined for long, and its nonce is not spent`)
        else history.fail(`${row.id.slice(-6)} was canceled, and no honest pool has its no-op: ${row.wait_facts}`)
      }
    },
  }
}

// Checks that a relayer whose next nonce stands still for twice the span of `no_progress` has a condition.
import { accountAt } from '../chain/blocks.ts'
import type { World } from '../world.ts'
import type { Row } from './row.ts'

/** After so many blocks that could have held the next nonce, and so much time, the service says that none does. */
export const span = { blocks: 24, ms: 60_000 } as const

interface Attempted {
  readonly hash: string
  readonly outcome: string | null
  readonly outcome_code: string | null
}

export function watchProgress(world: World): { look(): void } {
  const { blocks, rows, addresses, timeline, history, machine } = world
  const newestOf = machine.disk.committed<[string], Attempted>(
    'SELECT hash, outcome, outcome_code FROM answered WHERE transaction_id = ? ORDER BY nonce DESC, position DESC LIMIT 1',
  )
  /** Since when each attempt is the newest of the next nonce, and a node has it. */
  const silent = new Map<string, { readonly ms: number; readonly block: number }>()
  const isNext = ({ phase, nonce, relayer_id: id }: Row) =>
    phase === 'inFlight' && nonce === accountAt(blocks.canonical(), addresses[Number(id.slice(1))] ?? '').nonce

  return {
    look() {
      const [ms, block] = [timeline.now(), blocks.canonical().number]
      const open = [...rows.all().values()].filter((row) => row.open === 1)
      const waiting = new Set(open.flatMap((row) => (row.wait_condition === null ? [] : [row.relayer_id])))
      for (const row of open) {
        const newest = isNext(row) ? newestOf(row.id)[0] : undefined
        if (!newest) continue
        if (waiting.has(row.relayer_id)) silent.delete(newest.hash)
        const isTaken =
          ['accepted', 'alreadyKnown'].includes(newest.outcome ?? '') || newest.outcome_code === 'nonceTooLow'
        if (waiting.has(row.relayer_id) || !isTaken) continue
        const since = silent.get(newest.hash) ?? { ms, block }
        silent.set(newest.hash, since)
        if (ms - since.ms > 2 * span.ms && block - since.block > 2 * span.blocks)
          history.fail(`${row.id.slice(-6)} has stood still for ${block - since.block} blocks, and shows no condition`)
      }
    },
  }
}

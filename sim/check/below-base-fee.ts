// Checks that a payload in flight below the base fee says so: its cap, or the price that its client named, allows no more.
import { accountAt, ancestorAt } from '../chain/blocks.ts'
import type { World } from '../world.ts'
import { promptBlocks, promptMs } from './prompt-no-ops.ts'
import type { Row } from './row.ts'
import { rulesOf } from './rules.ts'

interface Watch {
  /** Called after each block. */
  look(): void
}

interface Price {
  readonly gas_price: string | null
  readonly max_fee_per_gas: string | null
}

/** The steps that a relayer begins until its rows show what it decided. */
const promptSteps = 3

export function watchBelowBaseFee(world: World): Watch {
  const { blocks, rows, addresses, timeline, history, machine } = world
  const policiesOf = machine.disk.committed<[string], { policies: string }>(
    'SELECT policies FROM relayers WHERE id = ?',
  )
  const newestOf = machine.disk.committed<[string], Price>(
    'SELECT gas_price, max_fee_per_gas FROM attempts WHERE transaction_id = ? ORDER BY nonce DESC, position DESC LIMIT 1',
  )
  /** Since when each row has been silent. */
  const silent = new Map<string, { readonly ms: number; readonly block: number; readonly steps: number }>()

  /** Whether its newest bytes were below the base fee in each of the last blocks, and so was the limit of its price. */
  function isBelow(row: Row): boolean {
    const head = blocks.canonical()
    const address = addresses[Number(row.relayer_id.slice(1))] ?? ''
    if (row.phase !== 'inFlight' || row.canceled_at !== null || row.cancel_origin !== null) return false
    if ((row.nonce ?? -1) < accountAt(head, address).nonce) return false
    const [relayer] = policiesOf(row.relayer_id)
    const [newest] = newestOf(row.id)
    const price = BigInt(newest?.max_fee_per_gas ?? newest?.gas_price ?? 0)
    const cap = row.pricing === 'speed' ? rulesOf(relayer?.policies ?? '{}').gasPriceCap : price
    const before = ancestorAt(head, head.number - promptBlocks) ?? head
    const least = before.nextBaseFee < head.nextBaseFee ? before.nextBaseFee : head.nextBaseFee
    return cap !== undefined && cap < least && price < least
  }

  return {
    look() {
      const [now, { number }] = [timeline.now(), blocks.canonical()]
      for (const row of rows.all().values()) {
        if (row.wait_condition !== null || row.open === 0 || !isBelow(row)) {
          silent.delete(row.id)
          continue
        }
        const begun = machine.owners.stepsOf(row.relayer_id)
        const since = silent.get(row.id) ?? { ms: now, block: number, steps: begun }
        silent.set(row.id, since)
        const isLong = now - since.ms > promptMs && number - since.block > promptBlocks
        if (isLong && begun >= since.steps + promptSteps)
          history.fail(`${row.id.slice(-6)} is below the base fee at its limit, and shows no condition`)
      }
    },
  }
}

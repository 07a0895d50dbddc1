// While the service that holds the keys signs nothing, everything that needs no signature goes on.
import { accountAt, ancestorAt } from '../chain/blocks.ts'
import { witnessSilentMs } from '../process/engine.ts'
import { finalityBlocks, witnessesOf } from '../scenario/finality.ts'
import type { World } from '../world.ts'

/** The number of blocks by which the outage of the key service outlasts all other faults. Half of them suffice to settle earlier transactions. */
export function outageBlocks({ scenario, nodes, state: { blocktimeMs } }: World): number {
  const confirmations = Math.max(scenario.confirmations, finalityBlocks(scenario.finality))
  const lateBlocks = Math.max(...nodes.map(({ receipts }) => receipts.lateBlocks))
  const blocks = 80 + 4 * confirmations + 4 * lateBlocks
  const silentMs = mayBeSilent(nodes, scenario) ? 2 * witnessSilentMs : 0
  return Math.ceil(blocks * Math.max(1, 1_000 / blocktimeMs) + silentMs / blocktimeMs)
}

/** A second endpoint shows no results, or nothing as final, so each verdict waits until its silence has lasted long enough. */
function mayBeSilent(nodes: World['nodes'], { finality }: World['scenario']): boolean {
  const isResultless = nodes.some(({ receipts }) => receipts.omits.includes('status'))
  return nodes.length > 1 && (isResultless || witnessesOf(nodes.length, finality).length < 2)
}

/** Every nonce that was spent in the first half of the outage is settled, and every canceled transaction of a queue has ended. */
export function demandNothingWaits(world: World): void {
  const { scenario, blocks, rows, addresses, history } = world
  // A restored copy finds its lost history at another time.
  if (scenario.restores.length > 0) return
  const head = blocks.canonical()
  const then = ancestorAt(head, head.number - (outageBlocks(world) >> 1))
  if (!then) return
  for (const row of rows.all().values()) {
    if (row.open === 0) continue
    const { nonce } = accountAt(then, addresses[Number(row.relayer_id.slice(1))] ?? '')
    const text = `${row.id.slice(-6)} ${row.phase} ${row.nonce}: ${row.wait_facts ?? row.status_reason}`
    if (row.nonce !== null && row.nonce < nonce) history.fail(`waits for a signer, and needs no signature: ${text}`)
    if (row.nonce === null && row.canceled_at !== null) history.fail(`was canceled in the queue, and waits: ${text}`)
  }
}

/** Every canceled transaction with a no-op in store has begun its race by the end of the outage. */
export function demandRaces({ presigned, scenario, history }: World): void {
  // There is no race for a payload that a sequencer has ordered, a no-op may lack gas where gas rises, and a restored copy finds its
  // lost history at another time.
  if (scenario.kind.isFcfs || scenario.kind.hasL1Gas || scenario.restores.length > 0) return
  for (const { id, nonce, wait_facts: facts } of presigned?.waiting() ?? []) {
    history.fail(`${id.slice(-6)} was canceled, and no pre-signed no-op races for nonce ${nonce}: ${facts}`)
  }
}

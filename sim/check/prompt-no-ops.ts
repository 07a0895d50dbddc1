// Once the faults have stopped, whatever one node says: three blocks and ten seconds after a DELETE the pool of an honest node has the no-op,
// and no transaction is mined for as long, so that a DELETE is refused, while the chain has not spent its nonce.
import { accountAt } from '../chain/blocks.ts'
import { isNoOp } from '../chain/transaction.ts'
import { slowMsMax } from '../network.ts'
import type { World } from '../world.ts'
import type { Row } from './row.ts'

export const promptBlocks = 3
export const promptMs = 10_000
/** Where nodes may answer late: two answers that take as long as can be, there and back. */
export const lateMs = 4 * slowMsMax
/** Six more where a node may invent a spender, which is searched, or a gateway takes few sends in a request. */
const lateSearchMs = 12 * slowMsMax

/** Round trips until the spenders of lower nonces are found: a search takes seven, and a new owner confirms them by further looks. */
const searchRounds = 16
/** So many no-ops may come at once. A gateway takes as many in a request as its batches hold, and each request has a round trip. */
const sendsMax = 48

/** At the least price, in wei. */
const noOpGas = 21_000n

/** A no-op waits for these by right. */
const waits: readonly (string | null)[] = [
  'nonce_blocked',
  'cost_bound',
  'cancel_unfunded',
  'price_ceiling',
  'signer_unavailable',
  'facts_missing',
  'gas_unknown',
  'already_ordered',
  'node_unreachable',
]

const never = { ms: Number.POSITIVE_INFINITY, block: 0 }

export interface PromptNoOps {
  /** Called after each event. */
  look(): void
}

export function watchPromptNoOps(world: World): PromptNoOps {
  const { blocks, nodes, network, rows, addresses, bytes, timeline, history, scenario } = world
  // Where gas is free no price rises, and Besu alone replaces a transaction at the same price, whatever it says. An only node has a
  // pool, too.
  const isAnyPool = scenario.fees.isFree || nodes.length === 1
  const honest = nodes.filter(({ index }) => isAnyPool || index !== scenario.liar?.node)
  // Pools may have refused earlier ones, and they are repeated seldom where one has taken them.
  const earlier = new Set([...rows.all().values()].flatMap((row) => (row.canceled_at === null ? [] : [row.id])))
  const smallestBatch = Math.min(...network.batchLimits.map((limit) => limit?.most ?? Number.POSITIVE_INFINITY))
  const farRounds = searchRounds + Math.ceil(sendsMax / smallestBatch)
  const farMs = farRounds * 2 * Math.max(0, ...(scenario.latenciesMs ?? []))
  const mayTakeMore = scenario.liar !== undefined || Number.isFinite(smallestBatch)
  const lateMostMs = lateMs + (mayTakeMore ? lateSearchMs : 0)
  const since = new Map<string, { readonly ms: number; readonly block: number }>()

  const addressOf = ({ relayer_id: relayer }: Row) => addresses[Number(relayer.slice(1))] ?? ''
  const nextOf = (row: Row) => accountAt(blocks.canonical(), addressOf(row)).nonce
  const isSpent = (row: Row) => (row.nonce ?? -1) < nextOf(row)
  const isFar = (row: Row, most: number) => (row.nonce ?? -1) - nextOf(row) > most
  // No sequencer keeps a nonce for long that is not the next, and no pool one that is far above it.
  const isTooEarly = (row: Row) =>
    (scenario.kind.isFcfs && isFar(row, 0)) || honest.every(({ profile }) => isFar(row, profile.gapMax))

  const heldFor = (row: Row) => honest.map(({ pool }) => pool.bySender.get(addressOf(row))?.get(row.nonce ?? -1))
  const hasNoOp = (row: Row) => heldFor(row).some((held) => held !== undefined && isNoOp(held))
  /**
   * Whether all pools hold bytes of somebody else with the key, or that a restored copy lacks. They may be so dear that no bid takes their
   * place, and no payload of this row can be mined before them.
   */
  const isTaken = (row: Row) => heldFor(row).every((held) => held !== undefined && !bytes.recorded(held.hash))

  /** Whether all pools lack something below its nonce: some refuse what follows a gap, and that below is checked by itself. */
  function isBehindGap(row: Row): boolean {
    const below = Array.from({ length: Math.max(0, (row.nonce ?? 0) - nextOf(row)) }, (_, index) => nextOf(row) + index)
    return honest.every(({ pool }) => below.some((nonce) => !pool.bySender.get(addressOf(row))?.has(nonce)))
  }

  /** Where gas is free an account may be empty. No pool replaces bytes for nothing, whatever a node says of its no-op. */
  function isPenniless(row: Row): boolean {
    return scenario.fees.isFree && accountAt(blocks.canonical(), addressOf(row)).balance < noOpGas
  }

  function isExcused(row: Row): boolean {
    const { phase, wait_condition: condition } = row
    // Such a sequencer may lose a no-op after it returned the hash. The service repeats it some blocks later.
    const mayBeLost = condition === 'outcome_unknown' && scenario.kind.answers === 'beforeOrder'
    return phase === 'queued' || mayBeLost || waits.includes(condition) || isPenniless(row) || isTaken(row)
  }

  return {
    look() {
      const { number } = blocks.canonical()
      const now = timeline.now()
      for (const row of rows.all().values()) {
        const isRefused = row.status === 'mined' && !isSpent(row)
        if (isTooEarly(row) || (!isRefused && (row.cancel_origin !== 'request' || earlier.has(row.id)))) {
          since.delete(row.id)
          continue
        }
        if (row.open === 0 || row.nonce === null) continue
        const from = since.get(row.id) ?? { ms: now, block: number }
        since.set(row.id, from)
        const withinMs = (network.isPrompt ? promptMs : promptMs + lateMostMs) + farMs
        const isOver = now >= from.ms + withinMs && number >= from.block + promptBlocks
        // A pool may lose it again, as anvil's does with what follows a replaced one.
        if (isSpent(row) || hasNoOp(row) || (isOver && isExcused(row))) since.set(row.id, never)
        else if (!isOver) continue
        else if (isBehindGap(row)) since.delete(row.id)
        else if (isRefused) history.fail(`${row.id.slice(-6)} is mined for long, and its nonce is not spent`)
        else history.fail(`${row.id.slice(-6)} was canceled, and no honest pool has its no-op: ${row.wait_facts}`)
      }
    },
  }
}

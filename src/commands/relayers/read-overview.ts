// Reads the standing of a relayer, with its counts and its last observation. It calls no node.

import { defined } from '../../domain/defined.ts'
import { withForeignUse } from '../../domain/foreign-use.ts'
import {
  type HeldNetwork,
  heldNow,
  type OwnerReport,
  type RelayerChange,
  type ShownHeld,
  withOutages,
} from '../../domain/owner-report.ts'
import { isPaused, type NetworkPause, pauseFacts, pauseInWords } from '../../domain/pause.ts'
import type { Relayer } from '../../domain/relayer.ts'
import {
  type HeldUpTransaction,
  holdingUp,
  type OpenTransaction,
  oldestWaiting,
} from '../../domain/relayer-overview.ts'
import type { Reads } from '../../store/store.ts'

/** Pauses by network. */
type NetworkPauses = ReadonlyMap<string, NetworkPause>

/** Facts that relayers share. `outages`: of those with the same nodes. */
export interface Shared {
  readonly pauses: NetworkPauses
  readonly outages: readonly HeldNetwork[]
}

export interface Overview {
  readonly relayer: Relayer
  readonly queued: number
  /** Transactions with a nonce, in no block. */
  readonly inFlight: number
  /** Transactions in a block, not confirmed. */
  readonly mined: number
  /** Canceled transactions that are not decided. */
  readonly racing: number
  readonly oldest?: OpenTransaction
  readonly heldUp?: HeldUpTransaction
  /** Absent until an owner has observed the relayer. */
  readonly report?: OwnerReport
  /** The conditions of the report, as of now. */
  readonly conditions: readonly ShownHeld[]
  /** Absent if no client has changed the relayer. */
  readonly changed?: RelayerChange
  /** The pause of the relayer's network. */
  readonly pause?: NetworkPause
}

export async function readOverview(reads: Reads, relayer: Relayer, { pauses, outages }: Shared): Promise<Overview> {
  const { id } = relayer
  const [standing, counts, report, uses, changed] = await Promise.all([
    reads.standing(id),
    reads.counts(id),
    reads.ownerReport(id),
    reads.openForeignUses(id),
    reads.relayerChange(id),
  ])
  const pause = relayer.networkPaused && pauses.get(relayer.network)
  const inFlight = standing.bound.filter(({ isMined }) => !isMined)
  const oldest = oldestWaiting(standing)
  const heldUp = holdingUp(standing)
  const isOpen = heldUp !== undefined || counts.pending + standing.bound.length > 0
  const held = withPause(heldNow(report && withOutages(report, outages), heldUp, isOpen), relayer, heldUp)
  return {
    relayer,
    queued: counts.pending,
    inFlight: inFlight.length,
    mined: standing.bound.length - inFlight.length,
    racing: inFlight.filter(({ isRacing }) => isRacing).length,
    ...defined({ oldest, heldUp, report }),
    conditions: withForeignUse(held, uses),
    ...defined({ pause, changed }),
  }
}

/** The row says which pause it is, and sends are refused. A transaction that waits has the words of its own wait. */
function withPause(
  conditions: readonly ShownHeld[],
  relayer: Relayer,
  heldUp: HeldUpTransaction | undefined,
): readonly ShownHeld[] {
  if (!isPaused(relayer) || heldUp?.wait.condition === 'paused') return conditions
  const facts = pauseFacts(relayer)
  return conditions.map((held) => (held.condition === 'paused' ? { ...held, facts, text: pauseInWords(facts) } : held))
}

/** The pauses of networks, read once for many relayers, and only if one of these needs them. */
export async function networkPausesOf(reads: Reads, relayers: readonly Relayer[]): Promise<NetworkPauses> {
  return relayers.some(({ networkPaused }) => networkPaused) ? reads.networkPauses() : new Map()
}

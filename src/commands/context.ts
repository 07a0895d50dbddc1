// The context of every command: the store, the time, and a hint that there is work.

import { RescindError } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer, SendProfile } from '../domain/relayer.ts'
import type { Clock } from '../ops/clock.ts'
import type { Random } from '../ops/random.ts'
import type { Store } from '../store/store.ts'
import type { QueueRooms } from './queue-room.ts'

/** Throws SIGNER_UNAVAILABLE for a relayer whose account is unknown, or is no longer the one that is stored. */
export function refuseAwaited({ whyAwaited }: Pick<CommandContext, 'whyAwaited'>, id: RelayerId): void {
  const why = whyAwaited?.(id)
  if (why !== undefined) throw new RescindError('SIGNER_UNAVAILABLE', why)
}

/** Throws DATABASE_UNAVAILABLE where a new payload would be gone after the next start. What is under way goes on. */
export function refuseReplaced({ store }: Pick<CommandContext, 'store'>): void {
  if (!store.isReplaced?.()) return
  throw new RescindError(
    'DATABASE_UNAVAILABLE',
    'the database file or its write-ahead log was deleted or replaced while the service has it open: nothing of this is stored',
  )
}

export interface CommandContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** Called after the commit. The hint may be lost, see ownership/ownership.ts. `queued`: transactions joined the queue, no more. */
  readonly wake: (relayer: RelayerId, cause?: 'queued') => void
  readonly queueRooms: QueueRooms
  /** Why a relayer of the file has no account yet; undefined for all others. Absent where none can lack one. */
  readonly whyAwaited?: (relayer: string) => string | undefined
  /** Undefined where the configuration of this replica lacks the network. */
  readonly profileOf: (relayer: Pick<Relayer, 'id' | 'network'>) => SendProfile | undefined
}

// The ownership port: exactly one process advances a relayer at a time, and the store's fence enforces it.
import { OwnershipLost } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Session } from '../store/store.ts'

export interface Ownership {
  readonly relayer: RelayerId
  /** Fences every write of this owner. */
  readonly epoch: bigint
  /** Aborts when another process owns the relayer, or this one has to release it: the step under way is the last. */
  readonly lost: AbortSignal
  /** Whether another process may own it by now. Reads the clock, for a process that slept through its lease. */
  isOver(): boolean
}

/** `queued`: transactions joined the queue, and nothing else changed. */
export type WakeCause = 'queued'

export interface OwnershipHandlers {
  acquired(ownership: Ownership): void
  wake(relayer: RelayerId, cause?: WakeCause): void
  /** Wakes it if its last step found nothing to do: there is a queue now. */
  wakeIfIdle(relayer: RelayerId): void
  /** Resolves when the last step is over. */
  released(ownership: Ownership): Promise<void>
  /** Called at each survey: another service of the database has the accounts of exactly these, which this process would acquire. */
  accountsInUse?(relayers: readonly RelayerId[]): void
}

export interface Ownerships {
  start(handlers: OwnershipHandlers): Promise<void>
  /** This process shall advance exactly these relayers from now on: it has their keys and networks. */
  assign(relayers: readonly RelayerId[]): Promise<void>
  /** Called after the commit. A hint: it may be lost, doubled, merged. */
  wake(relayer: RelayerId, cause?: WakeCause): void
  /** Releases the relayer after a failed step and acquires it anew, so that the step counts as a crash. */
  renew(ownership: Ownership): Promise<void>
  /** Releases the relayer after a refused write. It is acquired again if a survey proves that it belongs to this process. */
  yield(ownership: Ownership): Promise<void>
  stop(): Promise<void>
}

/** The first statement of an owner's unit. Throws OwnershipLost. */
export async function fence(session: Session, ownership: Ownership): Promise<void> {
  refuseIfOver(ownership)
  await session.fence(ownership.relayer, ownership.epoch)
}

/** Called before bytes leave, and before a write. Throws OwnershipLost. */
export function refuseIfOver({ relayer, isOver }: Ownership): void {
  if (isOver()) throw new OwnershipLost(`the lease of relayer ${relayer} is over: it may have another owner`)
}

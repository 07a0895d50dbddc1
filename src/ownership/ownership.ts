// The ownership port: exactly one process advances a relayer at a time, and the store's fence holds it to that.
import { OwnershipLost } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Session } from '../store/store.ts'

export interface Ownership {
  readonly relayer: RelayerId
  /** Fences every write of this owner. */
  readonly epoch: bigint
  /** Aborts when the relayer is somebody else's, or is to be given up: the step under way is the last. */
  readonly lost: AbortSignal
  /** Whether somebody else may own it by now: looks at the clock, for a process that slept through its lease. */
  isOver(): boolean
}

export interface OwnershipHandlers {
  acquired(ownership: Ownership): void
  wake(relayer: RelayerId): void
  /** Resolves when the last step is over. */
  released(ownership: Ownership): Promise<void>
}

export interface Ownerships {
  start(handlers: OwnershipHandlers): Promise<void>
  /** From now on these, and no others, are for this process to advance: those whose key and network it has. */
  assign(relayers: readonly RelayerId[]): Promise<void>
  /** After the commit. A hint: it may be lost, doubled, merged. */
  wake(relayer: RelayerId): void
  /** After a failed step: gives the relayer up and acquires it anew, so that the step counts as a crash. */
  renew(ownership: Ownership): Promise<void>
  /** After a write that was refused: gives the relayer up. It is acquired again where it proves to be this process's. */
  yield(ownership: Ownership): Promise<void>
  stop(): Promise<void>
}

/** The first statement of an owner's unit. Throws OwnershipLost. */
export async function fence(session: Session, ownership: Ownership): Promise<void> {
  refuseIfOver(ownership)
  await session.fence(ownership.relayer, ownership.epoch)
}

/** Throws OwnershipLost: before bytes leave, as before a write. */
export function refuseIfOver({ relayer, isOver }: Ownership): void {
  if (isOver()) throw new OwnershipLost(`the lease of relayer ${relayer} is over: it may have another owner`)
}

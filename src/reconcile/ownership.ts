// The ownership port: exactly one process advances a relayer at a time, and the store's fence holds it to that.
import type { RelayerId } from '../domain/ids.ts'

export interface Ownership {
  readonly relayer: RelayerId
  /** Fences every write of this owner. */
  readonly epoch: bigint
  /** Aborts when the relayer is somebody else's, or when the process stops. */
  readonly lost: AbortSignal
}

export interface OwnershipHandlers {
  acquired(ownership: Ownership): void
  wake(relayer: RelayerId): void
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
  stop(): Promise<void>
}

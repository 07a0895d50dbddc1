// The part of the store port for no-ops that are signed before a cancellation.
import type { RelayerId } from '../domain/ids.ts'
import type { PresignedNoOp } from '../domain/presigned-no-op.ts'
import type { TimestampMs } from '../domain/units.ts'

/** Stored before the signed bytes. */
export interface PresignedHash extends Omit<PresignedNoOp, 'sealed'> {
  readonly signedAt: TimestampMs
}

export interface SealedNoOp extends Pick<PresignedNoOp, 'nonce' | 'hash' | 'sealed'> {
  readonly relayerId: RelayerId
}

export interface PresignedReads {
  /** Of every relayer, with their bytes. */
  presigned(): Promise<readonly SealedNoOp[]>
}

export interface PresignedChanges {
  /** Changes nothing if the hash is stored. */
  recordPresigned(relayerId: RelayerId, noOp: PresignedHash): Promise<void>
  /** Makes it usable. Changes nothing if its hash is not stored. */
  sealPresigned(noOp: SealedNoOp): Promise<void>
  removePresigned(relayerId: RelayerId, noOp: Pick<PresignedNoOp, 'nonce' | 'hash'>): Promise<void>
  /** Deletes those whose nonce is spent for good. */
  prunePresigned(relayerId: RelayerId): Promise<void>
}

// Returns the entity that was found, or throws the refusal for a missing one.
import { type ErrorCode, RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Reads } from '../../store/store.ts'

export function found<T>(what: T | undefined, code: ErrorCode, message: string): T {
  if (what === undefined) throw new RescindError(code, message)
  return what
}

/** Throws RELAYER_NOT_FOUND. */
export async function foundRelayer(reads: Reads, id: RelayerId): Promise<Relayer> {
  const relayer = await reads.relayer(id)
  if (!relayer) throw relayerNotFound(id)
  return relayer
}

/** A relayer, or a deleted one: its transactions can still be read. Throws RELAYER_NOT_FOUND. */
export async function foundHistory(reads: Reads, id: RelayerId): Promise<RelayerId> {
  if ((await reads.relayer(id)) || (await reads.wasRelayer(id))) return id
  throw relayerNotFound(id)
}

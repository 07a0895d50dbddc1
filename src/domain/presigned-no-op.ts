// A pre-signed no-op: signed before its transaction is canceled, for the time when the signer is down.
import type { Fees } from './fees.ts'
import type { Hash, RelayerId } from './ids.ts'
import type { Gas, Nonce } from './units.ts'

export interface PresignedNoOp {
  readonly hash: Hash
  readonly nonce: Nonce
  readonly fees: Fees
  readonly gasLimit: Gas
  /** The signed bytes, encrypted by the vault. Only a canceled transaction opens them. */
  readonly sealed: string
}

/** The vault binds the bytes to it: they open only as this no-op of this relayer. */
export function placeOfNoOp(relayerId: RelayerId, hash: Hash): string {
  return `the pre-signed no-op ${hash} of relayer "${relayerId}"`
}

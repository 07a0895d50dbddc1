// The signer port: an address and its signatures. Each implementation decides where the key is stored.
import type { Signature } from '../domain/attempt.ts'
import type { Fees } from '../domain/fees.ts'
import type { Address, Hash, Hex } from '../domain/ids.ts'
import type { AccessList } from '../domain/transaction.ts'
import type { Gas, Nonce, Wei } from '../domain/units.ts'

/**
 * An unsigned transaction. A legacy price makes it legacy with EIP-155 replay protection or, with an access list,
 * EIP-2930 (type 1). Any other price makes it EIP-1559 (type 2).
 */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: Nonce
  readonly fees: Fees
  readonly gasLimit: Gas
  readonly to?: Address
  readonly value: Wei
  readonly data: Hex
  readonly accessList?: AccessList
}

export interface SignedTransaction {
  readonly raw: Hex
  /** keccak-256 of `raw`: the transaction hash. */
  readonly hash: Hash
  readonly signature: Signature
}

/**
 * A statement to be shown to others and never mined: the bytes of a message (EIP-191, version 0x45), or the two hashes
 * of typed data (EIP-712).
 */
export type SignableStatement =
  | { readonly kind: 'message'; readonly bytes: Hex }
  | { readonly kind: 'typedData'; readonly domainSeparator: Hash; readonly structHash: Hash }

export interface Signer {
  /** EIP-55. */
  readonly address: Address
  /** Rejects when the key can't be reached, but never because of the transaction's content. */
  sign(unsigned: UnsignedTransaction): Promise<SignedTransaction>
  /** Rejects when the key can't be reached. `v` is 27 or 28. */
  signStatement(statement: SignableStatement): Promise<Signature>
}

// The signer port: an address and its signatures. Each implementation decides where the key is stored.
import type { Signature } from '../domain/attempt.ts'
import type { Fees } from '../domain/fees.ts'
import type { Address, Hash, Hex } from '../domain/ids.ts'
import type { AccessList } from '../domain/transaction.ts'
import type { Gas, Nonce, TimestampMs, Wei } from '../domain/units.ts'

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

/** Priorities in the order in which a quota serves them. */
export type SigningPriority = 'cancel' | 'replace' | 'payload' | 'statement' | 'presign'

export interface SigningRequest {
  readonly priority: SigningPriority
  /** The signer gives up at this time. */
  readonly deadline: TimestampMs
}

/** The key can't be reached, or does not sign. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable'
  /** The key service's code or ours, without secrets. */
  readonly code: string
  /** Whether the failure lasts until an operator acts. */
  readonly isPermanent: boolean
  /** The provider's id of the work that signs, for the people who look it up there. */
  readonly activity?: string

  constructor(
    message: string,
    facts: {
      readonly code: string
      readonly isPermanent: boolean
      readonly activity?: string
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: facts.cause })
    this.code = facts.code
    this.isPermanent = facts.isPermanent
    if (facts.activity !== undefined) this.activity = facts.activity
  }
}

/** A key in a service: its signatures take time, and may fail. */
export interface RemoteKey {
  /** How many signatures to request at once: what the quota allows in a fraction of a second. */
  readonly groupMax: number
  /** False from a failure that stopped its calls until it signs again, also while nothing requests a signature. */
  isAvailable(): boolean
  /** Why it signs nothing now; undefined while it signs. */
  outage(): { readonly code: string; readonly isPermanent: boolean; readonly retryAt: TimestampMs } | undefined
}

/**
 * A statement to be shown to others and never mined: the bytes of a message (EIP-191, version 0x45), or the two hashes
 * of typed data (EIP-712).
 */
export type SignableStatement =
  | { readonly kind: 'message'; readonly bytes: Hex }
  | { readonly kind: 'typedData'; readonly domainSeparator: Hash; readonly structHash: Hash }

/** The result of a probe, without the signature. */
export interface SignerProbe {
  readonly keyVersion: string
  readonly latencyMs: number
  /** The time until the access token ends; absent without one. */
  readonly tokenEndsInMs?: number
  /** How far this machine's clock is ahead; absent where no answer has a date. */
  readonly clockAheadMs?: number
}

export interface Signer {
  /** EIP-55. */
  readonly address: Address
  /** The key in a service; absent: the key is in memory, so it signs at once. */
  readonly remote?: RemoteKey
  /** Rejects with SignerUnavailable, but never because of the transaction's content. */
  sign(unsigned: UnsignedTransaction, request: SigningRequest): Promise<SignedTransaction>
  /** Rejects with SignerUnavailable. `v` is 27 or 28. */
  signStatement(statement: SignableStatement): Promise<Signature>
  /**
   * Signs the text that opening it signs. Rejects with SignerUnavailable. Absent where the key is in memory, or where a person
   * approves each signature.
   */
  probe?(): Promise<SignerProbe>
  /** Ends connections and sessions of a remote signer. It signs nothing afterwards. Never rejects. */
  close?(): Promise<void>
}

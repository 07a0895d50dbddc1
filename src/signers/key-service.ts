// The port of a key that lives in a service: a KMS, a vault, an HSM. An implementation makes one request a call, and
// signer code above it retries, queues and checks.
import type { Hash, Hex } from '../domain/ids.ts'

export interface KeyService {
  /** Keys that share one quota share one queue: account and region, vault, organization, token. */
  readonly quotaDomain: string
  /** The limits that the provider documents for a quota domain: `perSecond` signatures and `concurrency` calls at once. */
  readonly quota: { readonly perSecond: number; readonly concurrency: number }
  /**
   * Pins the key: resolves an alias or "latest" to a fixed version, checks the curve, reads the public key (65 bytes,
   * uncompressed). Throws KeyServiceError.
   */
  open(signal: AbortSignal): Promise<{ readonly publicKey: Hex; readonly keyVersion: string }>
  /**
   * Waits for what each call needs first, such as an access token: it has limits of its own, so a call's limit begins
   * after it. Throws KeyServiceError.
   */
  ready?(signal: AbortSignal): Promise<void>
  /** No token is valid, and a new one is on its way: a call that took too long waited for it. */
  awaitsToken?(): boolean
  /** One try. `digest` is keccak256 of `preimage`. Throws KeyServiceError. */
  sign(request: { readonly digest: Hash; readonly preimage: Hex }, signal: AbortSignal): Promise<KeySignature>
  /** Its service limits or counts logins, such as those with a secret for one: one that it refused is not repeated at once. */
  readonly countsLogins?: boolean
  /** False where each signature needs a person's approval: then no probe is signed at start. */
  readonly canProbe: boolean
  /** The time until the access token ends; undefined without one, or where the issuer keeps it. */
  tokenEndsInMs?(): number | undefined
  /** How far this machine's clock is ahead of the service's, by its last answer with a date. Exact to a second. */
  clockAheadMs?(): number | undefined
  close?(): Promise<void>
}

export interface KeySignature {
  /** `compact`: r‖s, 64 bytes, or 65 with a v that is ignored. */
  readonly encoding: 'der' | 'compact'
  readonly bytes: Hex
  /** The provider's own id of the request. */
  readonly requestId?: string
}

/**
 * - `pending`: the service is at work on it, and has not failed.
 * - `approval`: people have to approve this signature at the service. Others may need none.
 * - `credentials`: those of this service are refused, or there are none: for a moment, or until an operator acts.
 * - `permanent`: until an operator acts.
 */
export type KeyServiceErrorKind = 'throttled' | 'pending' | 'approval' | 'transient' | 'credentials' | 'permanent'

export class KeyServiceError extends Error {
  override readonly name = 'KeyServiceError'
  readonly kind: KeyServiceErrorKind
  /** The provider's own code, without secrets. */
  readonly code: string
  /** How long the provider wants no further call. */
  readonly retryAfterMs?: number
  /** How far this machine's clock is ahead of the service's, where that is the reason. */
  readonly clockAheadMs?: number
  /** The provider's id of the work that signs, for the people who look it up there. */
  readonly activity?: string

  constructor(
    message: string,
    facts: {
      readonly kind: KeyServiceErrorKind
      readonly code: string
      readonly retryAfterMs?: number
      readonly clockAheadMs?: number
      readonly activity?: string
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: facts.cause })
    this.kind = facts.kind
    this.code = facts.code
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs
    if (facts.clockAheadMs !== undefined) this.clockAheadMs = facts.clockAheadMs
    if (facts.activity !== undefined) this.activity = facts.activity
  }
}

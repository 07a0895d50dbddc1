// An idempotency key: a client's name for a send. A second request under the same name gets the transactions of the
// first.
import { RescindError } from './errors.ts'
import type { ApiKeyId, TransactionId } from './ids.ts'

export interface Claim {
  /** The API key of the request. Keys never share a name. */
  readonly owner: ApiKeyId
  readonly key: string
  /** The digest of the request, relayer included. */
  readonly digest: string
}

/** The earlier request under the key. */
export interface Claimed {
  readonly digest: string
  readonly ids: readonly TransactionId[]
}

/** Throws IDEMPOTENCY_KEY_REUSED if the earlier request was another one. */
export function checkClaim({ key, digest }: Claim, claimed: Claimed): void {
  if (claimed.digest === digest) return
  throw new RescindError(
    'IDEMPOTENCY_KEY_REUSED',
    `Idempotency-Key: "${key}" was used for another request; send that request again, or this one under a new key`,
  )
}

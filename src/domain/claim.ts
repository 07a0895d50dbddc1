// An idempotency key: a client's name for a send, so that asking again answers what the first time made.
import { RescindError } from './errors.ts'
import type { ApiKeyId, TransactionId } from './ids.ts'

export interface Claim {
  /** The API key that asks: two of them never share a name. */
  readonly owner: ApiKeyId
  readonly key: string
  /** Of what is asked for, relayer included. */
  readonly digest: string
}

/** What stands under a key that was used before. */
export interface Claimed {
  readonly digest: string
  readonly ids: readonly TransactionId[]
}

/** Throws IDEMPOTENCY_KEY_REUSED where the key stands for another request. */
export function checkClaim({ key, digest }: Claim, claimed: Claimed): void {
  if (claimed.digest === digest) return
  throw new RescindError(
    'IDEMPOTENCY_KEY_REUSED',
    `Idempotency-Key: "${key}" was used for another request; send that request again, or this one under a new key`,
  )
}

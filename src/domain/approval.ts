// The record of four eyes on a transaction: the keys that set its payload, and the one that released it.
import type { ApiKeyId, Hash } from './ids.ts'
import type { TimestampMs } from './units.ts'

/**
 * The record of four eyes, kept for the life of a transaction: a later change of the policy opens no hold, and a replacement needs
 * a release of its own.
 */
export interface FourEyes {
  /** Every key that set a payload, in order: none of them may release it. */
  readonly setBy: readonly ApiKeyId[]
  /** When the current payload was set. */
  readonly since: TimestampMs
  /** The approval of the current payload. Absent: nobody has released it. */
  readonly released?: Approval
}

interface Approval {
  readonly by: ApiKeyId
  readonly at: TimestampMs
  /** The digest that the releaser sent. */
  readonly digest: Hash
  readonly revision: number
}

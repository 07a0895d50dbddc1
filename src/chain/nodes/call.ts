// One JSON-RPC call and its answer. "Unknown" is an answer of its own.
import type { Address } from '../../domain/ids.ts'
import type { Nonce } from '../../domain/units.ts'

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  /** Set where no client's payload shapes the answer, although payloads shape those of this method. */
  readonly shapedBy?: 'service'
  /** The transactions sought in a block. A large block is returned with nothing else. */
  readonly seeks?: SoughtInBody
  /** Set where a payload shaped the answer: of a large one, only the heads of its texts are kept. */
  readonly keeps?: 'heads'
}

/** The account whose transactions are sought, and its nonces. */
export interface SoughtInBody {
  readonly account: Address
  readonly from: Nonce
  readonly through: Nonce
}

/**
 * - `value`, `rpcError`: the node answered.
 * - `unknown`: the node may have executed the call or not: a time-out, a lost connection, an HTTP error, a rate limit,
 *   garbage. `isTooLarge`: the answer exceeded its limit, and would the next time. `status`: of an HTTP answer that holds none.
 * - `unsent`: no byte of the call reached a node, because no connection was made, or none was tried.
 *
 * No message holds a key, a header, or of a URL more than its origin.
 */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'rpcError'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'unknown'; readonly message: string; readonly isTooLarge?: boolean; readonly status?: number }
  | { readonly kind: 'unsent'; readonly message: string }

/** Sends a call to one endpoint. Never rejects. */
export type SendCall = (call: Call) => Promise<Answer>

/** Describes an answer for a log or an error. */
export function describeAnswer(answer: Answer): string {
  switch (answer.kind) {
    case 'value':
      return 'an answer of the wrong shape'
    case 'rpcError':
      return `${answer.message} (${answer.code})`
    case 'unknown':
    case 'unsent':
      return answer.message
  }
}

/** Whether the node answered at all, even with an error. */
export function isAnswered(answer: Answer | undefined): boolean {
  return answer?.kind === 'value' || answer?.kind === 'rpcError'
}

/** Whether the answer exceeded its limit, and would the next time. */
export function isTooLarge(answer: Answer | undefined): boolean {
  return answer?.kind === 'unknown' && answer.isTooLarge === true
}

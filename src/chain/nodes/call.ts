// One JSON-RPC call and its answer. "Unknown" is an answer of its own.

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * - `value`, `rpcError`: the node answered.
 * - `unknown`: the node may have executed the call or not: a time-out, a lost connection, an HTTP error, a rate limit,
 *   garbage.
 * - `unsent`: no byte of the call reached a node, because no connection was made, or none was tried.
 *
 * No message holds a URL, a key or a header.
 */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'rpcError'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'unknown'; readonly message: string }
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

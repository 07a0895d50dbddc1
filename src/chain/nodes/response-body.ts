// Reads a JSON-RPC 2.0 body whose shape is unverified.
import type { Answer } from './call.ts'

/** One answer. Its `error` has the same shape. */
export interface BatchMember {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly data?: unknown
}

/** EIP-1474's code for an exceeded limit. Rate limits and limits on batches share it. */
export const limitExceeded = -32005
/** The exceeded limit, and the code that gateways put into an HTTP 200 instead of sending an HTTP 429. */
const rateLimitCodes: readonly number[] = [429, limitExceeded]

export const leftOut: Answer = { kind: 'unknown', message: 'the node left this call out of its answer' }

export function toAnswer(member: unknown, redact: (text: string) => string): Answer {
  if (!isObject(member)) return leftOut
  const { error } = member
  if (isObject(error)) {
    if (isRateLimit(member)) return { kind: 'unknown', message: 'rate limited' }
    const { code, message, data } = error
    if (typeof code !== 'number') return { kind: 'unknown', message: 'an error without a code' }
    const text = redact(typeof message === 'string' ? message : '')
    return { kind: 'rpcError', code, message: text, ...(data !== undefined && { data }) }
  }
  return 'result' in member ? { kind: 'value', value: member.result } : leftOut
}

export function isRateLimit({ error }: BatchMember): boolean {
  return isObject(error) && rateLimitCodes.includes(Number(error.code))
}

export function membersOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [json]
}

export function isObject(value: unknown): value is BatchMember {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

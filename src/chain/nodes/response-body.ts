// Reads a JSON-RPC 2.0 body whose shape is unverified.
import type { Answer } from './call.ts'
import { speaksOfRate } from './rate-limit.ts'

/** One answer. Its `error` has the same shape. */
export interface BatchMember {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly data?: unknown
}

export const leftOut: Answer = { kind: 'unknown', message: 'the node left this call out of its answer' }

export function toAnswer(member: unknown, redact: (text: string) => string): Answer {
  if (!isObject(member)) return leftOut
  const error = errorOf(member)
  if (error) {
    if (isRateLimit(member)) return { kind: 'unknown', message: 'rate limited' }
    const { code, message, data } = error
    if (typeof code !== 'number') return { kind: 'unknown', message: 'an error without a code' }
    const text = redact(typeof message === 'string' ? message : '')
    return { kind: 'rpcError', code, message: text, ...(data !== undefined && { data }) }
  }
  return 'result' in member ? { kind: 'value', value: member.result } : leftOut
}

/** The member's error. Some gateways send an empty one beside each result: no members, or a code of 0 without words. */
export function errorOf(member: BatchMember): BatchMember | undefined {
  const { error } = member
  if (!isObject(error) || Object.keys(error).length === 0) return undefined
  const { code = 0, message = '' } = error
  return code === 0 && message === '' && 'result' in member ? undefined : error
}

export function isRateLimit(member: BatchMember): boolean {
  const error = errorOf(member)
  return error !== undefined && speaksOfRate(error.code, error.message)
}

/**
 * The node's own limit on the size of an answer: -32003 by geth and Erigon, -32008 and -32011 by reth. Only
 * for a read: EIP-1474 has -32003 for a rejected transaction.
 */
const tooLargeCodes: readonly unknown[] = [-32003, -32008, -32011]

export function isTooLargeForNode(member: BatchMember): boolean {
  return tooLargeCodes.includes(errorOf(member)?.code)
}

export function membersOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [json]
}

export function isObject(value: unknown): value is BatchMember {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

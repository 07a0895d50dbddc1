// Reads a JSON-RPC 2.0 body whose shape is unverified: its members by their ids, its errors, and whether one is a rate limit.
import type { Answer } from './call.ts'

/** EIP-1474's code for an exceeded limit. Rate limits and limits on batches share it. */
export const limitExceeded = -32005
/** Gateways put it into an HTTP 200 instead of sending an HTTP 429. */
const tooManyRequests = 429

/** Words of limits on requests, as providers write them. */
const ofRequests = /rate|too many|limit|exceed|quota|capacity|throttl|credit|batch|slow/i
/** Words of a limit on the transaction itself. */
const ofTransaction = /\bgas\b/i

/**
 * Whether a JSON-RPC error is a rate limit. Besu and Hedera's relay give -32005 also for a gas limit above the block's, so the message is
 * read before the code.
 */
function speaksOfRate(code: unknown, message: unknown): boolean {
  if (Number(code) === tooManyRequests) return true
  if (Number(code) !== limitExceeded) return false
  // Without words, the code is all that the node says.
  if (typeof message !== 'string' || message.trim() === '') return true
  return ofRequests.test(message) && !ofTransaction.test(message)
}

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

interface MatchedIds {
  readonly byId: ReadonlyMap<unknown, BatchMember>
  /** A member answers no call, or a call that another member answers, too. */
  readonly areMixed: boolean
}

/**
 * Finds the members of a response by the ids of its calls. An id that occurs twice, or that no call has, is no answer. An error about the
 * whole request has no id, or null.
 */
export function matchIds(members: readonly BatchMember[], ids: readonly unknown[]): MatchedIds {
  const named = members.filter(({ id }) => id !== undefined && id !== null)
  const counts = new Map<unknown, number>()
  for (const { id } of named) counts.set(id, (counts.get(id) ?? 0) + 1)
  const isSound = ({ id }: BatchMember) => counts.get(id) === 1 && ids.includes(id)
  return {
    byId: new Map(named.filter(isSound).map((member) => [member.id, member])),
    areMixed: !named.every(isSound),
  }
}

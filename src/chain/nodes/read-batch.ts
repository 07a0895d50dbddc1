// Classifies a node's response to a whole batch, by the HTTP status and the shape of the body. It reads no text.
import {
  type BatchMember,
  errorOf,
  isObject,
  isRateLimit,
  isTooLargeForNode,
  limitExceeded,
  membersOf,
} from './response-body.ts'
import type { HttpAnswer } from './transport.ts'

/**
 * - `answered`: the node answered at least one call. It left the others out, and may have executed them.
 * - `refused`: the gateway accepts no batches, or none of this size. It may have executed the calls all the same.
 * - `limited`: a limit was exceeded. Whether it is on batches or on the rate is uncertain.
 * - `empty`: a success without a body. The node may have executed all calls.
 * - `failed`: an outage. The node may have executed all calls.
 */
type BatchReading = 'answered' | 'refused' | 'limited' | 'empty' | 'failed'

const contentTooLarge = 413
/** Statuses by which a gateway refuses the shape or size of a request that is well formed and allowed. */
const refusalStatuses: readonly number[] = [400, 403, 405, contentTooLarge, 415, 422, 501]
/** JSON-RPC 2.0's "not a valid request object": a server without support for batches says so of a list. */
const invalidRequest = -32600

/** `ids` are the ids of the batch's calls, in order; there is more than one. */
export function readBatch(posted: HttpAnswer, ids: readonly unknown[]): BatchReading {
  if (posted.kind === 'unsent') return 'failed'
  const { status } = posted
  const isRefusal = status !== undefined && refusalStatuses.includes(status)
  if (posted.kind === 'unknown' && posted.isEmpty) return 'empty'
  if (posted.kind === 'unknown') return isRefusal ? 'refused' : 'failed'
  const { json } = posted
  const members = membersOf(json).filter(isObject)
  if (members.some((member) => answersOne(member, json, ids))) return 'answered'
  if (status === contentTooLarge) return 'refused'
  const limit = members.find(isRateLimit)
  // Besu and Nethermind return this for a batch above their limit, and providers for one call too many in a second.
  if (limit) return codeOf(limit) === limitExceeded ? 'limited' : 'failed'
  if (isRefusal || isSuccess(posted.status)) return 'refused'
  return posted.status === 500 && members.some((member) => codeOf(member) === invalidRequest) ? 'refused' : 'failed'
}

function answersOne(member: BatchMember, json: unknown, ids: readonly unknown[]): boolean {
  if (!ids.includes(member.id)) return false
  if (!errorOf(member)) return 'result' in member
  // A bare error concerns the whole batch, whatever id it has. So does geth's error for a batch above its limit: a list
  // of one error with the id of the first call (`respondWithBatchTooLarge` in rpc/handler.go).
  return Array.isArray(json) && !(json.length === 1 && member.id === ids[0] && codeOf(member) === invalidRequest)
}

function codeOf(member: BatchMember): unknown {
  return errorOf(member)?.code
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The calls of a batch of reads whose answers were too large for the node, or exceeded the limit together. */
export function tooLargeIn(posted: HttpAnswer, ids: readonly unknown[]): readonly unknown[] {
  if (posted.kind !== 'body') return posted.kind === 'unknown' && posted.isTooLarge ? ids : []
  const members = membersOf(posted.json)
  const large = members.filter(isObject).filter(isTooLargeForNode)
  if (large.length === 0) return []
  const named = ids.filter((id) => large.some((member) => member.id === id))
  // A lone error without the id of a call is about the whole batch.
  return named.length === 0 && members.length === 1 ? ids : named
}

/** The calls without an answer. Empty where a rate limit may be about every call. */
export function leftOutIn(posted: HttpAnswer, ids: readonly unknown[]): readonly unknown[] {
  if (posted.kind !== 'body') return []
  const members = membersOf(posted.json).filter(isObject)
  if (members.length >= ids.length || members.some(isRateLimit)) return []
  const answered = new Set(members.map(({ id }) => id))
  return ids.filter((id) => !answered.has(id))
}

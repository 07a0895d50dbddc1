// What came of a batch as a whole, by the HTTP status and the shape of the body. No text is read.
import { type BatchMember, isObject, isRateLimit, limitExceeded, membersOf } from './response-body.ts'
import type { HttpAnswer } from './transport.ts'

/**
 * - `answered`: at least one of its calls. The others were left out, and may have been done.
 * - `refused`: the gateway takes no batches, or none of this size. It may have done the calls all the same.
 * - `limited`: a limit was exceeded, of batches or of the moment: nobody can know which.
 * - `failed`: an outage. All of it may have been done.
 */
export type BatchReading = 'answered' | 'refused' | 'limited' | 'failed'

const contentTooLarge = 413
/** Such a status says of a request that is well formed and allowed that the gateway takes none of its shape or size. */
const refusalStatuses: readonly number[] = [400, 403, 405, contentTooLarge, 415, 422, 501]
/** JSON-RPC 2.0's "not a valid request object", which a list is not to who knows no batches. */
const invalidRequest = -32600

/** `ids` are those of the batch's calls, more than one, in their order. */
export function readBatch(posted: HttpAnswer, ids: readonly unknown[]): BatchReading {
  if (posted.kind === 'unsent') return 'failed'
  const { status } = posted
  const isRefusal = status !== undefined && refusalStatuses.includes(status)
  if (posted.kind === 'unknown') return isRefusal ? 'refused' : 'failed'
  const { json } = posted
  const members = membersOf(json).filter(isObject)
  if (members.some((member) => answersOne(member, json, ids))) return 'answered'
  if (status === contentTooLarge) return 'refused'
  const limit = members.find(isRateLimit)
  // Besu and Nethermind answer a batch above their limit so, and providers one call too many in a second.
  if (limit) return codeOf(limit) === limitExceeded ? 'limited' : 'failed'
  if (isRefusal || isSuccess(posted.status)) return 'refused'
  return posted.status === 500 && members.some((member) => codeOf(member) === invalidRequest) ? 'refused' : 'failed'
}

function answersOne(member: BatchMember, json: unknown, ids: readonly unknown[]): boolean {
  if (!ids.includes(member.id)) return false
  if (!isObject(member.error)) return 'result' in member
  // A bare error is about the whole, whatever id it has, and so is geth's for a batch above its limit, which is one error in
  // a list, under the id of the first call (`respondWithBatchTooLarge` in rpc/handler.go).
  return Array.isArray(json) && !(json.length === 1 && member.id === ids[0] && codeOf(member) === invalidRequest)
}

function codeOf({ error }: BatchMember): unknown {
  return isObject(error) ? error.code : undefined
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

// Whether a JSON-RPC error is a rate limit. Besu and Hedera's relay give -32005 also for a gas limit above the block's, so
// the message is read before the code.

/** EIP-1474's code for an exceeded limit. Rate limits and limits on batches share it. */
export const limitExceeded = -32005
/** Gateways put it into an HTTP 200 instead of sending an HTTP 429. */
const tooManyRequests = 429

/** Words of limits on requests, as providers write them. */
const ofRequests = /rate|too many|limit|exceed|quota|capacity|throttl|credit|batch|slow/i
/** Words of a limit on the transaction itself. */
const ofTransaction = /\bgas\b/i

export function speaksOfRate(code: unknown, message: unknown): boolean {
  if (Number(code) === tooManyRequests) return true
  if (Number(code) !== limitExceeded) return false
  // Without words, the code is all that the node says.
  if (typeof message !== 'string' || message.trim() === '') return true
  return ofRequests.test(message) && !ofTransaction.test(message)
}

// How long to wait before a retry after a failure.

const firstMs = 250
const mostMs = 5_000

/** The pause in milliseconds: doubled `doublings` times, and never longer than five seconds. */
export function backOff(doublings: number): number {
  return Math.min(mostMs, firstMs * 2 ** doublings)
}

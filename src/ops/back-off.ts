// How long to wait before something that has failed is tried again.

const firstMs = 250
const mostMs = 5_000

/** In milliseconds: doubled so often, and never longer than five seconds. */
export function backOff(doublings: number): number {
  return Math.min(mostMs, firstMs * 2 ** doublings)
}

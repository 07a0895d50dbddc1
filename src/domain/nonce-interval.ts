// Runs of nonces by their ends. A node may name any distance, so no list holds each nonce of a run.
import type { Nonce } from './units.ts'

/** An interval of nonces, both ends included. */
export interface NonceInterval {
  readonly first: Nonce
  readonly last: Nonce
}

/** The nonces from `from` on and below `below` that are not in `used`, in order: at most one run more than `used` has nonces. */
export function intervalsBetween(from: Nonce, below: Nonce, used: ReadonlySet<Nonce>): readonly NonceInterval[] {
  const intervals: NonceInterval[] = []
  let first = from
  for (const nonce of [...used].sort((one, other) => one - other)) {
    if (nonce < first) continue
    if (nonce >= below) break
    if (nonce > first) intervals.push({ first, last: nonce - 1 })
    first = nonce + 1
  }
  if (first < below) intervals.push({ first, last: below - 1 })
  return intervals
}

/** The parts of the runs that lie from `from` on and below `below`. */
export function clipped(intervals: readonly NonceInterval[], from: Nonce, below: Nonce): readonly NonceInterval[] {
  return intervals.flatMap(({ first, last }) => {
    const clip = { first: Math.max(first, from), last: Math.min(last, below - 1) }
    return clip.first <= clip.last ? [clip] : []
  })
}

export function holdsNonce(intervals: readonly NonceInterval[], nonce: Nonce): boolean {
  return intervals.some(({ first, last }) => nonce >= first && nonce <= last)
}

export function sizeOf(intervals: readonly NonceInterval[]): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}

/** The lowest nonces of the runs that `isWanted` keeps, at most `most` of them. It looks at no more than `most` and those that it does not keep. */
export function lowestOf(
  intervals: readonly NonceInterval[],
  most: number,
  isWanted: (nonce: Nonce) => boolean = () => true,
): readonly Nonce[] {
  const nonces: Nonce[] = []
  for (const { first, last } of intervals) {
    for (let nonce = first; nonce <= last; nonce += 1) {
      if (nonces.length === most) return nonces
      if (isWanted(nonce)) nonces.push(nonce)
    }
  }
  return nonces
}

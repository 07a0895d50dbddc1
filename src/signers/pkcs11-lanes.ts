// How many signatures a PKCS#11 token serves at once, as a state machine: more lanes are tried while they raise its rate.

export interface TokenLanes {
  readonly count: number
  /** The times of the signatures while so many lanes were in use. */
  readonly sample: readonly number[]
  /** Signatures a second with one lane less; 0 before it was measured. */
  readonly rateBefore: number
  /** More lanes did not help: they are tried again after this time. */
  readonly settledUntilMs: number
}

export const lanesMax = 8
/** The eighth lane raises the rate of a token by a seventh at most. One that signs one after the other gains nothing. */
const worthwhile = 1.08
const settledMs = 60_000
/** A try has two seconds: a token that takes nearly as long serves fewer at once than before, whatever the reason. */
const tooSlowMs = 1_800

export const oneLane: TokenLanes = {
  count: 1,
  sample: [],
  rateBefore: 0,
  settledUntilMs: Number.NEGATIVE_INFINITY,
}

/** The lanes after a signature that took `tookMs`. `inUse`: the lanes in use when it began or when it ended, its own included. */
export function measured(lanes: TokenLanes, inUse: number, tookMs: number, nowMs: number): TokenLanes {
  if (tookMs > tooSlowMs && lanes.count > 1) {
    return { ...oneLane, count: Math.floor(lanes.count / 2), settledUntilMs: nowMs + settledMs }
  }
  if (inUse < lanes.count || nowMs < lanes.settledUntilMs) return lanes
  const { count } = lanes
  const sample = [...lanes.sample, tookMs]
  if (sample.length < 2 * count) return { ...lanes, sample }
  // Not the mean: one signature that was served from a cache, or that waited for something else, says little.
  const usual = sample.toSorted((one, other) => one - other)[count] ?? tookMs
  const rate = count / Math.max(1, usual)
  if (rate < lanes.rateBefore * worthwhile) {
    return { ...oneLane, count: count - 1, settledUntilMs: nowMs + settledMs }
  }
  return { ...oneLane, count: Math.min(lanesMax, count + 1), rateBefore: count === lanesMax ? 0 : rate }
}

/** The quota leaves a fifth to cancellations, which therefore need not wait for a lane. */
export function slotsOf({ count }: TokenLanes): number {
  return Math.ceil((count * 5) / 4)
}

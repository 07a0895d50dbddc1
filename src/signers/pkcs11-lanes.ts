// How many signatures a PKCS#11 token serves at once, as a state machine: more lanes are tried while they raise its rate.

export interface TokenLanes {
  readonly count: number
  /** The number of signatures that began while so many lanes were in use, and the sum of their times. */
  readonly sample: { readonly signatures: number; readonly tookMs: number }
  /** Signatures a second with one lane less; 0 before it was measured. */
  readonly rateBefore: number
  /** More lanes did not help: they are tried again after this time. */
  readonly settledUntilMs: number
}

export const lanesMax = 8
/** The eighth lane raises the rate of a token by a seventh at most. One that signs one after the other gains nothing. */
const worthwhile = 1.08
const settledMs = 60_000

export const oneLane: TokenLanes = {
  count: 1,
  sample: { signatures: 0, tookMs: 0 },
  rateBefore: 0,
  settledUntilMs: Number.NEGATIVE_INFINITY,
}

/** After a signature that took `tookMs`. `inUse`: the lanes in use when it began, its own included. */
export function measured(lanes: TokenLanes, inUse: number, tookMs: number, nowMs: number): TokenLanes {
  if (inUse < lanes.count || nowMs < lanes.settledUntilMs) return lanes
  const { count } = lanes
  const sample = { signatures: lanes.sample.signatures + 1, tookMs: lanes.sample.tookMs + tookMs }
  if (sample.signatures < 2 * count) return { ...lanes, sample }
  const rate = (count * sample.signatures) / Math.max(1, sample.tookMs)
  if (rate < lanes.rateBefore * worthwhile) {
    return { ...oneLane, count: count - 1, settledUntilMs: nowMs + settledMs }
  }
  return { ...oneLane, count: Math.min(lanesMax, count + 1), rateBefore: count === lanesMax ? 0 : rate }
}

/** The quota leaves a fifth to cancellations, which therefore need not wait for a lane. */
export function slotsOf({ count }: TokenLanes): number {
  return Math.ceil((count * 5) / 4)
}

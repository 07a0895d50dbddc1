// When an endpoint rests, and for how long: pure. Each failure in a row doubles its rest; one that lags rests for a given time.

export interface EndpointRest {
  readonly failuresInRow: number
  /** By `clock.elapsed()`. */
  readonly until: number
}

export const rested: EndpointRest = { failuresInRow: 0, until: Number.NEGATIVE_INFINITY }

const firstMs = 250
const maxMs = 30_000
const doublingsMax = 10

/** Any answer ends the row of failures, and the rest that they caused; a rest for lag goes on. */
export function afterAnswer(rest: EndpointRest): EndpointRest {
  return rest.failuresInRow > 0 ? rested : rest
}

export function afterFailure(rest: EndpointRest, elapsedMs: number): EndpointRest {
  const ms = Math.min(maxMs, firstMs * 2 ** Math.min(rest.failuresInRow, doublingsMax))
  return { failuresInRow: rest.failuresInRow + 1, until: elapsedMs + ms }
}

/** It reported a head that others have left behind. */
export function afterLag(rest: EndpointRest, elapsedMs: number, ms: number): EndpointRest {
  return { ...rest, until: Math.max(rest.until, elapsedMs + ms) }
}

/** Neither failing nor lagging. One that failed is fit again only once it has answered something. */
export function isFit(rest: EndpointRest, elapsedMs: number): boolean {
  return rest.failuresInRow === 0 && rest.until <= elapsedMs
}

// When an endpoint rests, and for how long: pure. Each failure in a row doubles its rest, and so does each answer about another thing
// than the call named; one that lags rests for a given time. Why it rests is data for operators, by the clock.
import type { NodeReason } from '../../domain/node-report.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Serving } from './serving.ts'

export interface EndpointRest {
  readonly failuresInRow: number
  /** The end of the rest, by `clock.elapsed()`. */
  readonly until: number
  /** Answers about another thing than the call named, and the rest for them: other answers do not end it. */
  readonly strays?: { readonly inRow: number; readonly until: number }
}

export const rested: EndpointRest = { failuresInRow: 0, until: Number.NEGATIVE_INFINITY }

const firstMs = 250
const maxMs = 30_000
const doublingsMax = 10

/** The time without a stray after which the row of strays begins anew. */
const strayForgottenMs = 60_000

/** Ends the row of failures after any answer, and the rest that they caused; a rest for lag goes on, and one for strays. */
export function afterAnswer(rest: EndpointRest): EndpointRest {
  return rest.failuresInRow > 0 ? { ...rest, ...rested } : rest
}

export function afterFailure(rest: EndpointRest, elapsedMs: number): EndpointRest {
  return { ...rest, failuresInRow: rest.failuresInRow + 1, until: elapsedMs + restMs(rest.failuresInRow) }
}

/** Notes an answer about another thing than the call named. Such answers in one batch count once. */
export function afterStray(rest: EndpointRest, elapsedMs: number): EndpointRest {
  const { inRow, until } = rest.strays ?? { inRow: 0, until: Number.NEGATIVE_INFINITY }
  if (until > elapsedMs) return rest
  const before = elapsedMs - until > strayForgottenMs ? 0 : inRow
  return { ...rest, strays: { inRow: before + 1, until: elapsedMs + restMs(before) } }
}

function restMs(before: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(before, doublingsMax))
}

/** Notes a head that others have left behind. */
export function afterLag(rest: EndpointRest, elapsedMs: number, ms: number): EndpointRest {
  return { ...rest, until: Math.max(rest.until, elapsedMs + ms) }
}

export function restsUntil({ until, strays }: EndpointRest): number {
  return strays ? Math.max(until, strays.until) : until
}

/** Whether it is worth a call about a block that is some blocks old: one that lags has it, and one that failed may be back. */
export function mayShow({ failuresInRow, until, strays }: EndpointRest, elapsedMs: number): boolean {
  return (failuresInRow === 0 || until <= elapsedMs) && (strays === undefined || strays.until <= elapsedMs)
}

/** Whether the endpoint neither fails nor lags. One that failed is fit again only once it has answered something. */
export function isFit(rest: EndpointRest, elapsedMs: number): boolean {
  return rest.failuresInRow === 0 && restsUntil(rest) <= elapsedMs
}

/** Why an endpoint is at rest or distrusted, as data: the worst reason first. */
export interface EndpointReasons {
  readonly rest: EndpointRest
  readonly serving: Pick<Serving, 'wrongFacts' | 'verifiedAgainAt' | 'rule'>
  /** Whether the last rest for its head was one for its branch. */
  readonly isOutvoted: boolean
  /** The method that it last answered about another thing. */
  readonly strayedAt: string
  /** How far its head was behind when it was last read. */
  readonly behind: number | undefined
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
}

export function reasonsOf({
  rest: { failuresInRow, until, strays },
  serving,
  isOutvoted,
  strayedAt: method,
  behind,
  clock,
}: EndpointReasons): readonly NodeReason[] {
  const elapsed = clock.elapsed()
  const at = (elapsedMs: number) => ({ restsUntil: Math.round(clock.now() + Math.max(0, elapsedMs - elapsed)) })
  const wrong = serving.wrongFacts()
  const reasons: NodeReason[] = []
  if (wrong) reasons.push({ condition: 'wrong_chain', facts: { ...wrong, ...at(serving.verifiedAgainAt()) } })
  if (strays && strays.until > elapsed) {
    reasons.push({ condition: 'strayed', facts: { method, inRow: strays.inRow, ...at(strays.until) } })
  }
  if (failuresInRow > 0) {
    reasons.push({ condition: 'no_answer', facts: { inRow: failuresInRow, ...at(until) } })
  } else if (until > elapsed) {
    const lag = behind === undefined || behind === 0 ? {} : { behind }
    reasons.push(
      isOutvoted
        ? { condition: 'outvoted', facts: at(until) }
        : { condition: 'lagging', facts: { ...lag, ...at(until) } },
    )
  }
  const isVerified = wrong !== undefined || serving.rule() !== undefined
  return isVerified || reasons.length > 0 ? reasons : [{ condition: 'unverified', facts: {} }]
}

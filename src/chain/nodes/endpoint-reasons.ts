// Why an endpoint is at rest or distrusted, as data: the worst reason first.
import type { NodeReason } from '../../domain/node-report.ts'
import type { Clock } from '../../ops/clock.ts'
import type { EndpointRest } from './endpoint-rest.ts'
import type { Serving } from './serving.ts'

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

// Remembers the reads whose answers exceeded the limit, so that they take no others of a batch with them again.
import { isShapedByPayload, mayExceed } from './answer-limits.ts'
import type { Call } from './call.ts'
import type { HttpAnswer } from './transport.ts'

interface LargeOnes {
  has(call: Call): boolean
  /** Whether a lone call's answer exceeded the limit because of a payload. */
  learn(call: Call, posted: HttpAnswer): boolean
}

/** The most reads that are remembered: with more, all are forgotten. */
const rememberedMax = 1_000

export function rememberLargeOnes(): LargeOnes {
  const names = new Set<string>()
  return {
    has: (call) => names.size > 0 && names.has(nameOf(call)),
    learn(call, posted) {
      if (posted.kind !== 'unknown' || !posted.isTooLarge || !mayExceed(call)) return false
      if (names.size >= rememberedMax) names.clear()
      // Those that a payload shapes are alone anyway.
      if (!isShapedByPayload(call)) names.add(nameOf(call))
      return true
    },
  }
}

function nameOf({ method, params }: Call): string {
  return `${method} ${String(params[0])}`
}

// The law of a head that stands still, for the condition and its alert.
import { newest, wasTaken } from '../../attempt.ts'
import type { Observation } from '../../observation.ts'
import type { TimestampMs } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'
import { isBelowBaseFee } from '../terms/attempts.ts'

const stalledMs = 60_000
/** Time, in block times of a chain that makes blocks at a steady pace. */
const stalledBlocks = 20

/**
 * Whether the believed head has stood for longer than the chain allows. Blocks that come at a steady pace: 60 s and 20 of them. Blocks that
 * come on demand: only once a node has had bytes of the next nonce for 60 s that the base fee admits.
 */
export function isHeadStalled(
  work: Pick<Work, 'open'>,
  observation: Pick<Observation, 'head' | 'headStandsMs' | 'blocktimeMs' | 'nonce'>,
  now: TimestampMs,
): boolean {
  const { headStandsMs = 0, blocktimeMs, nonce } = observation
  if (blocktimeMs !== undefined) return headStandsMs > stalledMs + stalledBlocks * blocktimeMs
  const [first] = inFlightOf(work)
  const latest = first && newest(first.lifecycle.attempts)
  if (!latest || latest.nonce !== nonce || !wasTaken(latest) || isBelowBaseFee(latest, observation)) return false
  return Math.min(headStandsMs, now - latest.recordedAt) > stalledMs
}

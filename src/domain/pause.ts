// The two pauses that keep a relayer from new nonces: its own, and that of its whole network. Neither changes the other.
import { RescindError } from './errors.ts'
import type { ApiKeyId } from './ids.ts'
import type { Relayer } from './relayer.ts'
import type { TimestampMs } from './units.ts'
import type { FactsOf } from './wait-facts.ts'

/** The mark of a paused network: which API key paused it, and when. */
export interface NetworkPause {
  readonly at: TimestampMs
  readonly by: ApiKeyId
  readonly note?: string
}

type Pauses = Pick<Relayer, 'paused' | 'networkPaused'>

export function isPaused({ paused, networkPaused }: Pauses): boolean {
  return paused || networkPaused === true
}

/** The facts of a relayer that is paused. */
export function pauseFacts({ network, ...pauses }: Pauses & Pick<Relayer, 'network'>): FactsOf['paused'] {
  const { paused, networkPaused } = pauses
  return { by: networkPaused ? (paused ? 'both' : 'network') : 'relayer', network }
}

/** The beginning of a sentence about a pause. Its effect follows. */
export function pauseInWords({ by, network }: FactsOf['paused']): string {
  if (by === 'relayer') return 'the relayer is paused'
  return by === 'network' ? `network "${network}" is paused` : `the relayer and network "${network}" are paused`
}

/** The refusal of a request. */
export function pausedError(relayer: Relayer, effect: string): RescindError {
  const facts = pauseFacts(relayer)
  const name = `relayer "${relayer.id}"`
  const text = facts.by === 'relayer' ? `${name} is paused and` : `${pauseInWords(facts)}: ${name}`
  return new RescindError('RELAYER_PAUSED', `${text} ${effect}`)
}

/** A sweep goes on in spite of both. */
export function withoutPause({ networkPaused: _, ...relayer }: Relayer): Relayer {
  return { ...relayer, paused: false }
}

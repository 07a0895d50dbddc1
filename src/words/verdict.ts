// How a cancellation stands, in a word and a sentence, with its tone.
import type { CancellationView } from '../client/transaction-types.ts'

export type Tone = 'bad' | 'warn' | 'good' | 'info' | 'quiet'

/** The sentence may follow other words: it has neither a capital nor a period. */
type Words = readonly [tone: Tone, word: string, sentence: string]

const finalWords: Readonly<Record<CancellationView['state'], Words>> = {
  racing: ['info', 'canceling', 'a no-op and the original compete for the nonce'],
  dropped: ['good', 'canceled, free', 'no node ever had it, so it ended at once, at no cost'],
  won: ['good', 'canceled', 'the no-op took the nonce, so the original can’t execute'],
  lost: ['bad', 'too late', 'the original was mined before the no-op'],
  external: ['warn', 'nonce taken', 'a foreign transaction took the nonce'],
}

/** Words for a nonce in a block that a reorganization may still remove. */
const openWords: Readonly<Partial<Record<CancellationView['state'], Words>>> = {
  won: ['info', 'no-op mined', 'a block holds the no-op; it is canceled once that block is final'],
  lost: ['warn', 'original mined', 'a block holds the original; it is too late once that block is final'],
  external: ['warn', 'nonce taken, not final', 'a block holds a foreign transaction with its nonce'],
}

const preconfirmedWords: Words = [
  'warn',
  'original ordered',
  'the sequencer has ordered the original, and no block shows it yet',
]

/** "Canceled" only where the chain can't undo it. */
export function verdictWords({
  state,
  final,
  preconfirmed,
}: Pick<CancellationView, 'state' | 'final' | 'preconfirmed'>): Words {
  if (preconfirmed) return preconfirmedWords
  return (final ? undefined : openWords[state]) ?? finalWords[state]
}

// The hints port: messages between replicas that save waiting for the next poll. A replica sends a hint after the commit
// that caused it. A hint may be lost, repeated or late, so every receiver also polls.
import type { RelayerId } from '../domain/ids.ts'

export type Hint =
  /** The relayer has work. */
  | { readonly kind: 'work'; readonly relayer: RelayerId }
  /** A replica released locks, or joined. */
  | { readonly kind: 'locks' }
  /** Relayers, signers, networks or notifications changed. */
  | { readonly kind: 'registry' }
  /** The replica `by` used up these amounts of the allowances with these names. */
  | { readonly kind: 'spent'; readonly by: string; readonly amounts: ReadonlyMap<string, number> }

export interface Hints extends AsyncDisposable {
  /** Sends the hint to all replicas, perhaps to this one too. */
  notify(hint: Hint): void
  /** Calls `listener` for each hint until `signal` aborts. */
  listen(listener: (hint: Hint) => void, signal: AbortSignal): void
}

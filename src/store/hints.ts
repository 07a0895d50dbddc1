// The hints port: what replicas tell each other so that nobody has to wait for the next look. A hint is told after the
// commit that it is about. It may be lost, doubled or late: whoever relies on one looks by itself, too.
import type { RelayerId } from '../domain/ids.ts'

export type Hint =
  /** The relayer has work. */
  | { readonly kind: 'work'; readonly relayer: RelayerId }
  /** Locks were given up, or a replica joined. */
  | { readonly kind: 'locks' }
  /** Relayers, signers, networks or notifications changed. */
  | { readonly kind: 'registry' }
  /** Of allowances, by their names, this much was used up by the replica `by`. */
  | { readonly kind: 'spent'; readonly by: string; readonly amounts: ReadonlyMap<string, number> }

export interface Hints extends AsyncDisposable {
  /** To all replicas, this one perhaps among them. */
  notify(hint: Hint): void
  /** Called for each hint from now on, until `signal` aborts. */
  listen(listener: (hint: Hint) => void, signal: AbortSignal): void
}

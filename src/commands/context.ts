// The context of every command: the store, the time, and a hint that there is work.

import type { RelayerId } from '../domain/ids.ts'
import type { DecisionProfile, Relayer } from '../domain/relayer.ts'
import type { Clock } from '../ops/clock.ts'
import type { Random } from '../ops/random.ts'
import type { Store } from '../store/store.ts'
import type { Bulks } from './bulks.ts'

export interface CommandContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** Called after the commit. The hint may be lost, see ownership/ownership.ts. */
  readonly wake: (relayer: RelayerId) => void
  /** Absent where a queue is canceled in one commit, however long it is. */
  readonly bulks?: Bulks
  /** How many pending transactions a relayer may hold. A send beyond them is refused with QUEUE_FULL. */
  readonly queueMax: number
  /** Undefined where the configuration of this replica lacks the network. */
  readonly profileOf: (relayer: Pick<Relayer, 'network'>) => DecisionProfile | undefined
}

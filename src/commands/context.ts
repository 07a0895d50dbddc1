// What every command needs: the store, time, and a way to hint that there is work.

import type { RelayerId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Random } from '../ops/random.ts'
import type { Store } from '../store/store.ts'

export interface CommandContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** After the commit; a hint that may be lost, see ownership/ownership.ts. */
  readonly wake: (relayer: RelayerId) => void
  /** Pending transactions a relayer may hold; a send beyond them is refused with QUEUE_FULL. */
  readonly queueMax: number
}

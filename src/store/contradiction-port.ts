// The part of the store port for contradictions between endpoints.
import type { RecordedContradiction } from '../domain/contradiction.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Page, PageRequest } from './page-port.ts'

/** A network may keep its name and get another chain. */
export interface ContradictedNetwork {
  readonly name: string
  readonly chainId: number
}

export interface ContradictionReads {
  /** Newest first. */
  contradictions(network: ContradictedNetwork, page: PageRequest): Promise<Page<RecordedContradiction>>
}

export interface ContradictionChanges {
  /** Keeps the newest `max` of the network. */
  recordContradiction(network: ContradictedNetwork, contradiction: RecordedContradiction, max: number): Promise<void>
  /** Deletes those from before this time, of all networks. Returns how many. */
  pruneContradictions(before: TimestampMs): Promise<number>
}

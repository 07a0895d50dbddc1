// The part of the store port for networks: their anchors, tips, pauses, contradictions, and what replicas see of their nodes.
import type { Anchor } from '../domain/anchor.ts'
import type { RecordedContradiction } from '../domain/contradiction.ts'
import type { Hash, RelayerId } from '../domain/ids.ts'
import type { NodeReport } from '../domain/node-report.ts'
import type { NetworkPause } from '../domain/pause.ts'
import type { TipMark } from '../domain/tip-marks.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Page, PageRequest } from './list-port.ts'

/** A network may keep its name and get another chain. */
export interface NetworkKey {
  readonly name: string
  readonly chainId: number
}

export interface NetworkReads {
  anchor(network: NetworkKey): Promise<Anchor | undefined>
  /** The network's marks after this time, oldest first. */
  tipMarks(network: NetworkKey, after: TimestampMs): Promise<readonly TipMark[]>
  /** Newest first. */
  contradictions(network: NetworkKey, page: PageRequest): Promise<Page<RecordedContradiction>>
  /** The pauses by network. A mark stays while the configuration lacks its network. */
  networkPauses(): Promise<ReadonlyMap<string, NetworkPause>>
  /** The last report of each replica, by its id. */
  nodeReports(): Promise<readonly NodeReport[]>
}

export interface NetworkChanges extends Pick<NetworkReads, 'anchor' | 'tipMarks'> {
  /** Changes nothing unless `before` is the hash of the stored anchor, or undefined where there is none. */
  recordAnchor(network: NetworkKey, next: Anchor, before: Hash | undefined): Promise<void>
  removeAnchor(network: NetworkKey): Promise<void>
  /** Whether any open transaction of the relayers of an anchored network has a nonce. */
  hasBoundOn(network: NetworkKey): Promise<boolean>
  /** Removes the network's marks up to `before`. Of two marks at the same time, the first stays. */
  recordTipMark(network: NetworkKey, mark: TipMark, before: TimestampMs): Promise<void>
  /** Keeps the newest `max` of the network. */
  recordContradiction(network: NetworkKey, contradiction: RecordedContradiction, max: number): Promise<void>
  /** Deletes those from before this time, of all networks. Returns how many. */
  pruneContradictions(before: TimestampMs): Promise<number>
  /**
   * Marks the network and all of its relayers, or removes the marks: undefined. Returns the relayers that it changed. The unit has
   * raised the revision before, so that no relayer is created meanwhile.
   */
  markNetwork(network: string, pause: NetworkPause | undefined): Promise<readonly RelayerId[]>
  /** Replaces the replica's last one. */
  recordNodes(report: NodeReport): Promise<void>
  removeNodes(replica: string): Promise<void>
  /** Deletes those that were written before this time: their replicas are gone. */
  pruneNodes(before: TimestampMs): Promise<void>
}

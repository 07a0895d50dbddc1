// The part of the store port for pauses of whole networks.
import type { RelayerId } from '../domain/ids.ts'
import type { NetworkPause } from '../domain/pause.ts'

export interface NetworkPauseReads {
  /** By network. A mark stays while the configuration lacks its network. */
  networkPauses(): Promise<ReadonlyMap<string, NetworkPause>>
}

export interface NetworkPauseChanges {
  /**
   * Marks the network and all of its relayers, or removes the marks: undefined. Returns the relayers that it changed. The unit has
   * raised the revision before, so that no relayer is created meanwhile.
   */
  markNetwork(network: string, pause: NetworkPause | undefined): Promise<readonly RelayerId[]>
}

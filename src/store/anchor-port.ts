// The part of the store port for the anchors of networks.
import type { Anchor } from '../domain/anchor.ts'
import type { Hash } from '../domain/ids.ts'

/** A network may keep its name and get another chain. */
export interface AnchoredNetwork {
  readonly name: string
  readonly chainId: number
}

export interface AnchorReads {
  anchor(network: AnchoredNetwork): Promise<Anchor | undefined>
}

export interface AnchorChanges extends AnchorReads {
  /** Changes nothing unless `before` is the hash of the stored anchor, or undefined where there is none. */
  recordAnchor(network: AnchoredNetwork, next: Anchor, before: Hash | undefined): Promise<void>
  removeAnchor(network: AnchoredNetwork): Promise<void>
  /** Whether any open transaction of the relayers of an anchored network has a nonce. */
  hasBoundOn(network: AnchoredNetwork): Promise<boolean>
}

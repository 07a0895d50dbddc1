// The registry that this process runs with: the file's entities, and over them the store's. Each refresh reads the
// store, so it finds any change: by this process, by another one, or by one that died before it could act on it.

import type { Chain, WrongChain } from '../chain/chain.ts'
import type { NetworkConditionName } from '../domain/condition.ts'
import type { GasFigures } from '../domain/gas-figures.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { NetworkPolicy, Relayer, SendProfile } from '../domain/relayer.ts'
import type { EndpointSettings, NetworkSettings, NotificationSettings } from '../domain/settings.ts'
import type { Signer } from '../signers/signer.ts'
import type { RegistryFile, SignerFacts } from './entities.ts'

/** An endpoint that serves another chain, or one of several that hold different branches. */
export interface NetworkCondition extends WrongChain {
  readonly condition: NetworkConditionName
}

/** The chain of a network, or of a relayer with endpoints of its own. */
export interface OpenedChain {
  readonly network: string
  readonly chainId: number
  readonly relayer?: RelayerId
  readonly chain: Chain
}

export interface Registry extends AsyncDisposable {
  /** Another object once a signer has opened later than the process started. */
  readonly file: RegistryFile
  /** Opens, reopens and closes the entities that differ from the store. Costs one small read where none does. */
  refresh(): Promise<void>
  /** The file, once one more of its signers is open, and the relayers of that signer are stored. */
  admit(file: RegistryFile): Promise<void>

  signers(): readonly SignerFacts[]
  signer(id: string): Signer | undefined
  notifications(): readonly NotificationSettings[]
  networks(): readonly NetworkSettings[]
  /** The relayer's own endpoints, if the API gave it any. */
  endpointsOf(relayer: RelayerId): readonly EndpointSettings[] | undefined
  /** Throws where the signer is missing here, or signs for another account. */
  signerOf(relayer: Pick<Relayer, 'signerId' | 'address'>): Signer
  /** Stays the same object when its endpoints change. Throws for a network that is not configured. */
  chainOf(relayer: Pick<Relayer, 'id' | 'network'>): Chain
  /** The chains that these relayers use, each once. */
  chainsOf(relayers: readonly Pick<Relayer, 'id' | 'network'>[]): readonly OpenedChain[]
  /** The conditions of the network's endpoints, as this process found them. Calls no node. */
  conditionsOf(network: string): readonly NetworkCondition[]
  /** The prices of gas that forks change, as this process found them or as they are set. Calls no node. */
  gasFiguresOf(network: string): GasFigures
  /** Verifies the network's endpoints again after its anchor was removed. Never rejects. */
  anchorReplaced(network: string): Promise<void>
  /** Throws for a network that is not configured. */
  policyOf(relayer: Pick<Relayer, 'network'>): NetworkPolicy
  /** The profile for sends; undefined for a network that is not configured. */
  profileOf(relayer: Pick<Relayer, 'id' | 'network'>): SendProfile | undefined

  /** The relayers that this process can advance, as of the last refresh. */
  relayers(): readonly Relayer[]
  /** Whether its key and its network are configured here. */
  canBeAdvanced(relayer: Relayer): boolean
  /** Calls `assign` with the relayers to advance: now, and whenever a refresh changes them. */
  assignTo(assign: (relayers: readonly RelayerId[]) => Promise<void>): Promise<void>
}

/** More relayers than an operator configures. */
export const relayersMax = 100_000

// What this process runs with: the file's entities, and over them what the store holds. Brought up to date by looking at
// the store, whoever changed it: this process, another one, or one that died before it could act on its change.
import type { Chain } from '../chain/chain.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { NetworkPolicy, Relayer } from '../domain/relayer.ts'
import type { Signer } from '../signers/signer.ts'
import type { EndpointSettings, NetworkSettings, NotificationSettings, RegistryFile, SignerFacts } from './entities.ts'

export interface Registry extends AsyncDisposable {
  readonly file: RegistryFile
  /** Opens, reopens and closes what differs from the store. Costs one small read where nothing does. */
  refresh(): Promise<void>

  signers(): readonly SignerFacts[]
  signer(id: string): Signer | undefined
  notifications(): readonly NotificationSettings[]
  networks(): readonly NetworkSettings[]
  /** Of a relayer that has endpoints of its own, given through the API. */
  endpointsOf(relayer: RelayerId): readonly EndpointSettings[] | undefined
  /** Throws for one that is not here, or signs for another account. */
  signerOf(relayer: Pick<Relayer, 'signerId' | 'address'>): Signer
  /** Stays the same object when its endpoints change. Throws for a network that is not configured. */
  chainOf(relayer: Pick<Relayer, 'id' | 'network'>): Chain
  /** Throws for a network that is not configured. */
  policyOf(relayer: Pick<Relayer, 'network'>): NetworkPolicy

  /** Whether its key and its network are here. */
  canBeFollowed(relayer: Relayer): boolean
  /** Calls `assign` with the relayers to advance: now, and whenever a refresh finds others. */
  assignTo(assign: (relayers: readonly RelayerId[]) => Promise<void>): Promise<void>
}

/** More than anybody configures. */
export const relayersMax = 100_000

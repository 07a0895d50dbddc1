// The settings of endpoints, networks and notifications, from the file or from the API, and the type of a secret.
import type { ProfileBasis, Shown } from './network-profiles.ts'
import type { NetworkProfile, ProfileOverrides } from './profile.ts'
import type { SecondWitness } from './second-witness.ts'

export interface EndpointSettings {
  readonly url: Secret
  /** 1 to 100: the endpoint's share of the traffic, relative to its neighbors. */
  readonly weight: number
  /** A name for who runs it. Endpoints of one provider count as one witness. Absent: its host. */
  readonly provider?: string
  /** Headers of each request to the endpoint, by name in lower case. Every value counts as secret: it may be a provider's key. */
  readonly headers?: Readonly<Record<string, Secret>>
}

/** The most characters of a provider's name. */
export const providerCharsMax = 64

export interface NetworkSettings {
  readonly name: string
  readonly chainId: number
  readonly rpcUrls: readonly EndpointSettings[]
  readonly requiredConfirmations: number
  readonly averageBlockTimeMs: number
  /** Whether the file or the API set the block time. False for a default or a chain list's value. */
  readonly isBlockTimeGiven: boolean
  readonly symbol: string
  readonly isTestnet: boolean
  readonly eip1559: boolean
  /** How the chain differs from Ethereum: the table's facts, and the overrides before them. */
  readonly profile: NetworkProfile
  /** The source of the profile. */
  readonly profileBasis: ProfileBasis
  /** The facts that the chain has shown of itself so far. Absent: nothing was read. */
  readonly shown?: Shown
  /** The fields of the profile that the file sets, and the tip of a chain that is on no list. No tag changes them. */
  readonly profileInFile: ProfileOverrides
  /** Facts about the chain from the file or a list of chains: `eip1559`, `no-mempool`. */
  readonly features: readonly string[]
  readonly tags: readonly string[]
  readonly explorerUrls: readonly string[]
  /** The explorer on viem's list, where that has the network's name and chain id. Used where `explorerUrls` holds no page. */
  readonly listedExplorer?: string
  /** Whether final statements need endpoints of two providers. */
  readonly secondWitness: SecondWitness
}

export interface NotificationSettings {
  readonly id: string
  readonly type: 'webhook'
  readonly url: Secret
  readonly signingKey?: Secret
}

/** An entity of the file that has a fault and that no relayer names. The service starts without it. */
export interface FaultyEntity {
  readonly kind: 'network' | 'signer' | 'notification'
  /** The entity's name or id; empty where the file has none. */
  readonly name: string
  /** Each with its place and its fix. */
  readonly faults: readonly string[]
}

/** A value that must not be seen. `secret` in ops/secret.ts makes one. */
export interface Secret {
  reveal(): string
  /** The text shown in its place. */
  toString(): string
}

// What is configured beside the relayers' rows, whether by the file or through the API.
import type { Address } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Wei } from '../domain/units.ts'
import type { SecretHeaders } from '../ops/request-headers.ts'
import type { Secret } from '../ops/secret.ts'

export interface EndpointSettings {
  readonly url: Secret
  /** 1 to 100: how much of the traffic it takes, relative to its neighbours. */
  readonly weight: number
  /** Sent with each request to it. */
  readonly headers?: SecretHeaders
}

export interface NetworkSettings {
  readonly name: string
  readonly chainId: number
  readonly rpcUrls: readonly EndpointSettings[]
  readonly requiredConfirmations: number
  readonly averageBlockTimeMs: number
  /** By the file or through the API; false where it is the chain list's, or the default. */
  readonly isBlockTimeGiven: boolean
  readonly symbol: string
  readonly isTestnet: boolean
  readonly eip1559: boolean
  /** Per gas, to which a tip is raised where blocks have room and do not take it; absent where no such tip is known. */
  readonly raisedTip?: Wei
  readonly features: readonly string[]
  readonly tags: readonly string[]
  readonly explorerUrls: readonly string[]
}

/** What a client may change of a network: the file says which chain it is. */
export type NetworkPatch = Partial<
  Pick<
    NetworkSettings,
    'rpcUrls' | 'requiredConfirmations' | 'averageBlockTimeMs' | 'symbol' | 'isTestnet' | 'tags' | 'explorerUrls'
  >
>

export interface NotificationSettings {
  readonly id: string
  readonly type: 'webhook'
  readonly url: Secret
  readonly signingKey?: Secret
}

export interface SignerFacts {
  readonly id: string
  readonly type: 'plain' | 'local'
  readonly address: Address
}

/** What the configuration file names: it owns these, and is read once, at start. */
export interface RegistryFile {
  readonly relayers: readonly Relayer[]
  readonly signers: readonly SignerFacts[]
  readonly notifications: readonly NotificationSettings[]
  readonly networks: readonly NetworkSettings[]
}

/** Names that were checked when they were read; throws where one is not there all the same. */
export function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`${what} is used but not configured`)
  return found
}

// The configured entities beside the relayers' rows, from the file and from the API.

import type { Address } from '../domain/ids.ts'
import { profileOf } from '../domain/network-profiles.ts'
import { type NetworkProfile, type ProfileOverrides, withOverrides } from '../domain/profile.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { SecretHeaders } from '../ops/request-headers.ts'
import type { Secret } from '../ops/secret.ts'
import type { SignerType } from '../signers/settings.ts'

export interface EndpointSettings {
  readonly url: Secret
  /** 1 to 100: the endpoint's share of the traffic, relative to its neighbors. */
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
  /** Whether the file or the API set the block time. False for a default or a chain list's value. */
  readonly isBlockTimeGiven: boolean
  readonly symbol: string
  readonly isTestnet: boolean
  readonly eip1559: boolean
  readonly profile: NetworkProfile
  /** Its fields that no tag changes. */
  readonly profileInFile: ProfileOverrides
  readonly features: readonly string[]
  readonly tags: readonly string[]
  readonly explorerUrls: readonly string[]
}

/** The members that a client may change. Only the file says which chain it is. */
export type NetworkPatch = Partial<
  Pick<
    NetworkSettings,
    'rpcUrls' | 'requiredConfirmations' | 'averageBlockTimeMs' | 'symbol' | 'isTestnet' | 'tags' | 'explorerUrls'
  >
> & {
  /** The fields that differ from the profile by the file and the tags. */
  readonly profile?: ProfileOverrides
}

export function patchedNetwork(file: NetworkSettings, { profile = {}, ...patch }: NetworkPatch): NetworkSettings {
  const { tags = file.tags } = patch
  return { ...file, ...patch, profile: withOverrides(profileOf(file.chainId, tags, file.profileInFile), profile) }
}

export interface NotificationSettings {
  readonly id: string
  readonly type: 'webhook'
  readonly url: Secret
  readonly signingKey?: Secret
}

export interface SignerFacts {
  readonly id: string
  readonly type: SignerType
  /** Absent: no relayer can use it. */
  readonly address?: Address
  /** Its settings without secrets, under the names of the file. */
  readonly config: Readonly<Record<string, unknown>>
}

/** The entities of the configuration file. The file owns them, and is read once, at start. */
export interface RegistryFile {
  readonly relayers: readonly Relayer[]
  readonly signers: readonly SignerFacts[]
  readonly notifications: readonly NotificationSettings[]
  readonly networks: readonly NetworkSettings[]
}

/** Returns an entity whose name was checked at parsing. Throws if it is missing all the same. */
export function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`${what} is used but not configured`)
  return found
}

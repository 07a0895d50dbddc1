// The configured entities beside the relayers' rows, from the file and from the API.

import type { Address } from '../domain/ids.ts'
import { basisOf, profileOf, type Shown } from '../domain/network-profiles.ts'
import { type ProfileOverrides, withOverrides } from '../domain/profile.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { FaultyEntity, NetworkSettings, NotificationSettings } from '../domain/settings.ts'
import type { SignerType } from '../domain/signer-table.ts'

/** The members that a client may change. Only the file says which chain it is. */
export type NetworkPatch = Partial<
  Pick<
    NetworkSettings,
    | 'rpcUrls'
    | 'requiredConfirmations'
    | 'averageBlockTimeMs'
    | 'symbol'
    | 'isTestnet'
    | 'tags'
    | 'explorerUrls'
    | 'secondWitness'
  >
> & {
  /** The fields that differ from the profile by the file and the tags. */
  readonly profile?: ProfileOverrides
}

export function patchedNetwork(
  file: NetworkSettings,
  { profile = {}, ...patch }: NetworkPatch,
  shown: Shown | undefined,
): NetworkSettings {
  const { tags = file.tags } = patch
  const chain = { chainId: file.chainId, tags, ...(shown && { shown }) }
  const found = { profile: withOverrides(profileOf(chain, file.profileInFile), profile), profileBasis: basisOf(chain) }
  return { ...file, ...patch, ...chain, ...found }
}

export interface SignerFacts {
  readonly id: string
  readonly type: SignerType
  /** The address; absent if no relayer can use the signer, or its key service has not answered yet. */
  readonly address?: Address
  /** The signer's settings without secrets, under the names of the file. */
  readonly config: Readonly<Record<string, unknown>>
}

/** The entities of the configuration file. The file owns them, and is read once, at start. */
export interface RegistryFile {
  readonly relayers: readonly Relayer[]
  readonly signers: readonly SignerFacts[]
  readonly notifications: readonly NotificationSettings[]
  readonly networks: readonly NetworkSettings[]
  /** Entities that are left out, since they have a fault and no relayer named them at start. Absent: none. */
  readonly faulty?: readonly FaultyEntity[]
  /** Further relayers, whose signers have not opened yet: their accounts are unknown. */
  readonly awaited: readonly AwaitedRelayer[]
}

interface AwaitedRelayer {
  readonly id: string
  readonly signerId: string
}

/** The faults of an entity of the file that was left out; undefined for any other name. */
export function faultOf({ faulty = [] }: Pick<RegistryFile, 'faulty'>, kind: FaultyEntity['kind'], name: string) {
  return faulty.find((each) => each.kind === kind && each.name === name)?.faults.join('; ')
}

/** Returns an entity whose name was checked at parsing. Throws if it is missing all the same. */
export function requireConfigured<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`${what} is used but not configured`)
  return found
}

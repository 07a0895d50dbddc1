// The profile of each EVM chain on viem's list and of each network with a name here, and its basis.
import * as chains from 'viem/chains'
import { namedNetworks } from '../src/config/named-networks.ts'
import {
  basisOf,
  type ChainFacts,
  isMakeUnknown,
  type ProfileBasis,
  profileOf,
} from '../src/domain/network-profiles.ts'
import { ethereumProfile, type NetworkProfile, profileTable } from '../src/domain/profile.ts'
import { makeOf } from '../tooling/list-makes.ts'
import type { Figure } from './figure.ts'

interface Listed extends ChainFacts {
  readonly names: readonly string[]
}

export function listProfiles(print: (line: string) => void): Figure[] {
  const all = listed()
  for (const chain of all) print(`${chain.chainId} ${chain.names.join(', ')}: ${describe(chain)}`)
  const by = (basis: ProfileBasis) => all.filter((chain) => basisOf(chain) === basis).length
  const made = Object.values(chains).map(({ id, name, ...chain }) => ({
    name: `${name} (${id})`,
    make: makeOf({ id, ...chain }),
    profile: profileOf({ chainId: id, tags: [] }),
  }))
  const isFree = ({ l1Fee }: NetworkProfile) => l1Fee === 'none'
  const isCounted = ({ finality = 1 }: NetworkProfile) => typeof finality === 'number'
  const names = (wanted: typeof made) => [...new Set(wanted.map(({ name }) => name))].join(', ') || 'none'
  const free = made.filter(({ make, profile }) => make === 'opStack' && isFree(profile))
  const counted = made.filter(({ make, profile }) => make !== undefined && isCounted(profile))
  print(`with the oracle of the OP stack, and without a fee for L1: ${names(free)}`)
  print(`rollups that are final by a number of blocks: ${names(counted)}`)
  const count = (name: string, value: number) => ({ name: `profiles: ${name}`, value, unit: 'chains' })
  return [
    count('all', all.length),
    ...(['table', 'list', 'tags', 'none'] as const).map((basis) => count(`by ${basis}`, by(basis))),
    count('also by what the chain shows', all.filter(isMakeUnknown).length),
  ]
}

function listed(): readonly Listed[] {
  const named = namedNetworks.map(({ name, chainId, tags }) => ({ name, chainId, tags }))
  const onList = Object.values(chains).map(({ id, name }) => ({ name, chainId: id, tags: [] as readonly string[] }))
  const byChain = Map.groupBy([...named, ...onList], ({ chainId }) => chainId)
  return [...byChain]
    .map(([chainId, each]) => ({
      chainId,
      names: [...new Set(each.map(({ name }) => name))],
      tags: [...new Set(each.flatMap(({ tags }) => tags))],
    }))
    .sort((one, other) => one.chainId - other.chainId)
}

function describe(chain: Listed): string {
  const profile: Readonly<Record<string, unknown>> = { ...profileOf(chain) }
  const usual: Readonly<Record<string, unknown>> = { ...ethereumProfile }
  const differing = Object.entries(profileTable).flatMap(([key, { name }]) =>
    profile[key] === usual[key] ? [] : [`${name} ${profile[key]}`],
  )
  const basis = isMakeUnknown(chain) ? `${basisOf(chain)}, and what the chain shows` : basisOf(chain)
  return `${basis}; ${differing.join(', ') || 'as Ethereum'}`
}

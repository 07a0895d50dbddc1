// Turns the parsed configuration file into entities of the registry, with each relayer's chain and address.
import type { NetworkName, RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Signer } from '../signers/signer.ts'
import { type RegistryFile, requireConfigured, type SignerFacts } from './entities.ts'

type FileRelayer = Omit<Relayer, 'id' | 'network' | 'chainId' | 'address'> & {
  readonly id: string
  readonly network: string
}

/** The parsed file: entities refer to each other by names that the parser has checked. */
export interface ParsedFile extends Pick<RegistryFile, 'notifications' | 'networks' | 'faulty'> {
  readonly relayers: readonly FileRelayer[]
  readonly signers: readonly (Pick<SignerFacts, 'id' | 'type'> & { readonly shown?: SignerFacts['config'] })[]
}

/** `opened`: the file's signers, by id. Relayers of others are awaited. */
export function registryFile(parsed: ParsedFile, opened: ReadonlyMap<string, Signer>): RegistryFile {
  const { notifications, networks, faulty = [] } = parsed
  const chainIds = new Map(networks.map(({ name, chainId }) => [name, chainId]))
  const signers = parsed.signers.map(({ id, type, shown: config = {} }) => {
    const signer = opened.get(id)
    return { id, type, config, ...(signer && { address: signer.address }) }
  })
  const relayers = parsed.relayers.flatMap((relayer): Relayer[] => {
    const signer = opened.get(relayer.signerId)
    if (!signer) return []
    // These names come from the file, which defines them.
    const [id, network] = [relayer.id as RelayerId, relayer.network as NetworkName]
    const chainId = requireConfigured(chainIds.get(relayer.network), `network "${relayer.network}"`)
    return [{ ...relayer, id, network, chainId, address: signer.address }]
  })
  const awaited = parsed.relayers.filter(({ signerId }) => !opened.has(signerId))
  return {
    ...{ relayers, signers, notifications, networks, faulty },
    awaited: awaited.map(({ id, signerId }) => ({ id, signerId })),
  }
}

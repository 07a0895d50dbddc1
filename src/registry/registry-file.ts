// Turns the parsed configuration file into entities of the registry, with each relayer's chain and address.
import type { NetworkName, RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Signer } from '../signers/signer.ts'
import { known, type RegistryFile, type SignerFacts } from './entities.ts'

type FileRelayer = Omit<Relayer, 'id' | 'network' | 'chainId' | 'address'> & {
  readonly id: string
  readonly network: string
}

/** The parsed file: entities refer to each other by names that the parser has checked. */
export interface ParsedFile extends Pick<RegistryFile, 'notifications' | 'networks'> {
  readonly relayers: readonly FileRelayer[]
  readonly signers: readonly (Pick<SignerFacts, 'id' | 'type'> & { readonly shown?: SignerFacts['config'] })[]
}

/** `opened`: the file's signers, by id. */
export function registryFile(parsed: ParsedFile, opened: ReadonlyMap<string, Signer>): RegistryFile {
  const { notifications, networks } = parsed
  const addressOf = (signerId: string) => known(opened.get(signerId), `signer "${signerId}"`).address
  const chainIds = new Map(networks.map(({ name, chainId }) => [name, chainId]))
  const signers = parsed.signers.map(({ id, type, shown: config = {} }) =>
    type === 'vault_transit' ? { id, type, config } : { id, type, config, address: addressOf(id) },
  )
  const relayers = parsed.relayers.map((relayer) => ({
    ...relayer,
    // These names come from the file, which defines them.
    id: relayer.id as RelayerId,
    network: relayer.network as NetworkName,
    chainId: known(chainIds.get(relayer.network), `network "${relayer.network}"`),
    address: addressOf(relayer.signerId),
  }))
  return { relayers, signers, notifications, networks }
}

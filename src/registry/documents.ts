// The rows of what was configured through the API: what of it is told, what is sealed, and in which place. What is read of
// a row is of the type that was written to it, by the function beside the one that reads.
import type { Address } from '../domain/ids.ts'
import { type Secret, secret, secretUrl } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Managed, ManagedKind } from '../store/store.ts'
import type { Endpoint, NetworkPatch, NotificationSettings, SignerFacts } from './entities.ts'
import { decode, encode, type RelayerOverlay } from './overlay.ts'

type Row = Omit<Managed, 'revision'>

/** What the sealed text is bound to, and what errors call it. */
export function placeOf({ kind, id }: { kind: ManagedKind; id: string }): string {
  return `${kind} "${id}"`
}

export function signerToRow(vault: Vault, { id, type, address }: SignerFacts, key: Secret): Row {
  const at = { kind: 'signer', id } as const
  return { ...at, facts: encode({ type, address }), sealed: vault.seal(key.reveal(), placeOf(at)) }
}

export function signerFromRow({ id, facts }: Managed): SignerFacts {
  const { type, address } = decode(facts) as { type: 'plain'; address: Address }
  return { id, type, address }
}

export function notificationToRow(vault: Vault, { id, type, url, signingKey }: NotificationSettings): Row {
  const at = { kind: 'notification', id } as const
  const secrets = { url: url.reveal(), ...(signingKey && { signingKey: signingKey.reveal() }) }
  return { ...at, facts: encode({ type }), sealed: vault.seal(encode(secrets), placeOf(at)) }
}

export function notificationFromRow(vault: Vault, row: Managed): NotificationSettings {
  const { url, signingKey } = decode(opened(vault, row)) as { url: string; signingKey?: string }
  const signed = signingKey === undefined ? {} : { signingKey: secret(signingKey) }
  return { id: row.id, type: 'webhook', url: secretUrl(new URL(url)), ...signed }
}

export function networkToRow(vault: Vault, id: string, { rpcUrls, ...told }: NetworkPatch): Row {
  const at = { kind: 'network', id } as const
  return { ...at, facts: encode(told), ...(rpcUrls && { sealed: sealEndpoints(vault, at, rpcUrls) }) }
}

export function networkFromRow(vault: Vault, row: Managed): NetworkPatch {
  const rpcUrls = endpointsFromRow(vault, row)
  return { ...(decode(row.facts) as NetworkPatch), ...(rpcUrls && { rpcUrls }) }
}

/** A relayer's own row tells the rest of it. `api`: no file names it. */
export type RelayerDocument = { readonly origin: 'api' } | { readonly origin: 'file'; readonly overlay: RelayerOverlay }

export function relayerToRow(id: string, document: RelayerDocument, sealed: string | undefined): Row {
  return { kind: 'relayer', id, facts: encode(document), ...(sealed !== undefined && { sealed }) }
}

export function relayerFromRow({ facts }: Managed): RelayerDocument {
  return decode(facts) as RelayerDocument
}

export function sealEndpoints(
  vault: Vault,
  at: { kind: ManagedKind; id: string },
  endpoints: readonly Endpoint[],
): string {
  return vault.seal(encode(endpoints.map(({ url, weight }) => ({ url: url.reveal(), weight }))), placeOf(at))
}

export function endpointsFromRow(vault: Vault, row: Managed): readonly Endpoint[] | undefined {
  if (row.sealed === undefined) return undefined
  const endpoints = decode(opened(vault, row)) as readonly { url: string; weight: number }[]
  return endpoints.map(({ url, weight }) => ({ url: secretUrl(new URL(url)), weight }))
}

export function keyFromRow(vault: Vault, row: Managed): Secret {
  return vault.open(row.sealed ?? '', placeOf(row))
}

function opened(vault: Vault, row: Managed): string {
  return vault.open(row.sealed ?? '', placeOf(row)).reveal()
}

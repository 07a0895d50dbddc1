// Converts entities from the API to stored rows and back: which members are plain, and which are sealed. A row is read
// by the function beside the one that wrote it, so it has the type that was written.
import type { EndpointSettings, NotificationSettings } from '../domain/settings.ts'
import { type Secret, secret, secretUrl } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Entity, EntityKind } from '../store/store.ts'
import type { NetworkPatch, SignerFacts } from './entities.ts'
import { decode, encode, type RelayerOverlay } from './overlay.ts'

type StoredEntity = Omit<Entity, 'revision'>

/** The sealed text is bound to this name, and errors use it. */
export function nameOfEntity({ kind, id }: { kind: EntityKind; id: string }): string {
  return `${kind} "${id}"`
}

/** `secret`: the key, or the settings of a key in a service. */
export function signerToEntity(vault: Vault, { id, ...facts }: SignerFacts, secret: Secret): StoredEntity {
  const at = { kind: 'signer', id } as const
  return { ...at, facts: encode(facts), sealed: vault.seal(secret.reveal(), nameOfEntity(at)) }
}

export function signerFromEntity({ id, facts }: Entity): SignerFacts {
  return { id, ...(decode(facts) as Omit<SignerFacts, 'id'>) }
}

export function notificationToEntity(vault: Vault, { id, type, url, signingKey }: NotificationSettings): StoredEntity {
  const at = { kind: 'notification', id } as const
  const secrets = { url: url.reveal(), ...(signingKey && { signingKey: signingKey.reveal() }) }
  return { ...at, facts: encode({ type }), sealed: vault.seal(encode(secrets), nameOfEntity(at)) }
}

export function notificationFromEntity(vault: Vault, row: Entity): NotificationSettings {
  const { url, signingKey } = decode(opened(vault, row)) as { url: string; signingKey?: string }
  const signed = signingKey === undefined ? {} : { signingKey: secret(signingKey) }
  return { id: row.id, type: 'webhook', url: secretUrl(new URL(url)), ...signed }
}

export function networkToEntity(vault: Vault, id: string, { rpcUrls, ...plain }: NetworkPatch): StoredEntity {
  const at = { kind: 'network', id } as const
  return { ...at, facts: encode(plain), ...(rpcUrls && { sealed: sealEndpoints(vault, at, rpcUrls) }) }
}

export function networkFromEntity(vault: Vault, row: Entity): NetworkPatch {
  const rpcUrls = endpointsFromEntity(vault, row)
  return { ...(decode(row.facts) as NetworkPatch), ...(rpcUrls && { rpcUrls }) }
}

/** The relayer's own row holds its other members. `api`: no file names the relayer. */
export type RelayerDocument = { readonly origin: 'api' } | { readonly origin: 'file'; readonly overlay: RelayerOverlay }

export function relayerToEntity(id: string, document: RelayerDocument, sealed: string | undefined): StoredEntity {
  return { kind: 'relayer', id, facts: encode(document), ...(sealed !== undefined && { sealed }) }
}

export function relayerFromEntity({ facts }: Entity): RelayerDocument {
  return decode(facts) as RelayerDocument
}

export function sealEndpoints(
  vault: Vault,
  at: { kind: EntityKind; id: string },
  endpoints: readonly EndpointSettings[],
): string {
  return vault.seal(encode(endpoints.map(sealable)), nameOfEntity(at))
}

export function endpointsFromEntity(vault: Vault, row: Entity): readonly EndpointSettings[] | undefined {
  if (row.sealed === undefined) return undefined
  const endpoints = decode(opened(vault, row)) as readonly SealableEndpoint[]
  return endpoints.map(({ url, headers, ...rest }) => ({
    ...rest,
    url: secretUrl(new URL(url)),
    ...(headers && { headers: Object.fromEntries(headers.map(([name, value]) => [name, secret(value)])) }),
  }))
}

interface SealableEndpoint extends Pick<EndpointSettings, 'weight' | 'provider'> {
  readonly url: string
  /** The headers in pairs: a header's name may be one that means something in JSON, or in how amounts are marked in it. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

function sealable({ url, headers, ...rest }: EndpointSettings): SealableEndpoint {
  const pairs = headers && Object.entries(headers).map(([name, value]) => [name, value.reveal()] as const)
  return { ...rest, url: url.reveal(), ...(pairs && { headers: pairs }) }
}

/** The text that the signer was stored with. */
export function secretFromEntity(vault: Vault, row: Entity): Secret {
  return vault.open(row.sealed ?? '', nameOfEntity(row))
}

function opened(vault: Vault, row: Entity): string {
  return vault.open(row.sealed ?? '', nameOfEntity(row)).reveal()
}

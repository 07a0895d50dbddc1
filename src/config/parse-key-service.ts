// A signer whose key is in a service: its settings by type, and the part of them that may be shown.
import type { KeyServiceConfig } from './config.ts'
import { type Members, readMembers, shown } from './members.ts'
import { parseAzureKeyVault } from './parse-azure-key-vault.ts'
import { parseGoogleCloudKms } from './parse-google-cloud-kms.ts'
import { parseCdp, parsePkcs11, parseTurnkey, parseWeb3signer } from './parse-signing-services.ts'
import { parseVault, parseVaultTransit } from './parse-vault.ts'
import { parseAddress } from './parse-whitelists.ts'
import { formed, type KeyServiceParts, type KeyServiceSource } from './read-key-service.ts'

/** A problem is reported; then the result is undefined. */
type ParseKeyService = (content: unknown, at: string, source: KeyServiceSource) => KeyServiceParts | undefined

const parsers: Readonly<Record<string, ParseKeyService>> = {
  aws_kms: parseAwsKms,
  google_cloud_kms: parseGoogleCloudKms,
  azure_key_vault: parseAzureKeyVault,
  vault: parseVault,
  vault_transit: parseVaultTransit,
  turnkey: parseTurnkey,
  cdp: parseCdp,
  web3signer: parseWeb3signer,
  pkcs11: parsePkcs11,
}

export const keyServiceTypes = Object.keys(parsers)

/** `signer` has the members `type`, `config` and, optionally, `address`. Undefined after a problem. */
export function parseKeyService(id: string, signer: Members, source: KeyServiceSource): KeyServiceConfig | undefined {
  const type = signer.raw('type')
  const parse = typeof type === 'string' && Object.hasOwn(parsers, type) ? parsers[type] : undefined
  if (!parse) {
    const fault = type === undefined ? 'is missing' : `${shown(type)} is not supported`
    const local = source.isFile ? ['local', 'plain'] : ['plain']
    source.report.problem(
      signer.place('type'),
      `${fault}; signer "${id}" can be ${listed([...local, ...keyServiceTypes])}`,
    )
    return undefined
  }
  const given = signer.has('address')
    ? parseAddress(signer.raw('address'), signer.place('address'), source.report)
    : undefined
  const parts = parse(signer.raw('config'), signer.place('config'), source)
  if (!parts) return undefined
  const { settings, shown: config } = parts
  if (settings.type === 'vault_transit') return { id, type: settings.type, settings, shown: config }
  return { id, type: settings.type, settings: { ...settings, id, ...(given && { address: given }) }, shown: config }
}

function listed(types: readonly string[]): string {
  return `${types
    .slice(0, -1)
    .map((type) => `"${type}"`)
    .join(', ')} or "${types.at(-1)}"`
}

function parseAwsKms(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts {
  const members = readMembers(content, at, ['region', 'key_id'], source.report)
  const region = formed(members, 'region', /^[a-z0-9-]{1,40}$/, 'a region such as "eu-central-1"', source)
  const keyId = members.requiredText('key_id')
  return { settings: { type: 'aws_kms', region, keyId }, shown: { region, key_id: keyId } }
}

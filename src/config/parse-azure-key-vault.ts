// A signer of Azure Key Vault, with one of three ways to log in.
import { httpUrl } from '../ops/http-url.ts'
import type { Secret } from '../ops/secret.ts'
import type { AzureKeyVaultSettings } from '../signers/settings.ts'
import { type Members, readMembers, shown as shownValue } from './members.ts'
import {
  areGiven,
  baseUrl,
  formed,
  type KeyServiceParts,
  type KeyServiceSource,
  optionalSecret,
} from './read-key-service.ts'

const names = [
  ...['auth_type', 'tenant_id', 'client_id', 'client_secret', 'federated_token_file', 'vault_url', 'key_name'],
  'key_version',
]

export function parseAzureKeyVault(
  content: unknown,
  at: string,
  source: KeyServiceSource,
): KeyServiceParts | undefined {
  const { report } = source
  const members = readMembers(content, at, names, report)
  const vaultUrl = baseUrl(members, 'vault_url', source, '"https://NAME.vault.azure.net"')
  if (vaultUrl !== '' && !/^https:/i.test(vaultUrl)) {
    report.problem(members.place('vault_url'), 'is not https, and a token would leave in the clear; write "https://…"')
  }
  const keyName = formed(members, 'key_name', /^[0-9A-Za-z-]{1,127}$/, 'the name of a key, without its version', source)
  const keyVersion = members.text('key_version')
  const authentication = parseAuthentication(members, source)
  const version = keyVersion === undefined ? {} : { keyVersion }
  const shown = {
    auth_type: authentication?.kind ?? 'client_secret',
    vault_url: vaultUrl,
    key_name: keyName,
    ...(keyVersion !== undefined && { key_version: keyVersion }),
  }
  if (!authentication) return undefined
  if (!source.isFile && authentication.kind !== 'client_secret' && !isOfAzure(vaultUrl)) {
    const fault = 'would send a token of this machine elsewhere'
    report.problem(
      members.place('vault_url'),
      `${fault}; write "https://NAME.vault.azure.net", or send a client_secret`,
    )
  }
  return { settings: { type: 'azure_key_vault', vaultUrl, keyName, authentication, ...version }, shown }
}

/** Vaults and managed HSMs, in all clouds of Azure. */
function isOfAzure(vaultUrl: string): boolean {
  const host = URL.parse(vaultUrl)?.hostname ?? ''
  return /\.(vault|managedhsm)\.(azure\.net|azure\.cn|usgovcloudapi\.net)$/.test(host)
}

function isPlain(text: string): boolean {
  const url = httpUrl(text)
  return url !== undefined && !url.username && !url.password && !url.search && !url.hash
}

function parseAuthentication(
  members: Members,
  source: KeyServiceSource,
): AzureKeyVaultSettings['authentication'] | undefined {
  const { report, environment } = source
  const kind = members.text('auth_type') ?? 'client_secret'
  switch (kind) {
    case 'client_secret': {
      const [tenantId, clientId] = [source.secretOf(members, 'tenant_id'), source.secretOf(members, 'client_id')]
      const secrets = { tenantId, clientId, clientSecret: source.secretOf(members, 'client_secret') }
      return areGiven(secrets) ? { kind, ...secrets } : undefined
    }
    case 'managed_identity': {
      const clientId = optionalSecret(members, 'client_id', source)
      const { azureIdentity: platform } = environment
      if (platform && !isPlain(platform.endpoint)) {
        const fault = 'reads IDENTITY_ENDPOINT, which is no http or https URL without credentials and query (not shown)'
        report.problem(members.place('auth_type'), `${fault}; leave the variable as Azure sets it`)
        return undefined
      }
      return { kind, ...(clientId && { clientId }), ...(platform && { platform }) }
    }
    case 'workload_identity': {
      if (!source.isFile && members.has('federated_token_file')) {
        const fault = 'names a file of this machine, which only the configuration file can do'
        report.problem(members.place('federated_token_file'), fault)
        return undefined
      }
      const given = (name: string, fallback: Secret | undefined) =>
        fallback && !members.has(name) ? fallback : source.secretOf(members, name)
      const secrets = {
        tenantId: given('tenant_id', environment.azureTenantId),
        clientId: given('client_id', environment.azureClientId),
        federatedTokenFile: given('federated_token_file', environment.azureFederatedTokenFile),
      }
      return areGiven(secrets) ? { kind, ...secrets } : undefined
    }
    default:
      report.problem(
        members.place('auth_type'),
        `is ${shownValue(kind)}; write "client_secret", "managed_identity" or "workload_identity"`,
      )
      return undefined
  }
}

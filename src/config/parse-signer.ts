// A signer: its form by the table, its settings by type, and the rules about more than one of its members.
import { requestedSignerTypes, type SignerType, signerTable, signerTypes } from '../domain/signer-table.ts'
import { memberOf } from '../ops/member.ts'
import type { KeyServiceSettings, VaultAuthentication, VaultTransitSettings } from '../signers/settings.ts'
import type { ShownConfig, SignerConfig } from './config.ts'
import { type Members, shown } from './members.ts'
import { parseAddress } from './parse-whitelists.ts'
import { isPlain, readForm, type SignerSource } from './read-signer-form.ts'

type Without<T, Name extends PropertyKey> = T extends unknown ? Omit<T, Name> : never

/** The parsed key of one type. `shown` has the names of the file. */
interface KeyServiceParts {
  readonly settings: Without<KeyServiceSettings, 'id' | 'address'> | VaultTransitSettings
  readonly shown: ShownConfig
}

/** `signer` has the members `type`, `config` and, optionally, `address`. Undefined after a problem. */
export function parseSigner(id: string, signer: Members, source: SignerSource): SignerConfig | undefined {
  const { report, isFile } = source
  const [content, at] = [signer.raw('config'), signer.place('config')]
  const types = isFile ? signerTypes : requestedSignerTypes
  const given = signer.raw('type')
  const type = types.find((each) => each === given)
  if (type === undefined) {
    const fault = given === undefined ? 'is missing' : `${shown(given)} is not supported`
    report.problem(signer.place('type'), `${fault}; signer "${id}" can be ${listed(types)}`)
    return undefined
  }
  if (type === 'plain' || type === 'local') {
    if (isFile && signer.has('address')) {
      const fault = 'is for keys in a service'
      report.problem(signer.place('address'), `${fault}; remove it, since a "${type}" key shows its address`)
    }
    if (type === 'local') {
      const read = readForm(signerTable.local.config, content, at, source)
      return read && { id, type, ...read.values }
    }
    const read = readForm(signerTable.plain.config, content, at, source)
    return read && { id, type, ...read.values }
  }
  const address = signer.has('address')
    ? parseAddress(signer.raw('address'), signer.place('address'), report)
    : undefined
  const parts = parseKeyService(type, content, at, source)
  if (!parts) return undefined
  const { settings, shown: config } = parts
  if (settings.type === 'vault_transit') return { id, type: settings.type, settings, shown: config }
  return { id, type: settings.type, settings: { ...settings, id, ...(address && { address }) }, shown: config }
}

/** Types with more than one form, or with rules about more than one member, have a function of their own. */
function parseKeyService(
  type: Exclude<SignerType, 'plain' | 'local'>,
  content: unknown,
  at: string,
  source: SignerSource,
): KeyServiceParts | undefined {
  switch (type) {
    case 'google_cloud_kms':
      return parseGoogleCloudKms(content, at, source)
    case 'azure_key_vault':
      return parseAzureKeyVault(content, at, source)
    case 'vault':
      return parseVault(content, at, source)
    case 'web3signer':
      return parseWeb3signer(content, at, source)
    default: {
      const read = readForm(signerTable[type].config, content, at, source)
      // The values are those of the type.
      return read && { settings: { type, ...read.values } as KeyServiceParts['settings'], shown: read.shown }
    }
  }
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/** Whether a member is there that is not null. */
function has(content: unknown, name: string): boolean {
  return (memberOf(content, name) ?? undefined) !== undefined
}

function parseGoogleCloudKms(content: unknown, at: string, source: SignerSource): KeyServiceParts | undefined {
  const forms = signerTable.google_cloud_kms
  const form = has(memberOf(content, 'service_account'), 'private_key') ? forms.account : forms.machine
  const read = readForm(form, content, at, source)
  if (!read) return undefined
  const {
    serviceAccount: { projectId, universeDomain, ...account },
    key,
  } = read.values
  const credentials = 'privateKey' in account ? { serviceAccount: account } : {}
  return { settings: { type: 'google_cloud_kms', projectId, universeDomain, key, ...credentials }, shown: read.shown }
}

function parseAzureKeyVault(content: unknown, at: string, source: SignerSource): KeyServiceParts | undefined {
  const { report, environment } = source
  const forms = Object.values(signerTable.azure_key_vault)
  const given = memberOf(content, 'auth_type') ?? 'client_secret'
  const form = forms.find(({ members }) => members.kind.value === given)
  if (!form) {
    const ways = listed(forms.map(({ members }) => members.kind.value))
    report.problem(`${at}.auth_type`, `is ${shown(given)}; write ${ways}`)
    return undefined
  }
  const read = readForm(form, content, at, source)
  if (!read) return undefined
  const { vaultUrl, keyName, keyVersion, ...login } = read.values
  const { azureIdentity: platform } = environment
  const isByPlatform = login.kind === 'managed_identity' && platform !== undefined
  if (isByPlatform && !isPlain(platform.endpoint)) {
    const fault = 'reads IDENTITY_ENDPOINT, which is no http or https URL without credentials and query (not shown)'
    report.problem(`${at}.auth_type`, `${fault}; leave the variable as Azure sets it`)
    return undefined
  }
  const authentication = isByPlatform ? { ...login, platform } : login
  const version = keyVersion === undefined ? {} : { keyVersion }
  return { settings: { type: 'azure_key_vault', vaultUrl, keyName, authentication, ...version }, shown: read.shown }
}

/** Exactly one of AppRole, a token and Kubernetes. */
function parseVault(content: unknown, at: string, source: SignerSource): KeyServiceParts | undefined {
  const { report, isFile } = source
  const names = { approle: 'role_id', token: 'token', kubernetes: 'kubernetes_role' } as const
  const ways = (['approle', 'token', 'kubernetes'] as const).filter(
    (way) => has(content, names[way]) || (way === 'approle' && has(content, 'secret_id')),
  )
  const [way = 'approle', second] = ways
  if (second !== undefined) {
    const fault = `is a second way to log in beside "${names[way]}"; leave one of the two`
    report.problem(`${at}.${names[second]}`, fault)
    return undefined
  }
  const form = signerTable.vault[way]
  if ('inFileOnly' in form && !isFile) {
    const fault = 'would send a token of this machine elsewhere, which only the configuration file can do'
    report.problem(`${at}.${names[way]}`, `${fault}; send role_id and secret_id`)
  }
  const read = readForm(form, content, at, source)
  if (!read) return undefined
  const { url, namespace, mountPoint, keyName, ...login } = read.values
  const authentication = loginToVault(login)
  const named = namespace === undefined ? {} : { namespace }
  return { settings: { type: 'vault', url, ...named, mountPoint, keyName, authentication }, shown: read.shown }
}

function loginToVault(login: Without<VaultAuthentication, 'kind'>): VaultAuthentication {
  if ('token' in login) return { kind: 'token', ...login }
  return 'role' in login ? { kind: 'kubernetes', ...login } : { kind: 'approle', ...login }
}

function parseWeb3signer(content: unknown, at: string, source: SignerSource): KeyServiceParts | undefined {
  const read = readForm(signerTable.web3signer.config, content, at, source)
  if (!read) return undefined
  const { certificateFile, keyFile } = read.values.tls ?? {}
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    const absent = keyFile === undefined ? 'key_file' : 'certificate_file'
    source.report.problem(`${at}.tls.${absent}`, 'is missing; certificate_file and key_file belong together')
  }
  return { settings: { type: 'web3signer', ...read.values }, shown: read.shown }
}

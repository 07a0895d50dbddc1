// The signers of a request by their types, for the OpenAPI document. The parsers of the configuration file enforce these rules
// (`src/config/parse-key-service.ts`); a test compares the two.
import { inAnyCase } from '../../ops/request-headers.ts'
import { forms } from '../request/stated.ts'

type JsonSchema = Readonly<Record<string, unknown>>

export const { none } = forms
/** A member that the parser of this way to log in does not read. */
const unread = { description: 'not read' }

/** A text that is not blank, without U+0000, which PostgreSQL can't store. */
const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
  description,
  ...more,
})

/** The parsers drop space at the ends. `pattern` is of the rest. */
const trimmed = (pattern: string) => `^\\s*${pattern}\\s*$`

const formed = (description: string, pattern: string, example: string): JsonSchema =>
  text(description, { pattern: trimmed(pattern), examples: [example] })

const secret = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  pattern: '\\S',
  writeOnly: true,
  description,
  ...more,
})

/** Null stands for an absent member. */
const orNone = ({ type, ...schema }: JsonSchema): JsonSchema => ({ ...schema, type: [type, 'null'] })

/** Members whose names end with `?` may be absent. */
function object(title: string, members: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  const properties = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema])
  const required = Object.keys(members).filter((name) => !name.endsWith('?'))
  return {
    ...{ title, type: 'object', required, properties: Object.fromEntries(properties) },
    ...{ additionalProperties: false, ...more },
  }
}

const pathOnly = '([/\\\\][^\\s?#]*)?[?]?#?'

function url(description: string, scheme: string, host: string, example: string): JsonSchema {
  const pattern = trimmed(`${inAnyCase(scheme)}://${host}${pathOnly}`)
  return text(`${description}: a URL without user, query and fragment`, {
    ...{ pattern, format: 'http-url', examples: [example] },
  })
}

const anyHost = '[^\\s/?#@\\\\]+'

const serverUrl = (description: string, example: string) => url(description, 'https?', anyHost, example)
const safeUrl = (description: string, example: string) => url(description, 'https', anyHost, example)

const suffix = inAnyCase('\\.(vault|managedhsm)\\.(azure\\.net|azure\\.cn|usgovcloudapi\\.net)')

/** The hosts to which a token of this machine may go. */
const azureUrl = (description: string, example: string) =>
  url(description, 'https', `[^\\s/?#@\\\\:]*${suffix}(:[0-9]+)?`, example)

const publicKey = {
  ...text('of secp256k1: 33, 64 or 65 bytes in hex, with or without 0x', { format: 'secp256k1-public-key' }),
  examples: ['0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'],
}

const plain = object('PlainConfig', {
  key: {
    ...{ type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$', format: 'secp256k1-private-key', writeOnly: true },
    ...{ description: 'a private key: 64 hex digits, with or without 0x', examples: [`0x${'11'.repeat(32)}`] },
  },
})

const awsKms = object('AwsKmsConfig', {
  region: formed('the region of the key', '[a-z0-9-]{1,40}', 'eu-central-1'),
  key_id: text('an id, an ARN or an alias'),
})

const googleName = (description: string) => formed(description, '[A-Za-z0-9_-]{1,63}', 'payouts')
const googleKey = object('GoogleCloudKmsKey', {
  'location?': orNone(text('"global" by default')),
  key_ring_id: googleName('the name of a key ring, without its project'),
  key_id: googleName('the name of a key, without its key ring'),
  'key_version?': { type: ['integer', 'null'], minimum: 1, maximum: 2 ** 31, description: '1 by default' },
})
const unused = Object.fromEntries(
  ['client_id?', 'auth_uri?', 'token_uri?', 'auth_provider_x509_cert_url?', 'client_x509_cert_url?'].map((name) => [
    name,
    orNone(text('not used')),
  ]),
)
const project = { project_id: formed('the id of a project', '[a-z0-9.:-]{1,100}', 'payouts-1042'), ...unused }
const domain = text('"googleapis.com" by default', { pattern: '^[a-z0-9.-]{1,100}$', examples: ['googleapis.com'] })
const google = (title: string, service_account: JsonSchema) => object(title, { service_account, key: googleKey })

const googleAccount = google(
  'GoogleCloudKmsAccountConfig',
  object('GoogleServiceAccount', {
    ...project,
    private_key_id: secret('the id of the private key'),
    private_key: secret('in PEM'),
    client_email: secret('the name of the account'),
    'universe_domain?': orNone(domain),
  }),
)
const googleMachine = google(
  'GoogleCloudKmsMachineConfig',
  object('GoogleMachineCredentials', {
    ...project,
    'private_key?': none,
    'private_key_id?': unread,
    'client_email?': unread,
    'universe_domain?': { enum: ['googleapis.com', null] },
  }),
)

const azureKey = {
  key_name: formed('the name of a key, without its version', '[0-9A-Za-z-]{1,127}', 'payouts'),
  'key_version?': orNone(text('the latest when the signer opens, if absent')),
}
const azureVault = azureUrl('the vault, at Azure', 'https://payouts.vault.azure.net')
const azureSecret = object('AzureClientSecretConfig', {
  'auth_type?': { enum: ['client_secret', null] },
  vault_url: safeUrl('the vault', 'https://payouts.vault.azure.net'),
  ...azureKey,
  tenant_id: secret('the tenant'),
  client_id: secret('the application'),
  client_secret: secret('its secret'),
  'federated_token_file?': unread,
})
const azureIdentity = object('AzureManagedIdentityConfig', {
  auth_type: { enum: ['managed_identity'] },
  vault_url: azureVault,
  ...azureKey,
  'client_id?': orNone(secret('of an identity that a user assigned')),
  'tenant_id?': unread,
  'client_secret?': unread,
  'federated_token_file?': unread,
})
const azureWorkload = object(
  'AzureWorkloadIdentityConfig',
  {
    auth_type: { enum: ['workload_identity'] },
    vault_url: azureVault,
    ...azureKey,
    'tenant_id?': orNone(secret('absent: AZURE_TENANT_ID of the service')),
    'client_id?': orNone(secret('absent: AZURE_CLIENT_ID of the service')),
    'client_secret?': unread,
    'federated_token_file?': none,
  },
  { description: 'Only where the environment of the service has AZURE_FEDERATED_TOKEN_FILE' },
)

/** A path segment, never empty and never one or two dots, which a URL would fold. */
const segment = '([^/?#\\s.][^/?#\\s]*|\\.[^/?#\\s.][^/?#\\s]*|\\.\\.[^/?#\\s]+)'
const path = `${segment}(/${segment})*`
/** A header of each request carries it (`ops/request-headers.ts`). */
const inHeader = { pattern: '^[\\x21-\\x7e]([\\t\\x20-\\x7e]*[\\x21-\\x7e])?$', maxLength: 4096 }
const vaultPlace = (mount: string) => ({
  address: serverUrl('the server', 'https://vault.example:8200'),
  'namespace?': orNone(text('of the secrets', inHeader)),
  key_name: formed('a path below the mount', path, 'payouts'),
  'mount_point?': orNone(formed(`"${mount}" by default`, path, mount)),
})
const approle = { role_id: secret('of an AppRole'), secret_id: secret('of an AppRole') }
const vaultRole = object('VaultAppRoleConfig', {
  ...vaultPlace('secret'),
  ...approle,
  'auth_mount?': orNone(formed('"approle" by default', path, 'approle')),
  'token?': none,
  'kubernetes_role?': none,
  'kubernetes_token_file?': unread,
})
const vaultToken = object('VaultTokenConfig', {
  ...vaultPlace('secret'),
  token: secret('a token', inHeader),
  'role_id?': none,
  'secret_id?': none,
  'auth_mount?': orNone(formed('not used', path, 'approle')),
  'kubernetes_role?': none,
  'kubernetes_token_file?': unread,
})
const vaultTransit = object('VaultTransitConfig', {
  ...vaultPlace('transit'),
  ...approle,
  pubkey: text('the public key'),
})

const turnkeyId = (description: string) =>
  formed(description, '[A-Za-z0-9_-]{1,80}', '5c1f7a3e-0d2b-4c46-9a52-6c1e3f0d2b84')
const turnkey = object('TurnkeyConfig', {
  api_public_key: formed('of P-256, compressed: 66 hex digits', '0[23][0-9a-fA-F]{64}', `02${'1f'.repeat(32)}`),
  api_private_key: secret('of the same key'),
  organization_id: turnkeyId('the id of an organization'),
  private_key_id: turnkeyId('the id of a private key'),
  public_key: publicKey,
})

const cdp = object('CdpConfig', {
  api_key_id: text('the id of an API key'),
  api_key_secret: secret('of the API key'),
  wallet_secret: secret('of the wallets'),
  account_address: { ...forms.address, description: 'the address of an account' },
})

const web3signer = object('Web3signerConfig', {
  url: serverUrl('the server', 'https://web3signer.internal:9000'),
  public_key: publicKey,
  'tls?': {
    type: ['object', 'null'],
    properties: { ca_file: none, certificate_file: none, key_file: none },
    additionalProperties: false,
    description: 'its files can be named in the configuration file only',
  },
})

const pkcs11 = object('Pkcs11Config', {
  module: text('the path of a library that PKCS11_MODULES lists'),
  token_label: text('the label of a token'),
  key_label: text('the label of a key'),
  pin: secret('of the token'),
})

/** The forms of `config`, by the type of the signer. */
export const signerConfigs: Readonly<Record<string, readonly JsonSchema[]>> = {
  plain: [plain],
  aws_kms: [awsKms],
  google_cloud_kms: [googleAccount, googleMachine],
  azure_key_vault: [azureSecret, azureIdentity, azureWorkload],
  vault: [vaultRole, vaultToken],
  vault_transit: [vaultTransit],
  turnkey: [turnkey],
  cdp: [cdp],
  web3signer: [web3signer],
  pkcs11: [pkcs11],
}

const id = {
  ...{ type: ['string', 'null'], pattern: '^[a-zA-Z0-9_-]{1,36}$' },
  description: 'at most 36 letters, digits, dashes and underscores; without it the service creates one',
}
const address = {
  plain: { type: ['string', 'null'], description: 'not used: the service computes it from the key' },
  ofService: orNone({ ...forms.address, description: 'the address that the key must have: the service compares' }),
}

const titles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(signerConfigs).map((type) => [
    type,
    `${type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}SignerRequest`,
  ]),
)

/** The bodies that create a signer, one for each type. */
export const signerVariants: readonly JsonSchema[] = Object.entries(signerConfigs).map(([type, configs]) =>
  object(titles[type] ?? type, {
    'id?': id,
    type: { type: 'string', enum: [type] },
    config: configs.length === 1 ? { ...configs[0] } : { oneOf: configs },
    'address?': type === 'plain' ? address.plain : address.ofService,
  }),
)

export const signerDiscriminator = {
  propertyName: 'type',
  mapping: Object.fromEntries(Object.entries(titles).map(([type, title]) => [type, `#/components/schemas/${title}`])),
}

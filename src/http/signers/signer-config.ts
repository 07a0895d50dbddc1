// The members of a signer's config, of all types: those that a body may have, and those that an answer shows.
import { type Static, type TProperties, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'

/** Null stands for an absent member, as in the configuration file. */
const text = (of: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description: `a text, for ${of}` }))
const secret = (of: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { writeOnly: true, description: `a text, for ${of}` }))
const shownText = (description: string) => Type.Optional(Type.String({ description }))

const texts = {
  region: 'aws_kms',
  key_id: 'aws_kms: an id, an ARN or an alias',
  auth_type: 'azure_key_vault: "client_secret", "managed_identity" or "workload_identity"',
  vault_url: 'azure_key_vault',
  key_name: 'azure_key_vault, vault, vault_transit',
  key_version: 'azure_key_vault: the latest when the signer opens, if absent',
  address: 'vault, vault_transit: the URL of the server',
  namespace: 'vault, vault_transit',
  mount_point: 'vault: "secret" by default; vault_transit: "transit" by default',
  pubkey: 'vault_transit',
  api_public_key: 'turnkey',
  organization_id: 'turnkey',
  private_key_id: 'turnkey',
  public_key: 'turnkey, web3signer: of secp256k1, compressed or not',
  api_key_id: 'cdp',
  account_address: 'cdp',
  url: 'web3signer',
  module: 'pkcs11: the path of a library that PKCS11_MODULES lists',
  token_label: 'pkcs11',
  key_label: 'pkcs11',
} as const

const secrets = {
  tenant_id: 'azure_key_vault',
  client_id: 'azure_key_vault',
  client_secret: 'azure_key_vault',
  role_id: 'vault, vault_transit',
  secret_id: 'vault, vault_transit',
  token: 'vault, in place of role_id and secret_id',
  api_private_key: 'turnkey',
  api_key_secret: 'cdp',
  wallet_secret: 'cdp',
  pin: 'pkcs11',
} as const

const keyOfGoogle =
  'google_cloud_kms: location ("global" by default), key_ring_id, key_id and key_version (1 by default)'
const accountTexts = ['project_id', 'client_id', 'auth_uri', 'token_uri', 'auth_provider_x509_cert_url']
const account = [...accountTexts, 'client_x509_cert_url', 'universe_domain']

function each(descriptions: Readonly<Record<string, string>>, schema: typeof text | typeof shownText): TProperties {
  return Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, schema(description)]))
}

const key = { ...each({ location: '', key_ring_id: '', key_id: '' }, shownText), key_version: Type.Integer() }

/** The parser of the configuration file checks the members of each type. */
export const signerConfigSchema = Type.Object(
  {
    key: Type.Optional(
      Type.Unknown({
        writeOnly: true,
        description: `plain: a private key, 64 hex digits, with or without 0x. ${keyOfGoogle}`,
      }),
    ),
    ...each(texts, text),
    ...each(secrets, secret),
    service_account: Type.Optional(
      Type.Unknown({
        writeOnly: true,
        description: `google_cloud_kms: ${account.join(', ')}, and the secrets private_key_id, private_key and client_email; without private_key, the credentials of the machine`,
      }),
    ),
  },
  {
    additionalProperties: true,
    description: 'an object whose members depend on the type: those of the configuration file, with secrets as texts',
    examples: [{ key: `0x${'11'.repeat(32)}` }],
  },
)

export const shownConfigSchema = Type.Object(
  {
    ...each(texts, shownText),
    key: Type.Optional(Type.Object(key, { additionalProperties: false, description: keyOfGoogle })),
    service_account: Type.Optional(
      Type.Object(each(Object.fromEntries(account.map((name) => [name, ''])), shownText), {
        additionalProperties: false,
        description: 'google_cloud_kms',
      }),
    ),
  },
  { additionalProperties: false, description: 'the settings without secrets; empty for a key that this service holds' },
)

/** Throws INVALID_REQUEST. */
export function checkSignerKey({ key, ...others }: Static<typeof signerConfigSchema>): void {
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw new RescindError('INVALID_REQUEST', `config.${other.slice(0, 20)}: is not accepted here; send only key`)
  }
  if (typeof key === 'string' && /^(0x)?[0-9a-fA-F]{64}$/.test(key)) return
  const given =
    typeof key === 'string' ? 'is no private key (not shown: it may be most of one)' : 'is not a private key'
  const fault = key === undefined ? 'is missing' : given
  throw new RescindError('INVALID_REQUEST', `config.key: ${fault}; send 64 hex digits, with or without 0x`)
}

// The signers, one entry each: the forms of its `config`, and in each form a row for each member. The configuration file, its
// schema for editors, the requests and the answers all read settings by this table.
import { keysOf } from './defined.ts'
import type { SignerForm } from './signer-form.ts'

const text = { kind: 'text' } as const
const secret = { kind: 'secret' } as const
const optional = { isOptional: true } as const

const unusedText = <Name extends string>(name: Name) => ({ ...text, ...optional, name, meaning: 'not used' }) as const
const googleProject = {
  projectId: {
    ...{ ...text, name: 'project_id', pattern: '[a-z0-9.:-]{1,100}', example: 'payouts-1042' },
    meaning: 'the id of a project',
  },
  clientId: unusedText('client_id'),
  authUri: unusedText('auth_uri'),
  tokenUri: unusedText('token_uri'),
  providerCertUrl: unusedText('auth_provider_x509_cert_url'),
  clientCertUrl: unusedText('client_x509_cert_url'),
} as const
const universeDomain = {
  ...{ ...text, name: 'universe_domain', pattern: '[a-z0-9.-]{1,100}', default: 'googleapis.com' },
  meaning: 'a domain',
} as const
const googleName = { ...text, pattern: '[A-Za-z0-9_-]{1,63}', example: 'payouts' } as const
const googleKey = {
  kind: 'object',
  name: 'key',
  meaning: 'the key',
  title: 'GoogleCloudKmsKey',
  members: {
    location: { ...text, name: 'location', meaning: 'a location', default: 'global' },
    keyRingId: { ...googleName, name: 'key_ring_id', meaning: 'the name of a key ring, without its project' },
    keyId: { ...googleName, name: 'key_id', meaning: 'the name of a key, without its key ring' },
    keyVersion: { kind: 'count', name: 'key_version', meaning: 'a version', min: 1, max: 2 ** 31, default: 1 },
  },
} as const

const azureKey = {
  keyName: {
    ...{ ...text, name: 'key_name', pattern: '[0-9A-Za-z-]{1,127}', example: 'payouts' },
    meaning: 'the name of a key, without its version',
  },
  keyVersion: { ...text, ...optional, name: 'key_version', meaning: 'the latest when the signer opens, if absent' },
} as const
const azureVault = {
  kind: 'url',
  name: 'vault_url',
  meaning: 'the vault',
  isSafe: true,
  example: 'https://NAME.vault.azure.net',
} as const
/** Vaults and managed HSMs, in all clouds of Azure. */
const vaultAtAzure = {
  ...azureVault,
  hostsInRequests: {
    pattern: '\\.(vault|managedhsm)\\.(azure\\.net|azure\\.cn|usgovcloudapi\\.net)',
    fault:
      'would send a token of this machine elsewhere; write "https://NAME.vault.azure.net", or send a client_secret',
  },
} as const
const azureWay = { kind: 'way', name: 'auth_type', meaning: 'the way to log in' } as const

/** Segments of a path, none of them empty, or one or two dots, which a URL would fold. */
const segment = '([^/?#\\s.][^/?#\\s]*|\\.[^/?#\\s.][^/?#\\s]*|\\.\\.[^/?#\\s]+)'
const path = { ...text, pattern: `${segment}(/${segment})*` } as const
const vaultPlace = {
  url: { kind: 'url', name: 'address', meaning: 'the server', example: 'https://vault.example.com:8200' },
  namespace: { ...text, ...optional, name: 'namespace', meaning: 'of the secrets', inHeader: true },
  keyName: {
    ...{ ...path, name: 'key_name', example: 'payouts' },
    meaning: 'the path of a secret below its mount, without a slash at its ends',
  },
} as const
const mountPoint = { ...path, name: 'mount_point', meaning: 'the path of a mount' } as const
const loginMount = { ...path, name: 'auth_mount', meaning: 'the path of a mount', isHidden: true } as const
const vaultRole = {
  roleId: { ...secret, name: 'role_id', meaning: 'of an AppRole' },
  secretId: { ...secret, name: 'secret_id', meaning: 'of an AppRole' },
} as const

const turnkeyId = { ...text, pattern: '[A-Za-z0-9_-]{1,80}', example: '5c1f7a3e-0d2b-4c46-9a52-6c1e3f0d2b84' } as const
const publicKey = {
  kind: 'publicKey',
  name: 'public_key',
  meaning: 'of secp256k1: 33, 64 or 65 bytes in hex, with or without 0x',
  example: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
} as const

export const signerTable = {
  local: {
    config: {
      ...{ title: 'LocalConfig', inFileOnly: true },
      members: {
        path: { kind: 'file', name: 'path', meaning: 'the path of a keystore file' },
        passphrase: { ...secret, name: 'passphrase', meaning: 'of the file' },
      },
    },
  },
  plain: {
    config: {
      title: 'PlainConfig',
      members: {
        key: {
          ...{ ...secret, name: 'key', isTrimmed: true, isPrivateKey: true },
          meaning: 'a private key: 64 hex digits, with or without 0x',
        },
      },
    },
  },
  aws_kms: {
    config: {
      title: 'AwsKmsConfig',
      members: {
        region: {
          ...{ ...text, name: 'region', pattern: '[a-z0-9-]{1,40}', example: 'eu-central-1' },
          meaning: 'a region such as "eu-central-1"',
        },
        keyId: { ...text, name: 'key_id', meaning: 'an id, an ARN or an alias' },
      },
    },
  },
  google_cloud_kms: {
    account: {
      title: 'GoogleCloudKmsAccountConfig',
      members: {
        serviceAccount: {
          ...{ kind: 'object', name: 'service_account', meaning: 'a service account', title: 'GoogleServiceAccount' },
          members: {
            ...googleProject,
            privateKeyId: { ...secret, name: 'private_key_id', meaning: 'the id of the private key' },
            privateKey: { ...secret, name: 'private_key', meaning: 'in PEM' },
            clientEmail: { ...secret, name: 'client_email', meaning: 'the name of the account' },
            universeDomain,
          },
        },
        key: googleKey,
      },
    },
    machine: {
      title: 'GoogleCloudKmsMachineConfig',
      members: {
        serviceAccount: {
          ...{ kind: 'object', name: 'service_account', title: 'GoogleMachineCredentials' },
          meaning: 'without private_key: the credentials of the machine',
          members: {
            ...googleProject,
            universeDomain: {
              ...universeDomain,
              onlyInRequests: {
                value: 'googleapis.com',
                fault:
                  'would send the credentials of this machine elsewhere; send a private_key with it, or leave it out',
              },
            },
          },
          refused: ['private_key'],
          unread: ['private_key_id', 'client_email'],
        },
        key: googleKey,
      },
    },
  },
  azure_key_vault: {
    secret: {
      title: 'AzureClientSecretConfig',
      members: {
        kind: { ...azureWay, value: 'client_secret', isDefault: true },
        vaultUrl: azureVault,
        ...azureKey,
        tenantId: { ...secret, name: 'tenant_id', meaning: 'the tenant' },
        clientId: { ...secret, name: 'client_id', meaning: 'the application' },
        clientSecret: { ...secret, name: 'client_secret', meaning: 'its secret' },
      },
      unread: ['federated_token_file'],
    },
    identity: {
      title: 'AzureManagedIdentityConfig',
      members: {
        kind: { ...azureWay, value: 'managed_identity' },
        vaultUrl: vaultAtAzure,
        ...azureKey,
        clientId: { ...secret, ...optional, name: 'client_id', meaning: 'of an identity that a user assigned' },
      },
      unread: ['tenant_id', 'client_secret', 'federated_token_file'],
    },
    workload: {
      title: 'AzureWorkloadIdentityConfig',
      note: 'In requests only where the environment of the service has AZURE_FEDERATED_TOKEN_FILE',
      members: {
        kind: { ...azureWay, value: 'workload_identity' },
        vaultUrl: vaultAtAzure,
        ...azureKey,
        tenantId: {
          ...{ ...secret, name: 'tenant_id', fallback: 'azureTenantId' },
          meaning: 'absent: AZURE_TENANT_ID of the service',
        },
        clientId: {
          ...{ ...secret, name: 'client_id', fallback: 'azureClientId' },
          meaning: 'absent: AZURE_CLIENT_ID of the service',
        },
        federatedTokenFile: {
          ...{ ...secret, name: 'federated_token_file', fallback: 'azureFederatedTokenFile', inFileOnly: true },
          meaning: 'absent: AZURE_FEDERATED_TOKEN_FILE of the service',
        },
      },
      unread: ['client_secret'],
    },
  },
  vault: {
    approle: {
      title: 'VaultAppRoleConfig',
      members: {
        ...vaultPlace,
        mountPoint: { ...mountPoint, default: 'secret' },
        ...vaultRole,
        mount: { ...loginMount, default: 'approle' },
      },
      refused: ['token', 'kubernetes_role'],
      unread: ['kubernetes_token_file'],
    },
    token: {
      title: 'VaultTokenConfig',
      members: {
        ...vaultPlace,
        mountPoint: { ...mountPoint, default: 'secret' },
        token: { ...secret, name: 'token', meaning: 'a token', inHeader: true },
      },
      refused: ['role_id', 'secret_id', 'kubernetes_role'],
      unread: ['auth_mount', 'kubernetes_token_file'],
    },
    kubernetes: {
      ...{ title: 'VaultKubernetesConfig', inFileOnly: true },
      members: {
        ...vaultPlace,
        mountPoint: { ...mountPoint, default: 'secret' },
        mount: { ...loginMount, default: 'kubernetes' },
        role: { ...text, name: 'kubernetes_role', meaning: 'the name of a role', isHidden: true },
        tokenFile: {
          ...{ kind: 'file', name: 'kubernetes_token_file', meaning: 'the token of a service account' },
          default: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        },
      },
      refused: ['role_id', 'secret_id', 'token'],
    },
  },
  vault_transit: {
    config: {
      title: 'VaultTransitConfig',
      members: {
        ...vaultPlace,
        mountPoint: { ...mountPoint, default: 'transit' },
        ...vaultRole,
        publicKey: { ...text, name: 'pubkey', meaning: 'the public key' },
      },
    },
  },
  turnkey: {
    config: {
      title: 'TurnkeyConfig',
      members: {
        apiPublicKey: {
          ...{ ...text, name: 'api_public_key', pattern: '0[23][0-9a-fA-F]{64}', example: `02${'1f'.repeat(32)}` },
          meaning: '66 hex digits: a compressed key of P-256',
        },
        apiPrivateKey: { ...secret, name: 'api_private_key', meaning: 'of the same key', isTrimmed: true },
        organizationId: { ...turnkeyId, name: 'organization_id', meaning: 'the id of an organization' },
        privateKeyId: { ...turnkeyId, name: 'private_key_id', meaning: 'the id of a private key' },
        publicKey,
      },
    },
  },
  cdp: {
    config: {
      title: 'CdpConfig',
      members: {
        apiKeyId: { ...text, name: 'api_key_id', meaning: 'the id of an API key' },
        apiKeySecret: { ...secret, name: 'api_key_secret', meaning: 'of the API key' },
        walletSecret: { ...secret, name: 'wallet_secret', meaning: 'of the wallets' },
        accountAddress: {
          ...{ kind: 'address', name: 'account_address', meaning: 'the address of an account' },
          example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        },
      },
    },
  },
  web3signer: {
    config: {
      title: 'Web3signerConfig',
      members: {
        url: { kind: 'url', name: 'url', meaning: 'the server', example: 'https://web3signer.internal:9000' },
        publicKey,
        tls: {
          ...{ kind: 'object', ...optional, name: 'tls', title: 'Web3signerTls' },
          meaning: 'its files can be named in the configuration file only',
          members: {
            caFile: { kind: 'file', ...optional, name: 'ca_file', meaning: 'in PEM' },
            certificateFile: { kind: 'file', ...optional, name: 'certificate_file', meaning: 'in PEM' },
            keyFile: { kind: 'file', ...optional, name: 'key_file', meaning: 'in PEM' },
          },
        },
      },
    },
  },
  pkcs11: {
    config: {
      title: 'Pkcs11Config',
      members: {
        module: {
          ...{ kind: 'library', name: 'module' },
          meaning: 'the path of a library; a request may name those that PKCS11_MODULES lists',
        },
        tokenLabel: { ...text, name: 'token_label', meaning: 'the label of a token' },
        pin: { ...secret, name: 'pin', meaning: 'of the token' },
        keyLabel: { ...text, name: 'key_label', meaning: 'the label of a key' },
      },
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, SignerForm>>>>

/** `plain` and `local` keys are in this process. No relayer can use `vault_transit`. */
export type SignerType = keyof typeof signerTable

/** The forms of each type, in the order of the table. */
export const signerForms: Readonly<Record<SignerType, Readonly<Record<string, SignerForm>>>> = signerTable

export const signerTypes = keysOf<SignerType>(signerTable)

/** The types that a request may have. */
export const requestedSignerTypes = signerTypes.filter((type) =>
  Object.values(signerForms[type]).some(({ inFileOnly }) => !inFileOnly),
)

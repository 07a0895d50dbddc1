// The settings of a key that lives in a service, by provider. Secrets are a type of their own.
import type { Address, Hex } from '../domain/ids.ts'
import type { Secret } from '../ops/secret.ts'

export interface AwsKmsSettings {
  readonly type: 'aws_kms'
  readonly region: string
  /** An id, an ARN or an alias. */
  readonly keyId: string
}

export interface GoogleCloudKmsSettings {
  readonly type: 'google_cloud_kms'
  readonly projectId: string
  readonly universeDomain: string
  /** The credentials; absent: application default credentials, such as workload identity. */
  readonly serviceAccount?: {
    readonly clientEmail: Secret
    readonly privateKeyId: Secret
    readonly privateKey: Secret
    readonly clientId?: string
  }
  readonly key: {
    readonly location: string
    readonly keyRingId: string
    readonly keyId: string
    readonly keyVersion: number
  }
}

export interface AzureKeyVaultSettings {
  readonly type: 'azure_key_vault'
  readonly vaultUrl: string
  readonly keyName: string
  /** The version of the key; absent: the version that is the latest when the signer opens. */
  readonly keyVersion?: string
  readonly authentication:
    | {
        readonly kind: 'client_secret'
        readonly tenantId: Secret
        readonly clientId: Secret
        readonly clientSecret: Secret
      }
    | {
        readonly kind: 'managed_identity'
        readonly clientId?: Secret
        /** The endpoint of App Service and Container Apps; absent: the metadata service of the machine. */
        readonly platform?: { readonly endpoint: string; readonly header: Secret }
      }
    | {
        readonly kind: 'workload_identity'
        readonly tenantId: Secret
        readonly clientId: Secret
        readonly federatedTokenFile: Secret
      }
}

/** A member of each kind of login to Vault. `mount` is the path of the authentication method. */
export type VaultAuthentication =
  | { readonly kind: 'approle'; readonly mount: string; readonly roleId: Secret; readonly secretId: Secret }
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'kubernetes'; readonly mount: string; readonly role: string; readonly tokenFile: string }

export interface VaultSettings {
  readonly type: 'vault'
  readonly url: string
  readonly namespace?: string
  readonly mountPoint: string
  readonly keyName: string
  readonly authentication: VaultAuthentication
}

/** Settings that parse, so that a file with them loads. The keys of this type are not of secp256k1, so no relayer can use one. */
export interface VaultTransitSettings {
  readonly type: 'vault_transit'
  readonly url: string
  readonly namespace?: string
  readonly mountPoint: string
  readonly keyName: string
  readonly publicKey: string
  readonly roleId: Secret
  readonly secretId: Secret
}

export interface TurnkeySettings {
  readonly type: 'turnkey'
  /** P-256, compressed. */
  readonly apiPublicKey: string
  readonly apiPrivateKey: Secret
  readonly organizationId: string
  readonly privateKeyId: string
  /** 65 bytes, uncompressed. */
  readonly publicKey: Hex
}

export interface CdpSettings {
  readonly type: 'cdp'
  readonly apiKeyId: string
  readonly apiKeySecret: Secret
  readonly walletSecret: Secret
  readonly accountAddress: Address
}

export interface Web3signerSettings {
  readonly type: 'web3signer'
  readonly url: string
  /** 65 bytes, uncompressed. */
  readonly publicKey: Hex
  /** Files in PEM. */
  readonly tls?: { readonly caFile?: string; readonly certificateFile?: string; readonly keyFile?: string }
}

export interface Pkcs11Settings {
  readonly type: 'pkcs11'
  /** The absolute path of the vendor's library. */
  readonly module: string
  readonly tokenLabel: string
  readonly pin: Secret
  readonly keyLabel: string
}

export type KeyServiceType = KeyServiceSettings['type']

/** `plain` and `local` keys are in this process. No relayer can use `vault_transit`. */
export type SignerType = 'plain' | 'local' | 'vault_transit' | KeyServiceType

/** The keys that a relayer can sign with. `address`: the operator expects this one, and the service checks it. */
export type KeyServiceSettings = { readonly id: string; readonly address?: Address } & (
  | AwsKmsSettings
  | GoogleCloudKmsSettings
  | AzureKeyVaultSettings
  | VaultSettings
  | TurnkeySettings
  | CdpSettings
  | Web3signerSettings
  | Pkcs11Settings
)

// The settings of a key that lives in a service, by provider. Secrets are a type of their own.
import type { Address, Hex } from '../domain/ids.ts'
import type { SignerType, signerTable } from '../domain/signer-table.ts'
import type { Secret } from '../ops/secret.ts'

type ValueOf<Member> = Member extends { readonly kind: 'object'; readonly members: infer Members }
  ? ValuesOf<Members>
  : Member extends { readonly kind: 'way'; readonly value: infer Way }
    ? Way
    : Member extends { readonly kind: infer Kind extends keyof ValueKinds }
      ? ValueKinds[Kind]
      : string

interface ValueKinds {
  readonly secret: Secret
  readonly count: number
  readonly address: Address
  /** 65 bytes, uncompressed. */
  readonly publicKey: Hex
}

/** The values of a form of the table. Those that may be absent have no default there. */
export type ValuesOf<Members> = Members extends unknown
  ? {
      readonly [Key in keyof Members as Members[Key] extends { isOptional: true } ? never : Key]: ValueOf<Members[Key]>
    } & {
      readonly [Key in keyof Members as Members[Key] extends { isOptional: true } ? Key : never]?: ValueOf<Members[Key]>
    }
  : never

type Table = typeof signerTable
type FormsOf<Type extends SignerType> = {
  [Way in keyof Table[Type]]: Table[Type][Way] extends { readonly members: infer Members } ? ValuesOf<Members> : never
}
type SettingsOf<Type extends SignerType> = { readonly type: Type } & FormsOf<Type>['config' & keyof Table[Type]]

export type AwsKmsSettings = SettingsOf<'aws_kms'>
/** Settings that parse, so that a file with them loads. The keys of this type are not of secp256k1, so no relayer can use one. */
export type VaultTransitSettings = SettingsOf<'vault_transit'>
export type TurnkeySettings = SettingsOf<'turnkey'>
export type CdpSettings = SettingsOf<'cdp'>
export type Web3signerSettings = SettingsOf<'web3signer'>
/** `module` is the absolute path of the vendor's library. */
export type Pkcs11Settings = SettingsOf<'pkcs11'>

type GoogleForm = FormsOf<'google_cloud_kms'>['account']

export interface GoogleCloudKmsSettings {
  readonly type: 'google_cloud_kms'
  readonly projectId: string
  readonly universeDomain: string
  /** The credentials; absent: application default credentials, such as workload identity. */
  readonly serviceAccount?: Pick<GoogleForm['serviceAccount'], 'clientEmail' | 'privateKeyId' | 'privateKey'>
  readonly key: GoogleForm['key']
}

type AzureForms = FormsOf<'azure_key_vault'>
type AzureKey = 'vaultUrl' | 'keyName' | 'keyVersion'

/** `keyVersion` absent: the version that is the latest when the signer opens. */
export type AzureKeyVaultSettings = { readonly type: 'azure_key_vault' } & Pick<AzureForms['secret'], AzureKey> & {
    readonly authentication:
      | Omit<AzureForms['secret'], AzureKey>
      | (Omit<AzureForms['identity'], AzureKey> & {
          /** The endpoint of App Service and Container Apps; absent: the metadata service of the machine. */
          readonly platform?: { readonly endpoint: string; readonly header: Secret }
        })
      | Omit<AzureForms['workload'], AzureKey>
  }

type VaultForms = FormsOf<'vault'>
type VaultKey = 'url' | 'namespace' | 'mountPoint' | 'keyName'

/** The members of each kind of login to Vault. `mount` is the path of the authentication method. */
export type VaultAuthentication = {
  [Way in keyof VaultForms]: { readonly kind: Way } & Omit<VaultForms[Way], VaultKey>
}[keyof VaultForms]

export type VaultSettings = { readonly type: 'vault' } & Pick<VaultForms['approle'], VaultKey> & {
    readonly authentication: VaultAuthentication
  }

export type KeyServiceType = KeyServiceSettings['type']

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

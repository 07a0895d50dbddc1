// Opens the client of a key service by its type. Each client is loaded on first use.
import type { Curve } from './curve.ts'
import type { ServiceAccess } from './exchange.ts'
import type { KeyService } from './key-service.ts'
import type { KeyServiceSettings } from './settings.ts'

/** Makes no request. Throws SignerError for a package that is missing, or a secret that is no key. */
export async function openKeyService(
  settings: KeyServiceSettings,
  access: ServiceAccess,
  curve: Curve,
): Promise<KeyService> {
  switch (settings.type) {
    case 'aws_kms':
      return (await import('./aws-kms.ts')).openAwsKms(settings, access)
    case 'google_cloud_kms':
      return (await import('./google-cloud-kms.ts')).openGoogleCloudKms(settings, access)
    case 'azure_key_vault':
      return (await import('./azure-key-vault.ts')).openAzureKeyVault(settings, access)
    case 'vault':
      return (await import('./vault-key.ts')).openVaultKey(settings, access, curve)
    case 'turnkey':
      return (await import('./turnkey.ts')).openTurnkey(settings, access)
    case 'cdp':
      return (await import('./cdp.ts')).openCdp(settings, access)
    case 'web3signer':
      return (await import('./web3signer.ts')).openWeb3signer(settings, access)
    case 'pkcs11':
      return (await import('./pkcs11.ts')).openPkcs11(settings, access)
  }
}

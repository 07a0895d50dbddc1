// Signs with a key of Azure Key Vault or Managed HSM, over its REST API.
import { memberOf } from '../ops/member.ts'
import { azureTokens } from './azure-token.ts'
import {
  exchange,
  malformed,
  permanent,
  refusedBy,
  refusesCredentials,
  type ServiceAccess,
  type ServiceAnswer,
  withFreshCredentials,
} from './exchange.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import { publicKeyOfJwk } from './public-key.ts'
import type { AzureKeyVaultSettings } from './settings.ts'

const apiVersion = '7.4'
/** 2,000 in 10 seconds for keys of an HSM; those of software have twice that. */
const quota = { perSecond: 200, concurrency: 32 }

export function openAzureKeyVault(settings: AzureKeyVaultSettings, access: ServiceAccess): KeyService {
  const { vaultUrl, keyName, keyVersion } = settings
  const tokens = azureTokens(settings, access)
  const vault = new URL(vaultUrl)
  /** The version that was the latest when the signer opened. */
  let pinned = keyVersion

  async function call(path: string, body: object | undefined, signal: AbortSignal): Promise<ServiceAnswer> {
    let token: string | undefined
    return withFreshCredentials(async () => {
      if (token !== undefined) tokens.refuse(token)
      token = await tokens.token(signal)
      const headers = { authorization: `Bearer ${token}` }
      const url = `${vault.origin}/keys/${path}?api-version=${apiVersion}`
      const answer = await exchange({ url, headers, body: body && JSON.stringify(body) }, access, signal)
      if (answer.status !== 200) throw refused(answer, access)
      return answer
    }, refusesCredentials('azure_key_vault'))
  }

  return {
    quotaDomain: `azure_key_vault:${vault.host}`,
    quota,
    canProbe: true,
    async open(signal) {
      const name = encodeURIComponent(keyName)
      const { body } = await call(
        pinned === undefined ? name : `${name}/${encodeURIComponent(pinned)}`,
        undefined,
        signal,
      )
      const key = memberOf(body, 'key')
      const publicKey = publicKeyOfJwk({ crv: memberOf(key, 'crv'), x: memberOf(key, 'x'), y: memberOf(key, 'y') })
      const operations = memberOf(key, 'key_ops')
      if (Array.isArray(operations) && !operations.includes('sign')) {
        throw permanent('its key may not sign; add the operation "sign" to the key', 'KEY_OPERATIONS')
      }
      // The version alone, never the host: the answer does not choose where tokens go.
      const version = String(memberOf(key, 'kid')).split('/').at(-1) ?? ''
      if (!/^\w{1,127}$/.test(version)) throw malformed('key.kid')
      pinned = version
      return { publicKey, keyVersion: `${vault.origin}/keys/${keyName}/${version}` }
    },
    async ready(signal) {
      await tokens.token(signal)
    },
    awaitsToken: () => tokens.isAwaited(),
    tokenEndsInMs: () => tokens.endsInMs(),
    async sign({ digest }, signal) {
      if (pinned === undefined) {
        throw new KeyServiceError('the key was not read yet', { kind: 'transient', code: 'NOT_OPEN' })
      }
      const wanted = { alg: 'ES256K', value: Buffer.from(digest.slice(2), 'hex').toString('base64url') }
      const path = `${encodeURIComponent(keyName)}/${encodeURIComponent(pinned)}/sign`
      const { body, header } = await call(path, wanted, signal)
      const value = memberOf(body, 'value')
      if (typeof value !== 'string') throw malformed('value')
      const requestId = header('x-ms-request-id')
      return {
        encoding: 'compact',
        bytes: `0x${Buffer.from(value, 'base64url').toString('hex')}`,
        ...(requestId !== undefined && { requestId }),
      }
    },
  }
}

/** The inner code says more: `KeyDisabled` beside `Forbidden`. */
function refused(answer: ServiceAnswer, { clock }: ServiceAccess): KeyServiceError {
  const error = memberOf(answer.body, 'error')
  const inner = memberOf(memberOf(error, 'innererror'), 'code')
  const code = typeof inner === 'string' ? inner : memberOf(error, 'code')
  return refusedBy(answer, code, clock)
}

// Access tokens of Microsoft Entra ID for Azure Key Vault, in three ways.
import { readFile } from 'node:fs/promises'
import { memberOf } from '../ops/member.ts'
import { exchange, malformed, permanent, refusedBy, type ServiceAccess, type ServiceAnswer } from './exchange.ts'
import { KeyServiceError } from './key-service.ts'
import type { AzureKeyVaultSettings } from './settings.ts'

export interface AzureTokens {
  /** From memory until shortly before its end. Throws KeyServiceError. */
  token(signal: AbortSignal): Promise<string>
  forget(): void
}

/** Key Vault refuses a token that ends during the request. */
const spareMs = 5 * 60_000
/** The address of the metadata service of a virtual machine. */
const metadataUrl = 'http://169.254.169.254/metadata/identity/oauth2/token'

/** Suffix of a vault's host: the login of the same cloud. */
const logins: Readonly<Record<string, string>> = {
  'azure.cn': 'https://login.chinacloudapi.cn',
  'usgovcloudapi.net': 'https://login.microsoftonline.us',
}
const publicLogin = 'https://login.microsoftonline.com'

export function azureTokens({ vaultUrl, authentication }: AzureKeyVaultSettings, access: ServiceAccess): AzureTokens {
  const { clock, dispatcher } = access
  // The resource is the vault's host without its first label: https://vault.azure.net, and others in other clouds.
  const host = new URL(vaultUrl).hostname
  const resource = `https://${host.slice(host.indexOf('.') + 1)}`
  const suffix = Object.keys(logins).find((each) => host.endsWith(`.${each}`))
  const login = suffix === undefined ? publicLogin : logins[suffix]
  let known: { readonly token: string; readonly endsAt: number } | undefined

  async function request(signal: AbortSignal): Promise<ServiceAnswer> {
    if (authentication.kind === 'managed_identity') {
      const { platform, clientId } = authentication
      const query = new URLSearchParams({ 'api-version': platform ? '2019-08-01' : '2018-02-01', resource })
      if (clientId) query.set('client_id', clientId.reveal())
      const headers = platform ? { 'x-identity-header': platform.header.reveal() } : { metadata: 'true' }
      const url = `${platform?.endpoint ?? metadataUrl}?${query}`
      return exchange({ method: 'GET', url, headers }, dispatcher, signal)
    }
    const { tenantId, clientId } = authentication
    const proof =
      authentication.kind === 'client_secret'
        ? { client_secret: authentication.clientSecret.reveal() }
        : {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: await readAssertion(authentication.federatedTokenFile.reveal()),
          }
    const scope = `${resource}/.default`
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId.reveal(),
      scope,
      ...proof,
    })
    const url = `${login}/${encodeURIComponent(tenantId.reveal())}/oauth2/v2.0/token`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return exchange({ method: 'POST', url, headers, body: form.toString() }, dispatcher, signal)
  }

  return {
    forget() {
      known = undefined
    },
    async token(signal) {
      if (known && clock.now() < known.endsAt) return known.token
      const answer = await request(signal)
      if (answer.status !== 200) throw refused(answer, authentication.kind, access)
      const token = memberOf(answer.body, 'access_token')
      const lifeMs = lifeOf(answer.body, clock.now())
      if (typeof token !== 'string' || lifeMs === undefined) throw malformed('access_token')
      known = { token, endsAt: clock.now() + Math.max(lifeMs - spareMs, 0) }
      return token
    },
  }
}

/** App Service and Container Apps answer the time of its end, the others its seconds. Numbers may be texts. */
function lifeOf(body: unknown, now: number): number | undefined {
  const [seconds, end] = ['expires_in', 'expires_on'].map((name) => Number(memberOf(body, name)) * 1000)
  return [seconds, (end ?? Number.NaN) - now].find(Number.isFinite)
}

/** While it is updated, a machine's metadata service answers 404 and 410. */
function refused(answer: ServiceAnswer, kind: string, { clock }: ServiceAccess): KeyServiceError {
  const error = memberOf(answer.body, 'error')
  const failure = refusedBy(answer, typeof error === 'string' ? `token ${error}` : `token HTTP_${answer.status}`, clock)
  if (kind !== 'managed_identity' || ![404, 410].includes(answer.status)) return failure
  return new KeyServiceError(failure.message, { kind: 'transient', code: failure.code })
}

/** Kubernetes renews the file, so each login reads it. */
async function readAssertion(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    throw permanent(
      `the federated token file can't be read (${String(memberOf(error, 'code'))}); check that workload identity is on`,
      'TOKEN_FILE',
    )
  }
}

// Access tokens of Microsoft Entra ID for Azure Key Vault, in three ways.
import { memberOf } from '../ops/member.ts'
import { exchange, malformed, refusedBy, type ServiceAccess, type ServiceAnswer } from './exchange.ts'
import { errorKind, failureKind, kindAtSource } from './failure-table.ts'
import { keepToken, readTokenFile, type TokenKeeper } from './keep-token.ts'
import { KeyServiceError } from './key-service.ts'
import type { AzureKeyVaultSettings } from './settings.ts'

/** The address of the metadata service of a virtual machine. */
const metadataUrl = 'http://169.254.169.254/metadata/identity/oauth2/token'

/** Suffix of a vault's host: the login of the same cloud. */
const logins: Readonly<Record<string, string>> = {
  'azure.cn': 'https://login.chinacloudapi.cn',
  'usgovcloudapi.net': 'https://login.microsoftonline.us',
}
const publicLogin = 'https://login.microsoftonline.com'

export function azureTokens(
  { vaultUrl, authentication }: AzureKeyVaultSettings,
  access: ServiceAccess,
): TokenKeeper<string> {
  const { clock, dispatcher } = access
  const direct = dispatcher ? { dispatcher } : {}
  // The resource is the vault's host without its first label: https://vault.azure.net, and others in other clouds.
  const host = new URL(vaultUrl).hostname
  const resource = `https://${host.slice(host.indexOf('.') + 1)}`
  const suffix = Object.keys(logins).find((each) => host.endsWith(`.${each}`))
  const login = suffix === undefined ? publicLogin : logins[suffix]

  async function request(signal: AbortSignal): Promise<ServiceAnswer> {
    if (authentication.kind === 'managed_identity') {
      const { platform, clientId } = authentication
      const query = new URLSearchParams({ 'api-version': platform ? '2019-08-01' : '2018-02-01', resource })
      if (clientId) query.set('client_id', clientId.reveal())
      const headers = platform ? { 'x-identity-header': platform.header.reveal() } : { metadata: 'true' }
      const url = `${platform?.endpoint ?? metadataUrl}?${query}`
      return exchange({ url, headers }, direct, signal)
    }
    const { tenantId, clientId } = authentication
    const proof =
      authentication.kind === 'client_secret'
        ? { client_secret: authentication.clientSecret.reveal() }
        : {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: await readTokenFile(
              authentication.federatedTokenFile.reveal(),
              'federated token file',
              'check that workload identity is on',
            ),
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
    return exchange({ url, headers, body: form.toString() }, direct, signal)
  }

  return keepToken(clock, async (over) => {
    const answer = await request(over)
    if (answer.status !== 200) throw refused(answer, authentication.kind, access)
    const token = memberOf(answer.body, 'access_token')
    const lifeMs = lifeOf(answer.body, clock.now())
    if (typeof token !== 'string' || lifeMs === undefined) throw malformed('access_token')
    return { token, lifeMs: Math.max(0, lifeMs) }
  })
}

/** App Service and Container Apps answer the time of its end, the others its seconds. Numbers may be texts. */
function lifeOf(body: unknown, now: number): number | undefined {
  const [seconds, end] = ['expires_in', 'expires_on'].map((name) => Number(memberOf(body, name)) * 1000)
  return [seconds, (end ?? Number.NaN) - now].find(Number.isFinite)
}

/** A machine's metadata service has codes of its own. */
function refused(answer: ServiceAnswer, kind: string, { clock }: ServiceAccess): KeyServiceError {
  const error = memberOf(answer.body, 'error')
  const given = typeof error === 'string' ? error : `HTTP_${answer.status}`
  // The number distinguishes a secret that has expired from a wrong one.
  const number = [memberOf(answer.body, 'error_codes')].flat().find(Number.isSafeInteger)
  const code = `token ${given}${number === undefined ? '' : ` AADSTS${number}`}`
  const failure = refusedBy(answer, code, clock, 'https', kindAtSource)
  const ofMachine = failureKind('azure_key_vault', `token HTTP_${answer.status}`)
  if (kind !== 'managed_identity' || ofMachine === undefined) return failure
  return new KeyServiceError(failure.message, { kind: errorKind(ofMachine), code: failure.code })
}

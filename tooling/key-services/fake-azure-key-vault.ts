// Azure Key Vault as its REST reference describes it, with the token endpoints of Entra ID, of a machine's metadata service, and of
// App Service.
import { randomUUID } from 'node:crypto'
import { type FakeReply, type FakeRequest, type FakeService, type FakeTls, startFake } from './fake-service.ts'
import type { ServedKey } from './served-key.ts'

export interface FakeAzureKeyVault extends FakeService {
  /** By name, a slash, and version. */
  readonly keys: Map<string, { readonly key: ServedKey; crv: string; enabled: boolean; operations: readonly string[] }>
  /** By name: its latest version. */
  readonly latest: Map<string, string>
  /** Client id: its secret. */
  readonly clients: Map<string, string>
  /** Client id: the token of Kubernetes that stands for it. */
  readonly federated: Map<string, string>
  readonly tokens: Set<string>
  /** App Service and Container Apps: the header that its token endpoint demands, and when its tokens end, in seconds. */
  readonly platform: { header: string; expiresOn: number }
  /** How long the tokens of Entra ID and of the metadata service last. */
  readonly granted: { seconds: number }
}

export const azureTenant = 'b5c2ee2e-0000-4000-8000-000000000001'
const resource = 'https://vault.azure.net'

export async function startFakeAzureKeyVault(tls: FakeTls): Promise<FakeAzureKeyVault> {
  const state: State = {
    keys: new Map(),
    latest: new Map(),
    clients: new Map(),
    federated: new Map(),
    tokens: new Set(),
    platform: { header: '', expiresOn: 0 },
    granted: { seconds: 3_599 },
  }
  const fake = await startFake((request) => answer(request, state), tls)
  return Object.assign(fake, state)
}

export function azureFailure(status: number, code: string, inner?: string): FakeReply {
  return {
    status,
    body: { error: { code, message: 'as ordered', ...(inner && { innererror: { code: inner } }) } },
    ...(status === 429 && { headers: { 'retry-after': '2' } }),
  }
}

type State = Omit<FakeAzureKeyVault, keyof FakeService>

async function answer(request: FakeRequest, state: State): Promise<FakeReply> {
  const { pathname, searchParams } = new URL(request.path, resource)
  if (pathname === `/${azureTenant}/oauth2/v2.0/token`) return entra(request, state)
  if (pathname === '/metadata/identity/oauth2/token') {
    const { metadata } = request.headers
    const isRight = metadata === 'true' && searchParams.get('resource') === resource
    return isRight ? granted(state, true) : { status: 400, body: { error: 'invalid_request' } }
  }
  if (pathname === '/msi/token') {
    const isNamed = searchParams.get('api-version') === '2019-08-01' && searchParams.get('resource') === resource
    if (!isNamed) return { status: 400, body: { statusCode: 400, message: 'BadRequest' } }
    const isRight = request.headers['x-identity-header'] === state.platform.header
    return isRight ? byPlatform(state) : { status: 401, body: { statusCode: 401, message: 'Unauthorized' } }
  }
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
  if (!state.tokens.has(token)) {
    const challenge = `Bearer authorization="https://login.microsoftonline.com/${azureTenant}", resource="${resource}"`
    return { ...azureFailure(401, 'Unauthorized'), headers: { 'www-authenticate': challenge } }
  }
  if (!/^(7\.[0-6]|2025-\d\d-\d\d)$/.test(searchParams.get('api-version') ?? ''))
    return azureFailure(400, 'BadParameter')
  const [, , name = '', version = '', operation] = pathname.split('/')
  return vault(state, request, { name, version: version || (state.latest.get(name) ?? ''), operation })
}

async function vault(
  { keys }: State,
  { method, body }: FakeRequest,
  { name, version, operation }: { name: string; version: string; operation: string | undefined },
): Promise<FakeReply> {
  const found = keys.get(`${name}/${version}`)
  if (!found) return azureFailure(404, 'KeyNotFound')
  const kid = `https://kept.vault.azure.net/keys/${name}/${version}`
  const headers = { 'x-ms-request-id': randomUUID() }
  const { key, crv, enabled, operations } = found
  if (method === 'GET' && operation === undefined) {
    const word = (from: number) => Buffer.from(key.publicKey.slice(from, from + 64), 'hex').toString('base64url')
    const jwk = { kid, kty: 'EC', key_ops: operations, crv, x: word(4), y: word(68) }
    return { status: 200, headers, body: { key: jwk, attributes: { enabled } } }
  }
  if (!enabled) return azureFailure(403, 'Forbidden', 'KeyDisabled')
  if (!operations.includes('sign')) return azureFailure(403, 'Forbidden', 'KeyOperationForbidden')
  const wanted = JSON.parse(body.toString()) as { alg?: string; value?: string }
  const digest = Buffer.from(wanted.value ?? '', 'base64url')
  if (method !== 'POST' || operation !== 'sign' || wanted.alg !== 'ES256K' || digest.length !== 32) {
    return azureFailure(400, 'BadParameter')
  }
  const value = (await key.signCompact(digest)).toString('base64url')
  return { status: 200, headers, body: { kid, value } }
}

/** The client credentials grant (RFC 6749 §4.4), with a secret or with an assertion (RFC 7523). */
function entra({ method, body }: FakeRequest, state: State): FakeReply {
  const form = new URLSearchParams(body.toString())
  const client = form.get('client_id') ?? ''
  const isScope = form.get('scope') === `${resource}/.default` && form.get('grant_type') === 'client_credentials'
  if (method !== 'POST' || !isScope) return { status: 400, body: { error: 'invalid_scope' } }
  const [secret, assertion] = [form.get('client_secret'), form.get('client_assertion')]
  const isAssertion = form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const bySecret = secret !== null && state.clients.get(client) === secret
  const byAssertion = isAssertion && assertion !== null && state.federated.get(client) === assertion
  if (!bySecret && !byAssertion) return { status: 401, body: { error: 'invalid_client', error_codes: [7000215] } }
  return granted(state, false)
}

/** It answers when the token ends, and not after how many seconds. */
function byPlatform({ tokens, platform }: State): FakeReply {
  const token = `eyJ0.${randomUUID()}`
  tokens.add(token)
  const body = { access_token: token, expires_on: String(platform.expiresOn), resource, token_type: 'Bearer' }
  return { status: 200, body }
}

/** The metadata service writes its numbers as texts. */
function granted({ tokens, granted: { seconds } }: State, asText: boolean): FakeReply {
  const token = `eyJ0.${randomUUID()}`
  tokens.add(token)
  return {
    status: 200,
    body: { access_token: token, token_type: 'Bearer', expires_in: asText ? String(seconds) : seconds },
  }
}

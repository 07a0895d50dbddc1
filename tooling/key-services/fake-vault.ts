// HashiCorp Vault with KV version 2 and three ways to log in, as its API documentation describes them.
import { randomUUID } from 'node:crypto'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'

export interface FakeVault extends FakeService {
  /** By mount, a slash, and name. */
  readonly secrets: Map<string, { readonly version: number; readonly data: Readonly<Record<string, unknown>> }>
  /** Tokens that read secrets. A login adds one. */
  readonly tokens: Set<string>
  readonly roles: Map<string, string>
  /** Kubernetes: the role, and the token that it accepts. */
  readonly serviceAccounts: Map<string, string>
  readonly namespace: { required?: string }
}

export async function startFakeVault(): Promise<FakeVault> {
  const state = {
    secrets: new Map(),
    tokens: new Set<string>(),
    roles: new Map<string, string>(),
    serviceAccounts: new Map<string, string>(),
    namespace: {},
  }
  const fake = await startFake((request) => answer(request, state))
  return Object.assign(fake, state)
}

/** As Vault reports an error: texts in a list. */
export function vaultFailure(status: number, ...errors: readonly string[]): FakeReply {
  return { status, body: { errors } }
}

interface Login {
  readonly role_id?: string
  readonly secret_id?: string
  readonly role?: string
  readonly jwt?: string
}

type State = Omit<FakeVault, keyof FakeService>

function answer(request: FakeRequest, { secrets, tokens, roles, serviceAccounts, namespace }: State): FakeReply {
  const { method, path, headers, body } = request
  if (namespace.required !== undefined && headers['x-vault-namespace'] !== namespace.required) {
    return vaultFailure(403, 'permission denied')
  }
  const login = /^\/v1\/auth\/(.+)\/login$/.exec(path)
  if (login && (method === 'POST' || method === 'PUT')) {
    const given = JSON.parse(body.toString()) as Login
    const byRole = given.role_id !== undefined && roles.get(given.role_id) === given.secret_id
    const byAccount = given.role !== undefined && serviceAccounts.get(given.role) === given.jwt
    if (given.role_id !== undefined && !byRole) return vaultFailure(400, 'invalid role or secret ID')
    if (!byRole && !byAccount) return vaultFailure(403, 'permission denied')
    const token = `hvs.${randomUUID()}`
    tokens.add(token)
    const auth = { client_token: token, accessor: 'a', policies: ['relayer'], lease_duration: 1200, renewable: true }
    return { status: 200, body: { request_id: randomUUID(), auth } }
  }
  if (!tokens.has(String(headers['x-vault-token']))) return vaultFailure(403, 'permission denied')
  const read = /^\/v1\/(.+)\/data\/([^?]+)/.exec(path)
  if (method !== 'GET' || !read) return vaultFailure(404)
  const secret = secrets.get(`${read[1]}/${read[2]}`)
  if (!secret) return vaultFailure(404)
  const metadata = { version: secret.version, destroyed: false, deletion_time: '' }
  return { status: 200, body: { request_id: randomUUID(), lease_id: '', data: { data: secret.data, metadata } } }
}

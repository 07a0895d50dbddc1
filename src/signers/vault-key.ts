// Reads a key from HashiCorp Vault (KV version 2) when the signer opens, and signs in this process.
import type { Hash, Hex } from '../domain/ids.ts'
import { memberOf } from '../ops/member.ts'
import type { Curve } from './curve.ts'
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
import { kindAtSource } from './failure-table.ts'
import { firstOf, readTokenFile } from './keep-token.ts'
import { type KeyService, KeyServiceError, type KeyServiceErrorKind } from './key-service.ts'
import type { VaultAuthentication, VaultSettings } from './settings.ts'

/** The quota only bounds the work: nothing leaves the process. */
const quota = { perSecond: 10_000, concurrency: 64 }

export function openVaultKey(
  settings: VaultSettings & { readonly id: string },
  access: ServiceAccess,
  curve: Curve,
): KeyService {
  const { id, url, namespace, mountPoint, keyName, authentication } = settings
  const countsLogins = authentication.kind === 'approle'
  /** No property leads to it. */
  let key: Uint8Array | undefined
  /** The session of a login whose read has not succeeded yet: a secret id may be good for one login only. */
  let session: { readonly token: string; readonly endsAt: number } | undefined

  async function call(path: string, token: string | undefined, body: object | undefined, signal: AbortSignal) {
    const headers = {
      // Vault's agent and proxy may demand it of every request.
      'x-vault-request': 'true',
      ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
      ...(token !== undefined && { 'x-vault-token': token }),
    }
    const target = `${url.replace(/\/+$/, '')}/v1/${path}`
    return exchange({ url: target, headers, body: body && JSON.stringify(body) }, access, signal)
  }

  async function logIn(signal: AbortSignal): Promise<string> {
    if (authentication.kind === 'token') return authentication.token.reveal()
    if (session && access.clock.elapsed() < session.endsAt) return session.token
    const credentials =
      authentication.kind === 'approle'
        ? { role_id: authentication.roleId.reveal(), secret_id: authentication.secretId.reveal() }
        : {
            role: authentication.role,
            jwt: await readTokenFile(authentication.tokenFile, 'token file', 'mount a service account token'),
          }
    const answer = await call(`auth/${encoded(authentication.mount)}/login`, undefined, credentials, signal)
    if (answer.status !== 200) throw refused(answer, 'login', authentication.kind, access)
    const token = memberOf(memberOf(answer.body, 'auth'), 'client_token')
    if (typeof token !== 'string') throw malformed('auth.client_token')
    const seconds = Number(memberOf(memberOf(answer.body, 'auth'), 'lease_duration'))
    // A token without an end has a lease of 0 seconds.
    const leaseMs = seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY
    session = { token, endsAt: access.clock.elapsed() + leaseMs }
    return token
  }

  async function read(signal: AbortSignal): Promise<ServiceAnswer> {
    const answer = await call(`${encoded(mountPoint)}/data/${encoded(keyName)}`, await logIn(signal), undefined, signal)
    if (answer.status === 200 || answer.status === 403) session = undefined
    if (answer.status !== 200) throw refused(answer, 'read', authentication.kind, access)
    return answer
  }

  return {
    quotaDomain: `vault:${id}`,
    quota,
    canProbe: true,
    countsLogins,
    async open(signal) {
      // A token may end between the login and the read, so a refused read is worth one more login.
      const reading = (over: AbortSignal) => withFreshCredentials(() => read(over), refusesCredentials('vault'))
      const answer = await (countsLogins ? reading(signal) : firstOf(access.clock, reading, signal))
      const data = memberOf(answer.body, 'data')
      const value = memberOf(memberOf(data, 'data'), 'value')
      const version = memberOf(memberOf(data, 'metadata'), 'version')
      if (typeof value !== 'string' || !/^(0x)?[0-9a-fA-F]{64}$/.test(value.trim())) {
        throw permanent(
          'the secret has no member "value" of 64 hexadecimal digits; write one with `vault kv put`',
          'INVALID_SECRET',
        )
      }
      const bytes = Uint8Array.from(Buffer.from(value.trim().replace(/^0x/, ''), 'hex'))
      const publicKey = publicKeyOf(bytes, curve)
      key = bytes
      return { publicKey, keyVersion: typeof version === 'number' ? String(version) : 'unversioned' }
    },
    async sign({ digest }) {
      if (!key) throw new KeyServiceError('the key was not read yet', { kind: 'transient', code: 'NOT_OPEN' })
      return { encoding: 'compact', bytes: await compact(digest, key, curve) }
    },
  }
}

async function compact(digest: Hash, key: Uint8Array, curve: Curve): Promise<Hex> {
  const { r, s } = await curve.sign(digest, key)
  return `0x${r.slice(2)}${s.slice(2)}`
}

function publicKeyOf(bytes: Uint8Array, curve: Curve): Hex {
  try {
    return curve.publicKey(bytes)
  } catch {
    // The error omits the cause, which may quote the key.
    throw permanent('its key is zero or not below the order of secp256k1', 'INVALID_SECRET')
  }
}

/**
 * The texts of Vault's errors are for people; the code is the operation and the status. After a refusal of a secret id another login
 * is not free: one may be good for one login, and Vault locks a role after five refusals in a row.
 */
function refused(
  answer: ServiceAnswer,
  operation: 'login' | 'read',
  login: VaultAuthentication['kind'],
  { clock }: ServiceAccess,
): KeyServiceError {
  const { status } = answer
  const isOfSecretId = login === 'approle' && (status === 403 || (status === 400 && operation === 'login'))
  const kindOf = (kind: KeyServiceErrorKind) =>
    isOfSecretId ? 'permanent' : operation === 'login' ? kindAtSource(kind) : kind
  return refusedBy(answer, `${operation} HTTP_${status}`, clock, 'vault', kindOf)
}

/** A path may have more than one part. */
function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

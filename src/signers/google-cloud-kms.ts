// Signs with a key of Google Cloud KMS: its REST API, with tokens from Google's own library.
import { memberOf } from '../ops/member.ts'
import {
  brokenOff,
  exchange,
  malformed,
  refusedBy,
  refusesCredentials,
  type ServiceAccess,
  type ServiceAnswer,
  withFreshCredentials,
} from './exchange.ts'
import { errorKind, kindAtSource, statusKind } from './failure-table.ts'
import { importOptional } from './import-optional.ts'
import { keepToken } from './keep-token.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import { gaxiosOptions, keepMetadataDirect, type Proxies } from './proxies.ts'
import { publicKeyOfPem, wrongCurve } from './public-key.ts'
import type { GoogleCloudKmsSettings } from './settings.ts'

type Sdk = typeof import('google-auth-library')

const scopes = ['https://www.googleapis.com/auth/cloudkms']
/** 3,000 asymmetric operations a minute for the HSMs of a region, which hold all keys of secp256k1. */
const quota = { perSecond: 50, concurrency: 20 }
/** The quota is counted by the second. */
const throttledPauseMs = 1_000

/** Makes a request's headers of authorization. One that signs its own tokens names no end of theirs. */
interface TokenSource {
  readonly credentials: { readonly expiry_date?: number | null }
  getRequestHeaders(url: string): Promise<Headers>
}

/** Throws SignerError if Google's library is not installed. */
export async function openGoogleCloudKms(
  settings: GoogleCloudKmsSettings & { readonly id: string },
  access: ServiceAccess,
  load: () => Promise<Sdk> = () => import('google-auth-library'),
): Promise<KeyService> {
  const sdk = await importOptional(settings, 'google-auth-library', '^11.3.4', load)
  const { projectId, universeDomain, key } = settings
  const origin = `https://cloudkms.${universeDomain}`
  const parts = ['projects', projectId, 'locations', key.location, 'keyRings', key.keyRingId]
  const version = [...parts, 'cryptoKeys', key.keyId, 'cryptoKeyVersions', String(key.keyVersion)]
  const path = version.map(encodeURIComponent).join('/')
  let source: Promise<TokenSource> | undefined
  const { clock } = access
  // The library's requests take no signal, and a source waits for one that hangs, so that one is not used again.
  const tokens = keepToken(clock, async () => {
    const current = source ?? openTokens(sdk, settings, access.proxies)
    source = undefined
    try {
      const client = await current
      const headers = await client.getRequestHeaders(`${origin}/`)
      source = current
      const { expiry_date: end } = client.credentials
      return { token: Object.fromEntries(headers), lifeMs: Math.max(0, (end ?? 0) - clock.now()) }
    } catch (error) {
      throw tokenFailure(error)
    }
  })

  function call(suffix: string, body: object | undefined, signal: AbortSignal): Promise<ServiceAnswer> {
    let token: Record<string, string> | undefined
    return withFreshCredentials(async () => {
      if (token && tokens.refuse(token)) source = undefined
      token = await tokens.token(signal)
      const request = { url: `${origin}/v1/${path}${suffix}`, headers: token, body: body && JSON.stringify(body) }
      const answer = await exchange(request, access, signal)
      if (answer.status !== 200) throw refused(answer, access)
      return answer
    }, refusesCredentials('google_cloud_kms'))
  }

  return {
    quotaDomain: `google_cloud_kms:${projectId}:${key.location}`,
    quota,
    canProbe: true,
    async open(signal) {
      const { body } = await call('/publicKey', undefined, signal)
      const [pem, algorithm] = [memberOf(body, 'pem'), memberOf(body, 'algorithm')]
      if (algorithm !== 'EC_SIGN_SECP256K1_SHA256') throw wrongCurve(String(algorithm))
      if (typeof pem !== 'string') throw malformed('pem')
      checkSum(memberOf(body, 'pemCrc32c'), Buffer.from(pem))
      return { publicKey: publicKeyOfPem(pem), keyVersion: version.join('/') }
    },
    async ready(signal) {
      await tokens.token(signal)
    },
    awaitsToken: () => tokens.isAwaited(),
    tokenEndsInMs: () => tokens.endsInMs(),
    async sign({ digest }, signal) {
      const bytes = Buffer.from(digest.slice(2), 'hex')
      const wanted = { digest: { sha256: bytes.toString('base64') }, digestCrc32c: String(crc32c(bytes)) }
      const { body, header } = await call(':asymmetricSign', wanted, signal)
      const text = memberOf(body, 'signature')
      if (typeof text !== 'string') throw malformed('signature')
      if (memberOf(body, 'verifiedDigestCrc32c') !== true) throw changedOnTheWay()
      const signature = Buffer.from(text, 'base64')
      checkSum(memberOf(body, 'signatureCrc32c'), signature)
      const requestId = header('x-goog-request-id')
      return {
        encoding: 'der',
        bytes: `0x${signature.toString('hex')}`,
        ...(requestId !== undefined && { requestId }),
      }
    },
  }
}

/** Opens the source of tokens. A service account signs its own, so that no token endpoint has to be up. */
async function openTokens(
  sdk: Sdk,
  settings: GoogleCloudKmsSettings,
  proxies: Proxies | undefined,
): Promise<TokenSource> {
  const { serviceAccount, universeDomain, projectId } = settings
  // Without the project, the library would run `gcloud` to find one.
  if (!serviceAccount) {
    keepMetadataDirect(sdk)
    const clientOptions = { transporterOptions: gaxiosOptions(proxies ?? { noProxy: [] }) }
    return new (withMetadata(sdk))({ scopes, universeDomain, projectId, clientOptions }).getClient()
  }
  const client = new sdk.JWT({
    email: serviceAccount.clientEmail.reveal(),
    keyId: serviceAccount.privateKeyId.reveal(),
    // A variable that was copied out of the JSON file has its line ends escaped.
    key: serviceAccount.privateKey.reveal().replaceAll('\\n', '\n'),
    scopes,
    universeDomain,
  })
  client.useJWTAccessWithScope = true
  return client
}

/** The metadata server may answer late, after a pod has started, and the library would look for it once in the life of the process. */
function withMetadata({ GoogleAuth }: Sdk): Sdk['GoogleAuth'] {
  return class extends GoogleAuth {
    override async _checkIsGCE(): Promise<boolean> {
      return true
    }
  }
}

/** The library's errors may quote the key or the request, so only their codes stay. */
function tokenFailure(error: unknown): KeyServiceError {
  if (error instanceof KeyServiceError) return error
  const status = memberOf(error, 'status') ?? memberOf(memberOf(error, 'response'), 'status')
  if (typeof status === 'number') {
    const kind = kindAtSource(errorKind(statusKind('google_cloud_kms', status)))
    return new KeyServiceError(`no token (HTTP ${status})`, { kind, code: `TOKEN_HTTP_${status}` })
  }
  const code = memberOf(error, 'code') ?? memberOf(memberOf(error, 'cause'), 'code')
  const isSocket = typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code)
  if (isSocket) return brokenOff({ code })
  const message = 'no token: the credentials are missing or malformed; check the service account'
  return new KeyServiceError(message, { kind: 'credentials', code: 'NO_CREDENTIALS' })
}

/** `RESOURCE_EXHAUSTED` and the like are the codes of google.rpc.Code. */
function refused(answer: ServiceAnswer, { clock }: ServiceAccess): KeyServiceError {
  const { kind, code, message, retryAfterMs } = refusedBy(
    answer,
    memberOf(memberOf(answer.body, 'error'), 'status'),
    clock,
  )
  const pauseMs = retryAfterMs ?? (kind === 'throttled' ? throttledPauseMs : undefined)
  return new KeyServiceError(message, { kind, code, ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) })
}

function checkSum(given: unknown, bytes: Uint8Array): void {
  if (String(given) !== String(crc32c(bytes))) throw changedOnTheWay()
}

function changedOnTheWay(): KeyServiceError {
  return new KeyServiceError('bytes changed on the way: the check sums differ', {
    kind: 'transient',
    code: 'CRC32C_MISMATCH',
  })
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1
  return rest
})

/** CRC-32C (Castagnoli), which Google Cloud KMS uses to find bytes that changed on the way: 0 to 2^32 - 1. */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (rest >>> 8) ^ (table[(rest ^ byte) & 255] ?? 0)
  return (rest ^ 0xffffffff) >>> 0
}

// Google Cloud KMS as its REST reference describes it: it verifies RS256 tokens, and check sums both ways. It is its own metadata
// server, too.
import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, verify } from 'node:crypto'
import { crc32c } from '../../src/signers/google-cloud-kms.ts'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'
import type { ServedKey } from './served-key.ts'

export interface FakeGoogleCloudKms extends FakeService {
  /** By the resource name of a version. */
  readonly versions: Map<string, { readonly key: ServedKey; algorithm: string }>
  /** Service accounts: the key id and the public key. */
  readonly accounts: Map<string, { readonly keyId: string; readonly publicKey: KeyObject }>
  /** Access tokens that its metadata server gave away. */
  readonly tokens: Set<string>
  /** The bytes that it alters in transit. */
  readonly damage: { digest?: boolean; signature?: boolean }
}

export function googleServiceAccount(email: string): {
  readonly email: string
  readonly keyId: string
  readonly pem: string
  readonly publicKey: KeyObject
} {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { email, keyId: randomUUID(), pem, publicKey: createPublicKey(privateKey) }
}

export async function startFakeGoogleCloudKms(): Promise<FakeGoogleCloudKms> {
  const state = {
    versions: new Map<string, { readonly key: ServedKey; algorithm: string }>(),
    accounts: new Map<string, { readonly keyId: string; readonly publicKey: KeyObject }>(),
    tokens: new Set<string>(),
    damage: {},
  }
  const fake = await startFake((request) => answer(request, state))
  return Object.assign(fake, state)
}

export function googleFailure(code: number, status: string): FakeReply {
  return { status: code, body: { error: { code, message: 'as ordered', status } } }
}

type State = Omit<FakeGoogleCloudKms, keyof FakeService>

async function answer(request: FakeRequest, state: State): Promise<FakeReply> {
  const { method, path } = request
  if (path.startsWith('/computeMetadata/v1')) return metadata(request, state)
  if (!isAuthorized(request, state)) return googleFailure(401, 'UNAUTHENTICATED')
  const form = /^\/v1\/(projects\/.+\/cryptoKeyVersions\/\d+)(\/publicKey|:asymmetricSign)$/.exec(path)
  const version = state.versions.get(form?.[1] ?? '')
  if (!version || !form) return googleFailure(404, 'NOT_FOUND')
  const common = { name: form[1], protectionLevel: 'HSM' }
  if (method === 'GET' && form[2] === '/publicKey') {
    const pem = createPublicKey({ key: version.key.spki, format: 'der', type: 'spki' }).export({
      type: 'spki',
      format: 'pem',
    })
    const sum = String(crc32c(Buffer.from(pem.toString())))
    return { status: 200, body: { ...common, pem, algorithm: version.algorithm, pemCrc32c: sum } }
  }
  const wanted = JSON.parse(request.body.toString()) as { digest?: { sha256?: string }; digestCrc32c?: string }
  const digest = Buffer.from(wanted.digest?.sha256 ?? '', 'base64')
  if (method !== 'POST' || digest.length !== 32) return googleFailure(400, 'INVALID_ARGUMENT')
  if (wanted.digestCrc32c !== String(crc32c(digest))) return googleFailure(400, 'INVALID_ARGUMENT')
  const signature = await version.key.signDer(digest)
  const signatureCrc32c = String(crc32c(signature))
  if (state.damage.signature) signature[10] = (signature[10] ?? 0) ^ 1
  return {
    status: 200,
    headers: { 'x-goog-request-id': randomUUID() },
    body: {
      ...common,
      signature: signature.toString('base64'),
      signatureCrc32c,
      verifiedDigestCrc32c: !state.damage.digest,
    },
  }
}

function metadata({ path, headers }: FakeRequest, { tokens }: State): FakeReply {
  const flavored = { 'metadata-flavor': 'Google' }
  if (headers['metadata-flavor'] !== 'Google') return { status: 403, headers: flavored, body: 'no' }
  if (!path.includes('/token')) return { status: 200, headers: flavored, body: 'fake' }
  const token = `ya29.${randomUUID()}`
  tokens.add(token)
  return {
    status: 200,
    headers: flavored,
    body: { access_token: token, expires_in: 3599, token_type: 'Bearer' },
  }
}

interface Claims {
  readonly alg?: string
  readonly kid?: string
  readonly iss?: string
  readonly sub?: string
  readonly scope?: string
  readonly iat?: number
  readonly exp?: number
}

/** An access token of the metadata server, or a token that a service account signed for the scope (RFC 7523). */
function isAuthorized({ headers }: FakeRequest, { accounts, tokens }: State): boolean {
  const token = (headers.authorization ?? '').replace(/^Bearer /, '')
  if (tokens.has(token)) return true
  const [head = '', claims = '', signature = ''] = token.split('.')
  if (signature === '') return false
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims
  const [header, claim] = [read(head), read(claims)]
  const account = accounts.get(String(claim.iss))
  if (!account || header.alg !== 'RS256' || header.kid !== account.keyId || claim.sub !== claim.iss) return false
  if (claim.scope !== 'https://www.googleapis.com/auth/cloudkms') return false
  const now = Date.now() / 1000
  if (!(Number(claim.iat) <= now + 60 && now < Number(claim.exp))) return false
  return verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), account.publicKey, Buffer.from(signature, 'base64url'))
}

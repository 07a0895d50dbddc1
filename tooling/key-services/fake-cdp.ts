// Coinbase Developer Platform as its documentation describes it: it verifies both tokens of a request.
import { createHash, type KeyObject, verify } from 'node:crypto'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'
import type { ServedKey } from './served-key.ts'

export interface FakeCdp extends FakeService {
  /** By address. */
  readonly accounts: Map<string, ServedKey>
  /** Public keys of the API, by id. */
  readonly apiKeys: Map<string, KeyObject>
  /** The public key of the wallet secret. */
  readonly wallet: { key?: KeyObject }
}

export async function startFakeCdp(): Promise<FakeCdp> {
  const state: State = { accounts: new Map(), apiKeys: new Map(), wallet: {} }
  const seen = new Set<string>()
  const fake = await startFake((request) => answer(request, state, seen))
  return Object.assign(fake, state)
}

export function cdpFailure(status: number, errorType: string): FakeReply {
  return { status, body: { errorType, errorMessage: 'as ordered', correlationId: 'c-1' } }
}

type State = Omit<FakeCdp, keyof FakeService>

interface Token {
  readonly alg?: string
  readonly kid?: string
  readonly sub?: string
  readonly iss?: string
  readonly jti?: string
  readonly nonce?: string
  readonly uris?: readonly string[]
  readonly reqHash?: string
  readonly nbf?: number
  readonly iat?: number
  readonly exp?: number
}

async function answer(request: FakeRequest, state: State, seen: Set<string>): Promise<FakeReply> {
  const uri = `${request.method} api.cdp.coinbase.com${request.path}`
  if (!isAuthenticated(request, uri, state.apiKeys, seen)) return cdpFailure(401, 'unauthorized')
  if (!isWalletsOwn(request, uri, state.wallet.key)) return cdpFailure(401, 'wallet_auth_invalid')
  const form = /^\/platform\/v2\/evm\/accounts\/(0x[0-9a-fA-F]{40})\/sign$/.exec(request.path)
  const account = state.accounts.get(form?.[1] ?? '')
  if (!account) return cdpFailure(404, 'not_found')
  const { hash } = JSON.parse(request.body.toString()) as { hash?: string }
  if (request.method !== 'POST' || !/^0x[0-9a-f]{64}$/.test(hash ?? '')) return cdpFailure(400, 'invalid_request')
  const signature = await account.signCompact(Buffer.from(hash?.slice(2) ?? '', 'hex'))
  return {
    status: 200,
    headers: { 'x-request-id': `cdp-${request.body.length}` },
    body: { signature: `0x${signature.toString('hex')}1b` },
  }
}

/** Bearer: EdDSA or ES256 by the API's key, for this request, short-lived, with a fresh nonce. */
function isAuthenticated(
  { headers }: FakeRequest,
  uri: string,
  apiKeys: ReadonlyMap<string, KeyObject>,
  seen: Set<string>,
): boolean {
  const token = (headers.authorization ?? '').replace(/^Bearer /, '')
  const { header, claims } = read(token)
  const key = apiKeys.get(header.kid ?? '')
  const algorithm = key?.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'ES256'
  if (!key || header.alg !== algorithm || !isSignedBy(token, key)) return false
  const isFresh = header.nonce !== undefined && !seen.has(header.nonce)
  seen.add(header.nonce ?? '')
  const [now, { exp = 0, nbf = Number.POSITIVE_INFINITY }] = [Date.now() / 1000, claims]
  const isTimely = nbf <= now + 5 && now < exp && exp - nbf <= 120
  return isFresh && isTimely && claims.sub === header.kid && claims.iss === 'cdp' && claims.uris?.[0] === uri
}

/** X-Wallet-Auth: ES256 by the wallet secret, over the request and the hash of its body with sorted members. */
function isWalletsOwn({ headers, body }: FakeRequest, uri: string, key: KeyObject | undefined): boolean {
  const token = String(headers['x-wallet-auth'])
  const { header, claims } = read(token)
  if (!key || header.alg !== 'ES256' || !isSignedBy(token, key)) return false
  const members = Object.entries(JSON.parse(body.toString()) as object).sort(([one], [other]) => (one < other ? -1 : 1))
  const reqHash = createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('hex')
  const { jti, iat = 0 } = claims
  const isTimely = Math.abs(Date.now() / 1000 - iat) < 60
  return jti !== undefined && isTimely && claims.uris?.[0] === uri && claims.reqHash === reqHash
}

function read(token: string): { readonly header: Token; readonly claims: Token } {
  const parts = token.split('.')
  if (parts.length !== 3) return { header: {}, claims: {} }
  const [header, claims] = parts.map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header ?? '{}') as Token, claims: JSON.parse(claims ?? '{}') as Token }
}

function isSignedBy(token: string, key: KeyObject): boolean {
  const end = token.lastIndexOf('.')
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  return verify(hash, Buffer.from(token.slice(0, end)), { key, dsaEncoding: 'ieee-p1363' }, signature)
}

// Signs with an account of Coinbase Developer Platform. Each request carries two tokens that we sign for it alone.
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import { publicKeyToAddress } from 'viem/accounts'
import { keccak256, recoverPublicKey, stringToHex } from 'viem/utils'
import type { Hash, Hex } from '../domain/ids.ts'
import { memberOf } from '../ops/member.ts'
import { SignerError } from '../ops/operator-error.ts'
import { exchange, malformed, permanent, refusedBy, type ServiceAccess } from './exchange.ts'
import type { KeyService, KeySignature } from './key-service.ts'
import type { CdpSettings } from './settings.ts'

const host = 'api.cdp.coinbase.com'
/** 500 writes in 10 seconds. */
const quota = { perSecond: 50, concurrency: 20 }
/** No operation of the service reads the public key, so a signature of this text shows it. */
const opening = keccak256(stringToHex('rescind: which public key signs for this account?'))
const tokenSeconds = 120

/** Throws SignerError for a secret that is no key. */
export function openCdp(settings: CdpSettings & { readonly id: string }, access: ServiceAccess): KeyService {
  const { id, apiKeyId, accountAddress } = settings
  const { clock, random } = access
  const apiKey = readApiKey(id, settings.apiKeySecret.reveal())
  const walletKey = readWalletKey(id, settings.walletSecret.reveal())
  const path = `/platform/v2/evm/accounts/${accountAddress}/sign`

  function tokens(body: object): { readonly authorization: string; readonly 'x-wallet-auth': string } {
    const uris = [`POST ${host}${path}`]
    const now = Math.floor(clock.now() / 1000)
    const nonce = Buffer.from(random.bytes(16)).toString('hex')
    const bearer = { sub: apiKeyId, iss: 'cdp', uris, iat: now, nbf: now, exp: now + tokenSeconds }
    const algorithm = apiKey.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'ES256'
    const reqHash = hash('sha256', JSON.stringify(body), 'hex')
    const wallet = { uris, reqHash, iat: now, nbf: now, jti: Buffer.from(random.bytes(16)).toString('hex') }
    return {
      authorization: `Bearer ${jwt(algorithm, { kid: apiKeyId, nonce }, bearer, apiKey)}`,
      'x-wallet-auth': jwt('ES256', {}, wallet, walletKey),
    }
  }

  async function sign(digest: Hash, signal: AbortSignal): Promise<KeySignature> {
    // One member, so the order that the wallet's token wants is the only one.
    const body = { hash: digest }
    const request = { url: `https://${host}${path}`, headers: tokens(body), body: JSON.stringify(body) }
    const answer = await exchange(request, access, signal)
    if (answer.status !== 200) throw refusedBy(answer, memberOf(answer.body, 'errorType'), clock, 'cdp')
    const signature = memberOf(answer.body, 'signature')
    if (!isSignature(signature)) throw malformed('signature')
    const requestId = answer.header('x-request-id') ?? answer.header('correlation-context')
    return { encoding: 'compact', bytes: signature, ...(requestId !== undefined && { requestId }) }
  }

  return {
    quotaDomain: `cdp:${apiKeyId}`,
    quota,
    canProbe: true,
    async open(signal) {
      const { bytes } = await sign(opening, signal)
      const [r, s] = [`0x${bytes.slice(2, 66)}`, `0x${bytes.slice(66, 130)}`] as const
      for (const yParity of [0, 1]) {
        const publicKey = await recoverPublicKey({ hash: opening, signature: { r, s, yParity } }).catch(() => undefined)
        if (publicKey && publicKeyToAddress(publicKey) === accountAddress) {
          return { publicKey, keyVersion: accountAddress }
        }
      }
      throw permanent(`its signature is not of ${accountAddress}; correct account_address`, 'WRONG_KEY')
    },
    sign: ({ digest }, signal) => sign(digest, signal),
  }
}

function isSignature(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{130}$/i.test(value)
}

/** The seed and the public key of Ed25519 in base64, or a key of P-256 in PEM. */
function readApiKey(id: string, text: string): KeyObject {
  const fix = `signer "${id}": its api_key_secret is no key of Ed25519 or P-256; copy it from the CDP portal`
  try {
    if (text.includes('-----BEGIN')) return createPrivateKey(text.replaceAll('\\n', '\n'))
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length !== 64) throw new Error('not 64 bytes')
    const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) => part.toString('base64url'))
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', ...(d && x && { d, x }) }, format: 'jwk' })
  } catch {
    // The error omits the cause, which may quote the key.
    throw new SignerError(fix)
  }
}

/** PKCS #8 in DER, in base64. */
function readWalletKey(id: string, text: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })
  } catch {
    throw new SignerError(`signer "${id}": its wallet_secret is no key in base64; copy it from the CDP portal`)
  }
}

/**
 * A JSON Web Token that we sign for one request (RFC 7519): `EdDSA` with a key of Ed25519, `ES256` with one of P-256 (RFC 7518 §3.4,
 * RFC 8037).
 */
export function jwt(algorithm: 'EdDSA' | 'ES256', header: object, claims: object, key: KeyObject): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const text = `${part({ alg: algorithm, typ: 'JWT', ...header })}.${part(claims)}`
  const hash = algorithm === 'EdDSA' ? null : 'sha256'
  return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

// Finds the keys of one PKCS#11 token and signs with them. Each call blocks, so it runs in the token's thread.
import type { Hex } from '../domain/ids.ts'
import { uncompressed } from '../ops/curve-point.ts'
import type { TokenReply, TokenRequest, TokenSettings } from './pkcs11.ts'
import {
  type CryptokiLibrary,
  codeOf,
  explained,
  forget,
  openSession,
  type Token,
  TokenFailure,
  type TokenKey,
} from './pkcs11-session.ts'

// PKCS#11 v2.40 §A.
const CKO_PUBLIC_KEY = 2
const CKO_PRIVATE_KEY = 3
const CKA_CLASS = 0
const CKA_LABEL = 3
const CKA_ID = 0x102
const CKA_EC_PARAMS = 0x180
const CKA_EC_POINT = 0x181
const CKA_ALWAYS_AUTHENTICATE = 0x202
const CKM_ECDSA = 0x1041

/** The OID 1.3.132.0.10 in DER. */
const secp256k1 = '06052b8104000a'

/** Calls nothing yet. */
export function newToken(settings: TokenSettings, newLibrary: () => CryptokiLibrary): Token {
  return { settings, newLibrary, keys: new Map(), wasOpen: false }
}

export function replyTo(token: Token, request: TokenRequest): TokenReply {
  const { id, operation, keyLabel } = request
  try {
    const { publicKey, keyId, handle } = keyBy(token, keyLabel)
    return { id, keyId, bytes: operation === 'open' ? publicKey : sign(token, handle, request.digest) }
  } catch (error) {
    const { message, kind, code } = explained(token, error)
    // A session may be gone: the next request begins with a new one.
    if (kind === 'transient') forget(token)
    return { id, failure: { message, kind, code } }
  }
}

function sign(token: Token, handle: Buffer, digest: Hex): Hex {
  const { lib, at } = openSession(token)
  lib.C_SignInit(at, { mechanism: CKM_ECDSA }, handle)
  // Larger than any signature of the curve.
  const signature = lib.C_Sign(at, Buffer.from(digest.slice(2), 'hex'), Buffer.alloc(256))
  return `0x${signature.toString('hex')}`
}

function keyBy(token: Token, label: string): TokenKey {
  const known = token.keys.get(label)
  if (known) return known
  const handle = find(token, CKO_PRIVATE_KEY, { type: CKA_LABEL, value: label }, `private key "${label}"`)
  const [id, params, always] = attributes(token, handle, [CKA_ID, CKA_EC_PARAMS, CKA_ALWAYS_AUTHENTICATE])
  if (params?.toString('hex') !== secp256k1) {
    throw new TokenFailure(`the key "${label}" is not of secp256k1; create another key`, 'permanent', 'WRONG_CURVE')
  }
  if (always?.[0] === 1) {
    const fault = `the key "${label}" wants the PIN for each signature; create one without CKA_ALWAYS_AUTHENTICATE`
    throw new TokenFailure(fault, 'permanent', 'ALWAYS_AUTHENTICATE')
  }
  const isSame = { type: CKA_ID, value: id ?? Buffer.alloc(0) }
  const publicHandle = find(token, CKO_PUBLIC_KEY, isSame, `public key beside "${label}"`)
  const [point] = attributes(token, publicHandle, [CKA_EC_POINT])
  const hex = point?.toString('hex') ?? ''
  // Most libraries wrap the point in an OCTET STRING.
  const publicKey = uncompressed(hex.startsWith('0441') && hex.length === 134 ? hex.slice(4) : hex)
  if (publicKey === undefined) {
    throw new TokenFailure('its public key is no point of the curve', 'permanent', 'INVALID_PUBLIC_KEY')
  }
  const key = { handle, publicKey, keyId: (id ?? Buffer.alloc(0)).toString('hex') }
  token.keys.set(label, key)
  return key
}

function find(token: Token, kind: number, attribute: { type: number; value: Buffer | string }, what: string): Buffer {
  const { tokenLabel } = token.settings
  const { lib, at } = openSession(token)
  lib.C_FindObjectsInit(at, [{ type: CKA_CLASS, value: kind }, attribute])
  const found = lib.C_FindObjects(at, 2)
  lib.C_FindObjectsFinal(at)
  const [handle] = found
  if (!handle) {
    throw new TokenFailure(`the token "${tokenLabel}" has no ${what}; check its label`, 'permanent', 'KEY_NOT_FOUND')
  }
  if (found.length > 1) {
    throw new TokenFailure(`the token "${tokenLabel}" has two of ${what}; rename one`, 'permanent', 'KEY_AMBIGUOUS')
  }
  return handle
}

function attributes(token: Token, handle: Buffer, types: readonly number[]): readonly (Buffer | undefined)[] {
  const { lib, at } = openSession(token)
  return types.map((type) => {
    try {
      const [attribute] = lib.C_GetAttributeValue(at, handle, [{ type }])
      return attribute?.value
    } catch (error) {
      // Some libraries lack the optional ones.
      if (codeOf(error) === 'CKR_ATTRIBUTE_TYPE_INVALID') return undefined
      throw error
    }
  })
}

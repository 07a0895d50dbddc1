// Finds the keys of one PKCS#11 token and signs with them, in the thread of the vendor's library.
import type { Hex } from '../domain/ids.ts'
import { nextTurn } from '../ops/clock.ts'
import { uncompressed } from '../ops/curve-point.ts'
import type { TokenReply, TokenRequest } from './pkcs11-messages.ts'
import {
  codeOf,
  explained,
  finalize,
  giveBack,
  type LoginSource,
  library,
  logOut,
  type Token,
  TokenFailure,
  type TokenKey,
  type TokenModule,
  takeSession,
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

/** Calls nothing yet. */
export function newToken(module: TokenModule, label: string, logins: LoginSource): Token {
  const sessions = { idle: [], inUse: 0, underWay: new Set<Promise<unknown>>() }
  const token: Token = { module, label, logins, keys: new Map(), ...sessions, wasOpen: false, failures: 0 }
  module.tokens.add(token)
  return token
}

/** `begins` is called when the library begins to sign. */
export async function replyTo(token: Token, request: TokenRequest, begins: () => void): Promise<TokenReply> {
  const { id } = request
  try {
    while (token.module.resetting) await token.module.resetting
    const at = await freeSession(token)
    const working = work(token, at, request, begins).finally(() => giveBack(token, at))
    const settled = working.catch(() => undefined).finally(() => token.underWay.delete(settled))
    token.underWay.add(settled)
    const { keyId, bytes } = await working
    token.failures = 0
    return { id, keyId, bytes }
  } catch (error) {
    const { message, kind, code } = explained(token, error)
    if (kind === 'transient') beginAnew(token, code)
    return { id, failure: { message, kind, code } }
  }
}

async function work(token: Token, at: Buffer, request: TokenRequest, begins: () => void) {
  const { publicKey, keyId, handle } = keyBy(token, at, request.keyLabel)
  if (request.operation === 'open') return { keyId, bytes: publicKey }
  begins()
  return { keyId, bytes: await sign(token, at, handle, request.digest) }
}

/** A token may have fewer sessions than signatures that wait. */
async function freeSession(token: Token): Promise<Buffer> {
  try {
    return await takeSession(token)
  } catch (error) {
    if (codeOf(error) !== 'CKR_SESSION_COUNT' || token.inUse === 0) throw error
    // A request that has just got its session is not among those under way yet.
    await (token.underWay.size > 0 ? Promise.race(token.underWay) : nextTurn())
    return freeSession(token)
  }
}

/**
 * The first failure ends the login, a further one the library: some stay dead until C_Logout, others until C_Finalize. A
 * library whose other tokens sign is ended at every fourth failure only, because C_Finalize ends their sessions, too.
 */
function beginAnew(token: Token, code: string): void {
  const { module } = token
  // This failure is of a session that ends anyway.
  if (module.resetting) return
  token.failures += 1
  const others = [...module.tokens].some((each) => each !== token && each.wasOpen && each.failures === 0)
  const isStubborn = token.failures > 1 && (!others || token.failures % 4 === 2)
  const endsLibrary = isStubborn || code === 'CKR_CRYPTOKI_NOT_INITIALIZED'
  const concerned = endsLibrary ? [...module.tokens] : [token]
  module.resetting = atRest(concerned).then(() => {
    module.resetting = undefined
    if (endsLibrary) finalize(module)
    else logOut(token)
  })
}

/** No call of theirs is under way. */
export async function atRest(tokens: readonly Token[]): Promise<void> {
  while (tokens.some(({ inUse }) => inUse > 0)) {
    await Promise.all([nextTurn(), ...tokens.flatMap(({ underWay }) => [...underWay])])
  }
}

async function sign(token: Token, at: Buffer, handle: Buffer, digest: Hex): Promise<Hex> {
  const lib = library(token)
  lib.C_SignInit(at, { mechanism: CKM_ECDSA }, handle)
  // Larger than any signature of the curve.
  const signature = await lib.C_SignAsync(at, Buffer.from(digest.slice(2), 'hex'), Buffer.alloc(256))
  return `0x${signature.toString('hex')}`
}

function keyBy(token: Token, at: Buffer, label: string): TokenKey {
  const known = token.keys.get(label)
  if (known) return known
  const handle = find(token, at, CKO_PRIVATE_KEY, { type: CKA_LABEL, value: label }, `private key "${label}"`)
  const [id, ownParams, always] = attributes(token, at, handle, [CKA_ID, CKA_EC_PARAMS, CKA_ALWAYS_AUTHENTICATE])
  const isSame = { type: CKA_ID, value: id ?? Buffer.alloc(0) }
  const publicHandle = find(token, at, CKO_PUBLIC_KEY, isSame, `public key beside "${label}"`)
  const [point, publicParams] = attributes(token, at, publicHandle, [CKA_EC_POINT, CKA_EC_PARAMS])
  // A private object may lack them. Where both do, the point shows the curve.
  if ((isSecp256k1(ownParams) ?? isSecp256k1(publicParams)) === false) {
    throw new TokenFailure(`the key "${label}" is not of secp256k1; create another key`, 'permanent', 'WRONG_CURVE')
  }
  if (always?.[0] === 1) {
    const fault = `the key "${label}" wants the PIN for each signature; create one without CKA_ALWAYS_AUTHENTICATE`
    throw new TokenFailure(fault, 'permanent', 'ALWAYS_AUTHENTICATE')
  }
  const publicKey = publicKeyOfPoint(point)
  if (publicKey === undefined) {
    throw new TokenFailure('its public key is no point of the curve', 'permanent', 'INVALID_PUBLIC_KEY')
  }
  const key = { handle, publicKey, keyId: (id ?? Buffer.alloc(0)).toString('hex') }
  token.keys.set(label, key)
  return key
}

type Sought = { readonly type: number; readonly value: Buffer | string }

function find(token: Token, at: Buffer, kind: number, attribute: Sought, what: string): Buffer {
  const lib = library(token)
  lib.C_FindObjectsInit(at, [{ type: CKA_CLASS, value: kind }, attribute])
  const found = lib.C_FindObjects(at, 2)
  lib.C_FindObjectsFinal(at)
  const [handle] = found
  if (!handle) {
    throw new TokenFailure(`the token "${token.label}" has no ${what}; check its label`, 'permanent', 'KEY_NOT_FOUND')
  }
  if (found.length > 1) {
    throw new TokenFailure(`the token "${token.label}" has two of ${what}; rename one`, 'permanent', 'KEY_AMBIGUOUS')
  }
  return handle
}

/** Some libraries lack the optional attributes of a private object, others show none of them. */
const absent: readonly string[] = ['CKR_ATTRIBUTE_TYPE_INVALID', 'CKR_ATTRIBUTE_SENSITIVE']

function attributes(
  token: Token,
  at: Buffer,
  handle: Buffer,
  types: readonly number[],
): readonly (Buffer | undefined)[] {
  const lib = library(token)
  return types.map((type) => {
    try {
      const [attribute] = lib.C_GetAttributeValue(at, handle, [{ type }])
      return attribute?.value
    } catch (error) {
      if (absent.includes(codeOf(error))) return undefined
      throw error
    }
  })
}

/** The OID 1.3.132.0.10 in DER, and PKCS#11 v3.0's name of the curve as a PrintableString. */
const secp256k1: readonly string[] = ['06052b8104000a', '1309736563703235366b31']

/** Whether the key is of the curve; undefined where the object has no CKA_EC_PARAMS. */
function isSecp256k1(params: Buffer | undefined): boolean | undefined {
  return params?.length ? secp256k1.includes(params.toString('hex')) : undefined
}

/** An OCTET STRING (the standard's), a BIT STRING, or neither; each with a point that is compressed or not. */
const wrapped = /^(?:04(?:41|21)|03(?:42|22)00)(04[0-9a-f]{128}|0[23][0-9a-f]{64})$/

/** The key in 65 bytes. Libraries return a point in DER, or the bytes of a point. Undefined if it is no point of secp256k1. */
function publicKeyOfPoint(point: Buffer | undefined): Hex | undefined {
  const hex = point?.toString('hex') ?? ''
  return uncompressed(wrapped.exec(hex)?.[1] ?? hex)
}

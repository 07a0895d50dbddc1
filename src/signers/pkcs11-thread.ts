// The thread of one PKCS#11 token: it alone calls the vendor's library, one request after the other.
import { parentPort, workerData } from 'node:worker_threads'
import pkcs11 from 'pkcs11js'
import type { Hex } from '../domain/ids.ts'
import { uncompressed } from '../ops/curve-point.ts'
import { memberOf } from '../ops/member.ts'
import { endOfThread, type TokenReply, type TokenRequest, type TokenSettings } from './pkcs11.ts'

interface Key {
  readonly handle: Buffer
  readonly publicKey: Hex
  readonly keyId: string
}

class TokenFailure extends Error {
  readonly kind: 'transient' | 'permanent'
  readonly code: string

  constructor(message: string, kind: 'transient' | 'permanent', code: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

const { module, tokenLabel, pin }: TokenSettings = workerData
/** The OID 1.3.132.0.10 in DER. */
const secp256k1 = '06052b8104000a'

/** Each wrong PIN brings the token nearer to its lock, so this process tries none again. */
const pinCodes = [
  ...['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED', 'CKR_PIN_LOCKED'],
  'CKR_USER_PIN_NOT_INITIALIZED',
]
const permanentCodes = [
  ...['CKR_ARGUMENTS_BAD', 'CKR_FUNCTION_NOT_SUPPORTED', 'CKR_KEY_FUNCTION_NOT_PERMITTED', 'CKR_KEY_SIZE_RANGE'],
  ...['CKR_KEY_TYPE_INCONSISTENT', 'CKR_MECHANISM_INVALID', 'CKR_MECHANISM_PARAM_INVALID'],
]

let library: pkcs11.PKCS11 | undefined
let session: Buffer | undefined
let refusedPin: TokenFailure | undefined
let wasOpen = false
const keys = new Map<string, Key>()

parentPort?.on('message', (request: TokenRequest | typeof endOfThread) => {
  if (request !== endOfThread) return parentPort?.postMessage(replyTo(request))
  forget()
  parentPort?.close()
})

function replyTo(request: TokenRequest): TokenReply {
  const { id, operation, keyLabel } = request
  try {
    const { publicKey, keyId, handle } = keyBy(keyLabel)
    return { id, keyId, bytes: operation === 'open' ? publicKey : sign(handle, request.digest) }
  } catch (error) {
    const { message, kind, code } = explained(error)
    // A session may be gone: the next request begins with a new one.
    if (kind === 'transient') forget()
    return { id, failure: { message, kind, code } }
  }
}

function sign(handle: Buffer, digest: Hex): Hex {
  const { lib, at } = opened()
  lib.C_SignInit(at, { mechanism: pkcs11.CKM_ECDSA }, handle)
  // Larger than any signature of the curve.
  const signature = lib.C_Sign(at, Buffer.from(digest.slice(2), 'hex'), Buffer.alloc(256))
  return `0x${signature.toString('hex')}`
}

function keyBy(label: string): Key {
  const known = keys.get(label)
  if (known) return known
  const handle = find(pkcs11.CKO_PRIVATE_KEY, { type: pkcs11.CKA_LABEL, value: label }, `private key "${label}"`)
  const [id, params, always] = attributes(handle, [pkcs11.CKA_ID, pkcs11.CKA_EC_PARAMS, pkcs11.CKA_ALWAYS_AUTHENTICATE])
  if (params?.toString('hex') !== secp256k1) {
    throw new TokenFailure(`the key "${label}" is not of secp256k1; create another key`, 'permanent', 'WRONG_CURVE')
  }
  if (always?.[0] === 1) {
    const fault = `the key "${label}" wants the PIN for each signature; create one without CKA_ALWAYS_AUTHENTICATE`
    throw new TokenFailure(fault, 'permanent', 'ALWAYS_AUTHENTICATE')
  }
  const isSame = { type: pkcs11.CKA_ID, value: id ?? Buffer.alloc(0) }
  const publicHandle = find(pkcs11.CKO_PUBLIC_KEY, isSame, `public key beside "${label}"`)
  const [point] = attributes(publicHandle, [pkcs11.CKA_EC_POINT])
  const hex = point?.toString('hex') ?? ''
  // Most libraries wrap the point in an OCTET STRING.
  const publicKey = uncompressed(hex.startsWith('0441') && hex.length === 134 ? hex.slice(4) : hex)
  if (publicKey === undefined) {
    throw new TokenFailure('its public key is no point of the curve', 'permanent', 'INVALID_PUBLIC_KEY')
  }
  const key = { handle, publicKey, keyId: (id ?? Buffer.alloc(0)).toString('hex') }
  keys.set(label, key)
  return key
}

function find(kind: number, attribute: { type: number; value: Buffer | string }, what: string): Buffer {
  const { lib, at } = opened()
  lib.C_FindObjectsInit(at, [{ type: pkcs11.CKA_CLASS, value: kind }, attribute])
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

function attributes(handle: Buffer, types: readonly number[]): readonly (Buffer | undefined)[] {
  const { lib, at } = opened()
  return types.map((type) => {
    try {
      const [attribute] = lib.C_GetAttributeValue(at, handle, [{ type }])
      return attribute?.value
    } catch (error) {
      // Some libraries lack the optional ones.
      if (String(memberOf(error, 'message')).startsWith('CKR_ATTRIBUTE_TYPE_INVALID')) return undefined
      throw error
    }
  })
}

function opened(): { readonly lib: pkcs11.PKCS11; readonly at: Buffer } {
  const lib = loaded()
  session ??= logIn(lib)
  return { lib, at: session }
}

function loaded(): pkcs11.PKCS11 {
  if (library) return library
  const lib = new pkcs11.PKCS11()
  try {
    lib.load(module)
  } catch {
    throw new TokenFailure(`the library ${module} does not load; check its path`, 'permanent', 'MODULE_NOT_LOADED')
  }
  try {
    lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK })
  } catch (error) {
    // Another token of the same library has a thread in this process, too.
    if (codeOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error
  }
  library = lib
  return lib
}

function logIn(lib: pkcs11.PKCS11): Buffer {
  if (refusedPin) throw refusedPin
  const slot = lib.C_GetSlotList(true).find((each) => lib.C_GetTokenInfo(each).label.trim() === tokenLabel)
  if (!slot) {
    // Once it was there, so the device is away. Otherwise the label is wrong.
    const kind = wasOpen ? 'transient' : 'permanent'
    throw new TokenFailure(`there is no token "${tokenLabel}"; check its label and its slot`, kind, 'TOKEN_NOT_FOUND')
  }
  if ((lib.C_GetTokenInfo(slot).flags & pkcs11.CKF_USER_PIN_FINAL_TRY) !== 0) {
    refusedPin = new TokenFailure(
      `one more wrong PIN would lock the token "${tokenLabel}"; log in once with the vendor's tool, then restart`,
      'permanent',
      'PIN_FINAL_TRY',
    )
    throw refusedPin
  }
  const at = lib.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION)
  try {
    lib.C_Login(at, pkcs11.CKU_USER, pin)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'CKR_USER_ALREADY_LOGGED_IN') {
      lib.C_CloseSession(at)
      if (!pinCodes.includes(code)) throw error
      const fix = 'correct the PIN and restart; it is not tried again, so that the token does not lock'
      refusedPin = new TokenFailure(`the token "${tokenLabel}" refuses the PIN (${code}); ${fix}`, 'permanent', code)
      throw refusedPin
    }
  }
  wasOpen = true
  return at
}

function forget(): void {
  const [lib, at] = [library, session]
  session = undefined
  // It is initialized anew, should another part of the process have ended it.
  library = undefined
  keys.clear()
  if (!lib || !at) return
  try {
    lib.C_CloseSession(at)
  } catch {
    // It was gone already.
  }
}

function explained(error: unknown): TokenFailure {
  if (error instanceof TokenFailure) return error
  const code = codeOf(error)
  return new TokenFailure(
    `${code} from the token "${tokenLabel}"`,
    permanentCodes.includes(code) ? 'permanent' : 'transient',
    code,
  )
}

/** The name of a return value of Cryptoki, such as CKR_DEVICE_ERROR. */
function codeOf(error: unknown): string {
  const message = memberOf(error, 'message')
  return typeof message === 'string' && /^CKR_\w+$/.test(message) ? message : 'PKCS11_FAILED'
}

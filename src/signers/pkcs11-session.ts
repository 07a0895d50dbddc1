// The session of one PKCS#11 token: loads the vendor's library, logs in, and begins anew after a failure of the device.
import type pkcs11js from 'pkcs11js'
import type { Hex } from '../domain/ids.ts'
import { memberOf } from '../ops/member.ts'
import { pinCodes } from './pin-codes.ts'
import type { TokenSettings } from './pkcs11.ts'

/** The functions of the vendor's library that the service calls. */
export type CryptokiLibrary = Pick<
  pkcs11js.PKCS11,
  | 'load'
  | 'C_Initialize'
  | 'C_GetSlotList'
  | 'C_GetTokenInfo'
  | 'C_OpenSession'
  | 'C_CloseSession'
  | 'C_Login'
  | 'C_FindObjectsInit'
  | 'C_FindObjects'
  | 'C_FindObjectsFinal'
  | 'C_GetAttributeValue'
  | 'C_SignInit'
  | 'C_Sign'
>

export interface TokenKey {
  readonly handle: Buffer
  readonly publicKey: Hex
  readonly keyId: string
}

/** A token, with its session and the outcome of its login in this process. */
export interface Token {
  readonly settings: TokenSettings
  readonly newLibrary: () => CryptokiLibrary
  readonly keys: Map<string, TokenKey>
  library?: CryptokiLibrary | undefined
  session?: Buffer | undefined
  /** For the life of the process. */
  refusedPin?: TokenFailure
  wasOpen: boolean
}

export class TokenFailure extends Error {
  readonly kind: 'transient' | 'permanent'
  readonly code: string

  constructor(message: string, kind: 'transient' | 'permanent', code: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

// PKCS#11 v2.40 §A.
const CKF_OS_LOCKING_OK = 0x2
const CKF_SERIAL_SESSION = 0x4
const CKF_USER_PIN_FINAL_TRY = 0x2_0000
const CKU_USER = 1

/** The same call would fail again. The rest are failures of the session or the device. */
const permanentCodes = [
  ...['CKR_ARGUMENTS_BAD', 'CKR_FUNCTION_NOT_SUPPORTED', 'CKR_KEY_FUNCTION_NOT_PERMITTED', 'CKR_KEY_SIZE_RANGE'],
  ...['CKR_KEY_TYPE_INCONSISTENT', 'CKR_MECHANISM_INVALID', 'CKR_MECHANISM_PARAM_INVALID', 'CKR_USER_TYPE_INVALID'],
  ...['CKR_CURVE_NOT_SUPPORTED', 'CKR_DATA_LEN_RANGE', 'CKR_CANT_LOCK', 'CKR_NEED_TO_CREATE_THREADS'],
]

/** Logs in if there is no session. Throws TokenFailure, or the library's error. */
export function openSession(token: Token): { readonly lib: CryptokiLibrary; readonly at: Buffer } {
  const lib = loaded(token)
  token.session ??= logIn(token, lib)
  return { lib, at: token.session }
}

/** The next request begins with a new session. */
export function forget(token: Token): void {
  const { library, session } = token
  token.session = undefined
  // It is initialized anew, should another part of the process have ended it.
  token.library = undefined
  token.keys.clear()
  if (library && session) closeQuietly(library, session)
}

export function explained({ settings }: Token, error: unknown): TokenFailure {
  if (error instanceof TokenFailure) return error
  const code = codeOf(error)
  const kind = permanentCodes.includes(code) ? 'permanent' : 'transient'
  return new TokenFailure(`${code} from the token "${settings.tokenLabel}"`, kind, code)
}

/** The name of a return value of Cryptoki, such as CKR_DEVICE_ERROR. */
export function codeOf(error: unknown): string {
  const message = memberOf(error, 'message')
  return typeof message === 'string' && /^CKR_\w+$/.test(message) ? message : 'PKCS11_FAILED'
}

function loaded(token: Token): CryptokiLibrary {
  if (token.library) return token.library
  const { module } = token.settings
  const library = token.newLibrary()
  try {
    library.load(module)
  } catch {
    throw new TokenFailure(`the library ${module} does not load; check its path`, 'permanent', 'MODULE_NOT_LOADED')
  }
  try {
    library.C_Initialize({ flags: CKF_OS_LOCKING_OK })
  } catch (error) {
    // Another token of the same library has a thread in this process, too.
    if (codeOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error
  }
  token.library = library
  return library
}

function logIn(token: Token, lib: CryptokiLibrary): Buffer {
  if (token.refusedPin) throw token.refusedPin
  const { tokenLabel, pin } = token.settings
  const { slot, flags } = findSlot(token, lib)
  if ((flags & CKF_USER_PIN_FINAL_TRY) !== 0) {
    const fault = `one more wrong PIN would lock the token "${tokenLabel}"`
    const fix = "log in once with the vendor's tool, then restart"
    token.refusedPin = new TokenFailure(`${fault}; ${fix}`, 'permanent', 'PIN_FINAL_TRY')
    throw token.refusedPin
  }
  const at = lib.C_OpenSession(slot, CKF_SERIAL_SESSION)
  try {
    lib.C_Login(at, CKU_USER, pin)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'CKR_USER_ALREADY_LOGGED_IN') {
      // Noted before any other call of the library can fail, so that the PIN is never tried again.
      if (pinCodes.includes(code)) token.refusedPin = refusalOf(tokenLabel, code)
      closeQuietly(lib, at)
      throw token.refusedPin ?? error
    }
  }
  token.wasOpen = true
  return at
}

function refusalOf(tokenLabel: string, code: string): TokenFailure {
  const fix = 'correct the PIN and restart; it is not tried again, so that the token does not lock'
  return new TokenFailure(`the token "${tokenLabel}" refuses the PIN (${code}); ${fix}`, 'permanent', code)
}

function findSlot(
  { settings, wasOpen }: Token,
  lib: CryptokiLibrary,
): { readonly slot: Buffer; readonly flags: number } {
  let fault: unknown
  for (const slot of lib.C_GetSlotList(true)) {
    try {
      const { label, flags } = lib.C_GetTokenInfo(slot)
      if (label.trim() === settings.tokenLabel) return { slot, flags }
    } catch (error) {
      // It may be the token of another slot that is away.
      fault ??= error
    }
  }
  if (fault !== undefined) throw fault
  // Once it was there, so the device is away. Otherwise the label is wrong.
  const kind = wasOpen ? 'transient' : 'permanent'
  const fix = 'check its label and its slot'
  throw new TokenFailure(`there is no token "${settings.tokenLabel}"; ${fix}`, kind, 'TOKEN_NOT_FOUND')
}

function closeQuietly(lib: CryptokiLibrary, session: Buffer): void {
  try {
    lib.C_CloseSession(session)
  } catch {
    // It was gone already.
  }
}

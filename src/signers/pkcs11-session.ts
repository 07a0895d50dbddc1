// The sessions of one PKCS#11 token: loads the vendor's library, logs in, and begins anew after a failure of the device.
// A `TokenFailure` says whether the call may be tried again, or waits for an operator.
import type pkcs11js from 'pkcs11js'
import type { Hex } from '../domain/ids.ts'
import { memberOf } from '../ops/member.ts'
import { errorKind, failureKind, pinCodes } from './failure-table.ts'

/** The functions of the vendor's library that the service calls. */
export type CryptokiLibrary = Pick<
  pkcs11js.PKCS11,
  | 'load'
  | 'C_Initialize'
  | 'C_Finalize'
  | 'C_GetSlotList'
  | 'C_GetTokenInfo'
  | 'C_OpenSession'
  | 'C_CloseSession'
  | 'C_Login'
  | 'C_Logout'
  | 'C_FindObjectsInit'
  | 'C_FindObjects'
  | 'C_FindObjectsFinal'
  | 'C_GetAttributeValue'
  | 'C_SignInit'
  | 'C_SignAsync'
>

export interface TokenKey {
  readonly handle: Buffer
  readonly publicKey: Hex
  readonly keyId: string
}

/** A vendor's library, which is one for its process. */
export interface TokenModule {
  readonly path: string
  readonly newLibrary: () => CryptokiLibrary
  readonly tokens: Set<Token>
  library?: CryptokiLibrary
  isInitialized: boolean
  /** A login or the library ends, and begins anew: no call may begin before. */
  resetting?: Promise<void> | undefined
}

/** The PIN is with the parent process, which remembers what became of each login. */
export interface LoginSource {
  /** Throws TokenFailure for a PIN that must not be tried. */
  pin(): Promise<string>
  /** The library answered C_Login. `refusal`: the PIN must not be tried again. */
  ended(refusal: TokenFailure | undefined): void
}

/** A token, with its sessions. All of them share one login. */
export interface Token {
  readonly module: TokenModule
  readonly label: string
  readonly logins: LoginSource
  readonly keys: Map<string, TokenKey>
  readonly idle: Buffer[]
  /** Sessions that a request has. */
  inUse: number
  slot?: Buffer | undefined
  loggingIn?: Promise<Buffer> | undefined
  /** Signatures. None of them rejects. */
  readonly underWay: Set<Promise<unknown>>
  wasOpen: boolean
  /** Transient ones in a row. */
  failures: number
}

// PKCS#11 v2.40 §A.
const CKF_OS_LOCKING_OK = 0x2
const CKF_SERIAL_SESSION = 0x4
const CKF_USER_PIN_FINAL_TRY = 0x2_0000
const CKU_USER = 1

/** A session that nobody uses, or a new one; logs in if there is none. Throws TokenFailure, or the library's error. */
export async function takeSession(token: Token): Promise<Buffer> {
  const session = token.idle.pop() ?? newSession(token)
  if (session) {
    token.inUse += 1
    return session
  }
  if (token.loggingIn) {
    await token.loggingIn
    return takeSession(token)
  }
  token.loggingIn = logIn(token).finally(() => {
    token.loggingIn = undefined
  })
  const first = await token.loggingIn
  token.inUse += 1
  return first
}

export function giveBack(token: Token, session: Buffer): void {
  token.inUse -= 1
  token.idle.push(session)
}

/** A new session with the login of the others; undefined without a login. */
function newSession(token: Token): Buffer | undefined {
  return token.slot === undefined ? undefined : library(token).C_OpenSession(token.slot, CKF_SERIAL_SESSION)
}

/** Ends the login and its sessions. The next request begins with new ones. No signature may be under way. */
export function logOut(token: Token): void {
  const lib = library(token)
  const sessions = forget(token)
  const [one] = sessions
  if (!one) return
  // Some libraries stay with a lost session's login until this call.
  quietly(() => lib.C_Logout(one))
  for (const session of sessions) quietly(() => lib.C_CloseSession(session))
}

/** Ends the library, with the sessions of all its tokens. No call may be under way. */
export function finalize(module: TokenModule): void {
  for (const token of module.tokens) forget(token)
  module.isInitialized = false
  quietly(() => module.library?.C_Finalize())
}

function forget(token: Token): readonly Buffer[] {
  token.slot = undefined
  token.keys.clear()
  return token.idle.splice(0)
}

export function library({ module }: Token): CryptokiLibrary {
  module.library ??= load(module)
  if (module.isInitialized) return module.library
  try {
    module.library.C_Initialize({ flags: CKF_OS_LOCKING_OK })
  } catch (error) {
    // It did not end when it should have.
    if (codeOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error
  }
  module.isInitialized = true
  return module.library
}

function load({ path, newLibrary }: TokenModule): CryptokiLibrary {
  const loaded = newLibrary()
  try {
    loaded.load(path)
  } catch {
    throw new TokenFailure(`the library ${path} does not load; check its path`, 'permanent', 'MODULE_NOT_LOADED')
  }
  return loaded
}

async function logIn(token: Token): Promise<Buffer> {
  const { label, logins } = token
  const lib = library(token)
  const { slot, flags } = findSlot(token, lib)
  if ((flags & CKF_USER_PIN_FINAL_TRY) !== 0) {
    const fault = `one more wrong PIN would lock the token "${label}"`
    const fix = "log in once with the vendor's tool, then restart"
    throw new TokenFailure(`${fault}; ${fix}`, 'permanent', 'PIN_FINAL_TRY')
  }
  const at = lib.C_OpenSession(slot, CKF_SERIAL_SESSION)
  try {
    await logInWith(logins, label, (pin) => lib.C_Login(at, CKU_USER, pin))
  } catch (error) {
    quietly(() => lib.C_CloseSession(at))
    throw error
  }
  token.wasOpen = true
  token.slot = slot
  return at
}

async function logInWith(logins: LoginSource, label: string, call: (pin: string) => void): Promise<void> {
  const pin = await logins.pin()
  try {
    call(pin)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'CKR_USER_ALREADY_LOGGED_IN') {
      // Reported before any other call of the library can fail, so that the PIN is never tried again.
      const refusal = pinCodes.includes(code) ? refusalOf(label, code) : undefined
      logins.ended(refusal)
      throw refusal ?? error
    }
  }
  logins.ended(undefined)
}

function refusalOf(label: string, code: string): TokenFailure {
  const fix = 'correct the PIN and restart; it is not tried again, so that the token does not lock'
  return new TokenFailure(`the token "${label}" refuses the PIN (${code}); ${fix}`, 'permanent', code)
}

interface FoundSlot {
  readonly slot: Buffer
  readonly flags: number
}

function findSlot({ label: wanted, wasOpen, failures }: Token, lib: CryptokiLibrary): FoundSlot {
  const found: FoundSlot[] = []
  let fault: unknown
  for (const slot of lib.C_GetSlotList(true)) {
    try {
      const { label, flags } = lib.C_GetTokenInfo(slot)
      if (label.trim() === wanted) found.push({ slot, flags })
    } catch (error) {
      // It may be the token of another slot that is away.
      fault ??= error
    }
  }
  // Two slots may have the label, such as those of a pair of devices: after a failure the other one is used.
  const chosen = found[failures % found.length]
  if (chosen) return chosen
  if (fault !== undefined) throw fault
  // Once it was there, so the device is away. Otherwise the label is wrong.
  const kind = wasOpen ? 'transient' : 'permanent'
  throw new TokenFailure(`there is no token "${wanted}"; check its label and its slot`, kind, 'TOKEN_NOT_FOUND')
}

/** The session or the login may be gone already. */
function quietly(call: () => void): void {
  try {
    call()
  } catch {
    // It was gone already.
  }
}

/** Failures of a PKCS#11 token: which ones may be tried again, and which wait for an operator. */
export class TokenFailure extends Error {
  readonly kind: 'transient' | 'permanent'
  readonly code: string

  constructor(message: string, kind: 'transient' | 'permanent', code: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

/** Codes that the table lacks are failures of the session or the device. */
export function explained({ label }: { readonly label: string }, error: unknown): TokenFailure {
  if (error instanceof TokenFailure) return error
  const code = codeOf(error)
  const kind = errorKind(failureKind('pkcs11', code) ?? 'transient') === 'permanent' ? 'permanent' : 'transient'
  return new TokenFailure(`${code} from the token "${label}"`, kind, code)
}

/** The name of a return value of Cryptoki, such as CKR_DEVICE_ERROR. */
export function codeOf(error: unknown): string {
  const message = memberOf(error, 'message')
  return typeof message === 'string' && /^CKR_\w+$/.test(message) ? message : 'PKCS11_FAILED'
}

// What became of the logins of each PKCS#11 token, for the life of the service: a token counts wrong PINs and locks itself.
import type { TokenRefusal } from './pkcs11-messages.ts'

export interface PinRecord {
  /** The PIN must not be tried again. */
  refusal(): TokenRefusal | undefined
  isUnderWay(): boolean
  begins(): void
  ends(refusal: TokenRefusal | undefined): void
  /** The process that logs in has ended. */
  breaksOff(tokenLabel: string): void
}

/** PIN records by a digest of library, token and PIN. They outlive signers: one that is created again tries no PIN again. */
const records = new Map<string, PinRecord>()

export function pinRecord(digest: string): PinRecord {
  const record = records.get(digest) ?? newPinRecord()
  records.set(digest, record)
  return record
}

export function newPinRecord(): PinRecord {
  let refused: TokenRefusal | undefined
  let underWay = false
  return {
    refusal: () => refused,
    isUnderWay: () => underWay,
    begins() {
      underWay = true
    },
    ends(refusal) {
      underWay = false
      refused ??= refusal
    },
    breaksOff(tokenLabel) {
      if (!underWay) return
      underWay = false
      const fault = `the library ended before it answered the login to the token "${tokenLabel}"`
      const fix = 'check the PIN and restart; it is not tried again, so that the token does not lock'
      refused ??= { message: `${fault}; ${fix}`, kind: 'permanent', code: 'LOGIN_UNANSWERED' }
    },
  }
}

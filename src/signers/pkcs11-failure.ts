// Failures of a PKCS#11 token: which ones may be tried again, and which wait for an operator.

import { memberOf } from '../ops/member.ts'
import { errorKind, failureKind } from './failure-table.ts'

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

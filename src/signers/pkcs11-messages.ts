// The messages between the service and the child process of a PKCS#11 library.
import type { Hex } from '../domain/ids.ts'
import type { KeyServiceError } from './key-service.ts'

/** `token`: a number for a token and its PIN. */
interface OfToken {
  readonly id: number
  readonly token: number
  readonly tokenLabel: string
  readonly keyLabel: string
}

export type TokenRequest =
  | (OfToken & { readonly operation: 'open' })
  | (OfToken & { readonly operation: 'sign'; readonly digest: Hex })

export interface TokenRefusal {
  readonly message: string
  readonly kind: Extract<KeyServiceError['kind'], 'transient' | 'permanent'>
  readonly code: string
}

/** `bytes`: the public key or the signature. */
export type TokenReply =
  | { readonly id: number; readonly bytes: Hex; readonly keyId: string }
  | { readonly id: number; readonly failure: TokenRefusal }

/** Ends the sessions and the library. */
export const endOfModule = 'end'

export type ToModule =
  | TokenRequest
  | { readonly pinOf: number; readonly pin: string }
  | { readonly pinOf: number; readonly refusal: TokenRefusal }
  | typeof endOfModule

export type FromModule =
  | TokenReply
  /** The library signs for this request. */
  | { readonly begun: number }
  /** C_Login is about to be called. */
  | { readonly wantsPin: number }
  | { readonly loggedIn: number; readonly refusal?: TokenRefusal }

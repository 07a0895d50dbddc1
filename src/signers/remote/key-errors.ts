// Errors of key services, as the layers above the port see them.
import { KeyServiceError } from '../key-service.ts'
import { SignerUnavailable } from '../signer.ts'
import type { BreakerFailure } from './breaker.ts'

export function transient(code: string, message: string): KeyServiceError {
  return new KeyServiceError(message, { kind: 'transient', code })
}

export function permanent(code: string, message: string): KeyServiceError {
  return new KeyServiceError(message, { kind: 'permanent', code })
}

/** A provider throws nothing else, but a bug in one must not end an ownership. */
export function asKeyServiceError(cause: unknown): KeyServiceError {
  if (cause instanceof KeyServiceError) return cause
  const code = cause instanceof Error ? cause.name : 'UnknownError'
  return new KeyServiceError('the key service failed', { kind: 'transient', code, cause })
}

/** A person may have to act. */
export function lasts({ kind }: KeyServiceError): boolean {
  return kind === 'permanent' || kind === 'credentials'
}

/** `isRecent`: the signer has signed lately, so credentials that are refused may soon be right again. */
export function failureOf(error: KeyServiceError, isRecent: boolean): BreakerFailure {
  const isTriedSoon = !lasts(error) || (isRecent && error.kind === 'credentials')
  return { code: error.code, isPermanent: lasts(error), isTriedSoon }
}

export function unavailable(id: string, cause: KeyServiceError): SignerUnavailable {
  const { code, kind, activity } = cause
  const facts = {
    code,
    isPermanent: lasts(cause) || kind === 'approval',
    ...(activity !== undefined && { activity }),
  }
  return new SignerUnavailable(`signer "${id}": ${cause.message} (${code})`, { ...facts, cause })
}

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

export function failureOf({ code, kind }: KeyServiceError): BreakerFailure {
  return { code, isPermanent: kind === 'permanent' }
}

export function unavailable(id: string, cause: KeyServiceError): SignerUnavailable {
  const { code, kind, activity } = cause
  const facts = {
    code,
    isPermanent: kind === 'permanent' || kind === 'approval',
    ...(activity !== undefined && { activity }),
  }
  return new SignerUnavailable(`signer "${id}": ${cause.message} (${code})`, { ...facts, cause })
}

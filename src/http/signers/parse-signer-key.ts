// Checks the config of a plain signer in a body: a private key, which no error repeats.
import type { Static } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import type { signerConfigSchema } from './signer-config.ts'

/** Throws INVALID_REQUEST. */
export function checkSignerKey({ key, ...others }: Static<typeof signerConfigSchema>): void {
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw new RescindError('INVALID_REQUEST', `config.${other.slice(0, 20)}: is not accepted here; send only key`)
  }
  if (typeof key === 'string' && /^(0x)?[0-9a-fA-F]{64}$/.test(key)) return
  const given =
    typeof key === 'string' ? 'is no private key (not shown: it may be most of one)' : 'is not a private key'
  const fault = key === undefined ? 'is missing' : given
  throw new RescindError('INVALID_REQUEST', `config.key: ${fault}; send 64 hex digits, with or without 0x`)
}

// Parses the members of a notification in a body. No error repeats its URL or its key.
import { Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { type Secret, secret } from '../../ops/secret.ts'
import { signingKeyCharsMax, signingKeyCharsMin, urlCharsMax } from '../limits.ts'

export const notificationTypeInBody = Type.Optional(Type.Literal('webhook', { description: '"webhook"' }))

export const urlInBody = Type.String({
  maxLength: urlCharsMax,
  writeOnly: true,
  description: 'an http or https URL',
  examples: ['https://hooks.example/rescind'],
})

export const signingKeyInBody = Type.String({
  maxLength: signingKeyCharsMax,
  writeOnly: true,
  description: `a key of ${signingKeyCharsMin} to ${signingKeyCharsMax} characters`,
})

/** Throws INVALID_REQUEST. */
export function parseSigningKey(text: string): Secret {
  if (text.length >= signingKeyCharsMin) return secret(text)
  const fix = `send ${signingKeyCharsMin} or more, for example from "openssl rand -hex 32"`
  throw new RescindError('INVALID_REQUEST', `signing_key: has ${text.length} characters; ${fix}`)
}

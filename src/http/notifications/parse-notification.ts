// Parses the members of a notification in a body. No error repeats its URL or its key.
import { Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { httpUrlPattern } from '../../ops/http-url.ts'
import { type Secret, secret } from '../../ops/secret.ts'
import { signingKeyCharsMax, signingKeyCharsMin, urlCharsMax } from '../limits.ts'
import { stated } from '../request/stated.ts'

export const notificationTypeInBody = Type.Optional(Type.Literal('webhook', { description: '"webhook"' }))

export const urlInBody = Type.String({
  maxLength: urlCharsMax,
  format: 'http-url',
  writeOnly: true,
  description: 'an http or https URL',
  examples: ['https://hooks.example/rescind'],
  ...stated({
    pattern: httpUrlPattern,
    description: 'an http or https URL; one that leads into a private network only where WEBHOOK_ALLOWED_HOSTS has it',
  }),
})

export const signingKeyInBody = Type.String({
  maxLength: signingKeyCharsMax,
  writeOnly: true,
  description: `a key of ${signingKeyCharsMin} to ${signingKeyCharsMax} characters`,
  ...stated({ minLength: signingKeyCharsMin }),
})

/** Throws INVALID_REQUEST, also for an empty key: a template that lost its variable must not leave webhooks unsigned. */
export function parseSigningKey(text: string): Secret {
  // In characters, as a schema counts them.
  const chars = [...text].length
  if (chars >= signingKeyCharsMin) return secret(text)
  const fix = `send ${signingKeyCharsMin} or more, for example from "openssl rand -hex 32"`
  throw new RescindError('INVALID_REQUEST', `signing_key: has ${chars} characters; ${fix}`)
}

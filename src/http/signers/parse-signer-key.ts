// Parses the config of a signer in a body: a private key, which no error repeats.
import { type Static, Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { type Secret, secret } from '../../ops/secret.ts'

export const signerConfigSchema = Type.Object(
  {
    key: Type.Optional(
      Type.String({ writeOnly: true, description: 'a private key: 64 hex digits, with or without 0x' }),
    ),
  },
  // Other kinds of signers have other members; the kind itself is refused.
  { additionalProperties: true, description: 'an object, {"key": "0x…"}', examples: [{ key: `0x${'11'.repeat(32)}` }] },
)

/** Throws INVALID_REQUEST. */
export function parseSignerKey({ key, ...others }: Static<typeof signerConfigSchema>): Secret {
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw new RescindError('INVALID_REQUEST', `config.${other.slice(0, 20)}: is not accepted here; send only key`)
  }
  if (key !== undefined && /^(0x)?[0-9a-fA-F]{64}$/.test(key)) return secret(key)
  const fault = key === undefined ? 'is missing' : 'is no private key (not shown: it may be most of one)'
  throw new RescindError('INVALID_REQUEST', `config.key: ${fault}; send 64 hex digits, with or without 0x`)
}

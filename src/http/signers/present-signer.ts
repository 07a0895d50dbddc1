// A signer on the wire: what it signs as. Its key, and where that is, are nobody's affair.
import { type Static, Type } from 'typebox'
import type { SignerFacts } from '../../registry/entities.ts'

export const signerSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('local', {
      description: 'its key is in this service, whether it was given as text or as a file',
    }),
    address: Type.String(),
    config: Type.Object({}, { additionalProperties: false }),
  },
  { additionalProperties: false },
)

export function presentSigner({ id, address }: SignerFacts): Static<typeof signerSchema> {
  return { id, type: 'local', address, config: {} }
}

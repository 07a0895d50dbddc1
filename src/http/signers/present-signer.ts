// Presents a signer: its address, and never its key or where the key is stored.
import { type Static, Type } from 'typebox'
import type { SignerFacts } from '../../registry/entities.ts'

export const signerSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('local', {
      description: 'this service holds the key, from a text or from a file',
    }),
    address: Type.String(),
    config: Type.Object({}, { additionalProperties: false }),
  },
  { additionalProperties: false },
)

export function presentSigner({ id, address }: SignerFacts): Static<typeof signerSchema> {
  return { id, type: 'local', address, config: {} }
}

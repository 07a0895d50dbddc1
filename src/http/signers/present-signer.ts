// Presents a signer: its address and its settings, and never a secret or where a file is.
import { type Static, Type } from 'typebox'
import type { SignerFacts } from '../../registry/entities.ts'
import { address, such } from '../response/forms.ts'
import { shownConfigSchema } from './signer-config.ts'

export const signerSchema = Type.Object(
  {
    id: such('dev'),
    type: Type.String({
      description:
        '"local": this service holds the key, from a text or from a file. Otherwise the type of the service that holds it',
      examples: ['local', 'aws_kms'],
    }),
    address: Type.Optional(address('absent for "vault_transit", whose keys no relayer can use')),
    config: shownConfigSchema,
  },
  { title: 'Signer', additionalProperties: false },
)

export function presentSigner({ id, type, address, config }: SignerFacts): Static<typeof signerSchema> {
  const isHere = type === 'plain' || type === 'local'
  return { id, type: isHere ? 'local' : type, ...(address && { address }), config: isHere ? {} : config }
}

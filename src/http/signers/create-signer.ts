// Creates a signer (POST).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { createSigner as createSignerCommand } from '../../commands/signers/create-signer.ts'
import { RescindError } from '../../domain/errors.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { newId } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { parseSignerKey, signerConfigSchema } from './parse-signer-key.ts'
import { presentSigner, signerSchema } from './present-signer.ts'

const bodySchema = Type.Object(
  { id: newId, type: Type.String({ description: '"plain"' }), config: signerConfigSchema },
  {
    additionalProperties: false,
    examples: [{ id: 'payouts', type: 'plain', config: { key: `0x${'11'.repeat(32)}` } }],
  },
)

export function createSigner(management: ManagementContext) {
  return operation({
    scope: 'admin',
    audited: 'in its commit',
    schema: {
      operationId: 'createSigner',
      summary: 'Create a signer',
      description:
        'The key is encrypted before it is stored (AES-256-GCM, `STORAGE_ENCRYPTION_KEY`), and never returned. Only the configuration file can name keystore files.',
      tags: ['signers'],
      body: bodySchema,
      response: answers(signerSchema, 400, 409, 413, 415),
    },
    async answer(request) {
      const {
        body: { id, type, config },
      } = request
      if (type !== 'plain') throw refusedKind(type)
      const key = parseSignerKey(config)
      return success(
        presentSigner(
          await createSignerCommand(
            management,
            { ...(id !== undefined && { id }), key },
            requesterOf(request, 'createSigner'),
          ),
        ),
      )
    },
  })
}

function refusedKind(type: string): RescindError {
  const shown = JSON.stringify(type.slice(0, 40))
  const there = 'through the API there is "plain", and in the configuration file "plain" and "local", a keystore file'
  return new RescindError('NOT_SUPPORTED', `type: signers of type ${shown} are not supported; ${there}`)
}

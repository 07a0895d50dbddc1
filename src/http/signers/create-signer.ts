// Creates a signer (POST).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { createSigner as createSignerCommand } from '../../commands/signers/create-signer.ts'
import { defined } from '../../domain/defined.ts'
import { RescindError } from '../../domain/errors.ts'
import { requestedSignerTypes } from '../../domain/signer-table.ts'
import { signerBodyBytesMax } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { newId } from '../request/parameters.ts'
import { statedAlone } from '../request/stated.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, optionalString } from '../response/forms.ts'
import { presentSigner, signerSchema } from './read-signers.ts'
import { checkSignerKey, signerConfigSchema } from './signer-config.ts'
import { signerDiscriminator, signerVariants } from './signer-variants.ts'

const types: readonly string[] = requestedSignerTypes

const bodySchema = closed('SignerRequest', {
  ...statedAlone({
    oneOf: signerVariants,
    discriminator: signerDiscriminator,
  }),
  examples: [{ id: 'payouts', type: 'plain', config: { key: `0x${'11'.repeat(32)}` } }],
})({
  id: newId,
  type: Type.String({
    description: '"plain", or the type of a key service, as in the configuration file',
    examples: ['plain'],
  }),
  config: signerConfigSchema,
  address: optionalString({
    description: 'the address that the key must have, for a key in a service. The service compares',
  }),
})

export function createSigner(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOT_SUPPORTED', 'STORAGE_KEY_MISSING', 'ALREADY_EXISTS'],
    bodyBytesMax: signerBodyBytesMax,
    audited: 'in its commit',
    operationId: 'createSigner',
    summary: 'Create a signer',
    description:
      'Secrets are encrypted before they are stored (AES-256-GCM, `STORAGE_ENCRYPTION_KEY`), and never returned. Only the configuration file can name files. The service reads the public key, and signs a fixed text once, before it answers.',
    body: bodySchema,
    response: answers(signerSchema),
    async answer(request) {
      const { id, type, config, address } = request.body
      if (!types.includes(type)) throw refusedKind(type)
      if (type === 'plain') checkSignerKey(config)
      const wanted = { ...defined({ id }), body: { type, config, ...defined({ address }) } }
      return success(presentSigner(await createSignerCommand(management, wanted, requesterOf(request))))
    },
  })
}

function refusedKind(type: string): RescindError {
  const shown = JSON.stringify(type.slice(0, 40))
  const there = `through the API there are ${types.join(', ')}, and in the configuration file also "local", a keystore file`
  return new RescindError('NOT_SUPPORTED', `type: signers of type ${shown} are not supported; ${there}`)
}

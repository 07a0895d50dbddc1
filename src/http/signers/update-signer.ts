// Updates a signer (PATCH).
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { updateSigner as updateSignerCommand } from '../../commands/signers/update-signer.ts'
import { signerBodyBytesMax } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { signerParameters } from '../request/parameters.ts'
import { statedAlone } from '../request/stated.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { presentSigner, signerSchema } from './read-signers.ts'
import { checkSignerKey, signerConfigSchema } from './signer-config.ts'
import { signerConfigs } from './signer-variants.ts'

const wanted = 'a config of the type that the signer has'

const bodySchema = closed('SignerPatch', { examples: [{ config: { key: `0x${'22'.repeat(32)}` } }] })({
  config: Type.Unsafe<Static<typeof signerConfigSchema>>({
    ...signerConfigSchema,
    ...statedAlone({ anyOf: Object.values(signerConfigs).flat(), description: wanted }),
  }),
})

export function updateSigner(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['SIGNER_NOT_FOUND', 'STORAGE_KEY_MISSING', 'CONFIGURED_BY_FILE', 'SIGNER_IN_USE'],
    bodyBytesMax: signerBodyBytesMax,
    audited: 'in its commit',
    operationId: 'updateSigner',
    summary: "Change a signer's key or settings",
    description: "Refused while a relayer uses it, because the relayer's account would change.",
    params: signerParameters,
    body: bodySchema,
    response: answers(signerSchema),
    async answer(request) {
      const { params, body } = request
      await management.registry.refresh()
      const known = management.registry.signers().find(({ id }) => id === params.signer_id)
      if (!known || known.type === 'plain' || known.type === 'local') checkSignerKey(body.config)
      const updated = await updateSignerCommand(management, params.signer_id, body.config, requesterOf(request))
      return success(presentSigner(updated))
    },
  })
}

// Presents a signer: its address and its settings, and never a secret or where a file is.
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { runbookOf } from '../../domain/condition.ts'
import type { SignerFacts } from '../../registry/entities.ts'
import { address, such } from '../response/forms.ts'
import { runbookSchema } from '../response/runbook.ts'
import { shownConfigSchema } from './signer-config.ts'

const outageSchema = Type.Object(
  {
    condition: Type.Literal('signer_unavailable'),
    code: Type.Optional(Type.String({ description: "the key service's code", examples: ['AccessDeniedException'] })),
    runbook: runbookSchema('signer_unavailable'),
  },
  {
    title: 'SignerOutage',
    additionalProperties: false,
    description:
      'While its key service does not sign: its relayers wait. Absent otherwise, and for a key in this process',
  },
)

export const signerSchema = Type.Object(
  {
    id: such('dev'),
    type: Type.String({
      description:
        '"local": this service holds the key, from a text or from a file. Otherwise the type of the service that holds it',
      examples: ['local', 'aws_kms'],
    }),
    address: Type.Optional(
      address('absent for "vault_transit", whose keys no relayer can use, and until a signer of the file first opens'),
    ),
    outage: Type.Optional(outageSchema),
    config: shownConfigSchema,
  },
  { title: 'Signer', additionalProperties: false },
)

export function presentSigner(
  { id, type, address, config }: SignerFacts,
  outage?: Static<typeof outageSchema>,
): Static<typeof signerSchema> {
  const isHere = type === 'plain' || type === 'local'
  return {
    id,
    type: isHere ? 'local' : type,
    ...(address && { address }),
    config: isHere ? {} : config,
    ...(outage && { outage }),
  }
}

/** As of the last call to its key service by this process. */
export function outageOf(
  { registry, awaitedCode }: Pick<ManagementContext, 'registry' | 'awaitedCode'>,
  id: string,
): Static<typeof outageSchema> | undefined {
  const condition = 'signer_unavailable'
  const runbook = runbookOf(condition)
  const awaited = awaitedCode?.(id)
  if (awaited !== undefined) return { condition, code: awaited, runbook }
  const remote = registry.signer(id)?.remote
  if (!remote || remote.isAvailable()) return undefined
  const outage = remote.outage()
  return { condition, ...(outage && { code: outage.code }), runbook }
}

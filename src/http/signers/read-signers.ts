// Reads signers: one, and the list (GET). Presents a signer by its account and the settings that may be shown.
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { runbookOf } from '../../domain/condition.ts'
import type { SignerFacts } from '../../registry/entities.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { signerParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { address, closed, optionalString, such } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { runbookSchema } from '../response/present-values.ts'
import { shownConfigSchema } from './signer-config.ts'

// Presents a signer: its address and its settings, and never a secret or where a file is.
const outageSchema = closed('SignerOutage', {
  description:
    'While its key service does not sign: its relayers wait. Absent otherwise, and for a key in this process',
})({
  condition: Type.Literal('signer_unavailable'),
  code: optionalString({ description: "the key service's code", examples: ['AccessDeniedException'] }),
  runbook: runbookSchema('signer_unavailable'),
})

export const signerSchema = closed('Signer')({
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
})

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

/** The outage of a signer, as of the last call to its key service by this process. */
function outageOf(
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

export function getSigner(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    refusals: ['SIGNER_NOT_FOUND'],
    operationId: 'getSigner',
    summary: 'Get a signer',
    params: signerParameters,
    response: answers(signerSchema),
    async answer({ params, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.signerId)
      const signer = registry.signers().find(({ id }) => id === params.signer_id && seen(id))
      const facts = found(signer, 'SIGNER_NOT_FOUND', `Signer with ID ${params.signer_id} not found`)
      return success(presentSigner(facts, outageOf(management, facts.id)))
    },
  })
}

export function listSigners(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    operationId: 'listSigners',
    summary: 'List signers',
    querystring: pageQuery,
    response: answers(Type.Array(signerSchema)),
    async answer({ query, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.signerId)
      const [page, all] = [pageOf(query), registry.signers().filter(({ id }) => seen(id))]
      const shown = sliceOf(page, all).map((signer) => presentSigner(signer, outageOf(management, signer.id)))
      return success(shown, [], paginationOf(page, all.length))
    },
  })
}

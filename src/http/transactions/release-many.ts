// Releases many transactions on hold, by their ids (POST).
import { type Static, Type } from 'typebox'
import type { CommandContext } from '../../commands/context.ts'
import { type ReleaseResult, releaseTransactions } from '../../commands/transactions/release.ts'
import type { TransactionId } from '../../domain/ids.ts'
import { releasesMax } from '../limits.ts'
import { type Auditor, requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, some, such } from '../response/forms.ts'
import { digestIn, releaseDigest } from './release.ts'

const bodySchema = closed('ReleasesRequest', { examples: [{ transactions: [{ id: some.transactionId }] }] })({
  transactions: Type.Array(
    closed('ReleaseOf', { description: 'an object with an id, {"id": "…"}, and under four eyes a payload_digest' })({
      id: Type.Unsafe<TransactionId>(Type.String({ maxLength: 64, description: 'the id of a transaction' })),
      payload_digest: Type.Optional(releaseDigest),
    }),
    { minItems: 1, maxItems: releasesMax, description: `a list of 1 to ${releasesMax} objects with ids` },
  ),
})

const resultSchema = closed('ReleaseResult')({
  transaction_id: such(some.transactionId),
  result: Type.Enum(['released', 'not_on_hold', 'refused'], {
    description: 'not_on_hold: nothing changed; refused: code and message say why',
  }),
  code: Type.Optional(such('TRANSACTION_NOT_FOUND', 'An error code, as in the header Relayer-Error-Code')),
  message: Type.Optional(Type.String()),
})

type ResultBody = Static<typeof resultSchema>

export function releaseMany(commands: CommandContext, auditor: Auditor) {
  return operation({
    scope: 'release',
    refusals: ['RELAYER_NOT_FOUND', 'RELAYER_PAUSED'],
    audited: 'in its commit',
    operationId: 'releaseTransactions',
    summary: `Release up to ${releasesMax} transactions on hold`,
    description:
      'One commit releases all of them that are on hold. Returns a result for each id, in the order of the request: one that is refused stops no other. Under four eyes each needs its own `payload_digest`.',
    params: relayerParameters,
    body: bodySchema,
    response: answers(Type.Array(resultSchema)),
    async answer(request) {
      const wanted = request.body.transactions.map((each) => ({ id: each.id, ...digestIn(each) }))
      const results = await releaseTransactions(commands, request.params.relayer_id, wanted, requesterOf(request))
      const released = results.filter((each) => 'isChanged' in each && each.isChanged).length
      if (released === 0) auditor.unchanged(request)
      const count = results.length
      return success(results.map(present), [`${released} of ${count} are released.`], {
        current_page: 1,
        per_page: count,
        total_items: count,
      })
    },
  })
}

function present(result: ReleaseResult): ResultBody {
  const { id: transaction_id } = result
  if ('refusal' in result) {
    const { code, message } = result.refusal
    return { transaction_id, result: 'refused', code, message }
  }
  return { transaction_id, result: result.isChanged ? 'released' : 'not_on_hold' }
}

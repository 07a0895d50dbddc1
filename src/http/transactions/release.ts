// Releases a transaction on hold (POST).
import { Type } from 'typebox'
import type { CommandContext } from '../../commands/context.ts'
import { releaseTransaction } from '../../commands/transactions/release.ts'
import { type Hash, lowerHex } from '../../domain/ids.ts'
import { releaseRefusalCodes } from '../../domain/refusals.ts'
import { type Auditor, requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { bodyOptional } from '../request/stated.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, some } from '../response/forms.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

export const releaseDigest = Type.Unsafe<Hash>(
  Type.String({
    pattern: '^0x[0-9a-fA-F]{64}$',
    description: 'the payload_digest of the hold, which four eyes demand: 0x and 64 hex digits',
    examples: [some.hash],
  }),
)

export function digestIn({ payload_digest: digest }: { payload_digest?: Hash }): { readonly digest?: Hash } {
  return digest === undefined ? {} : { digest: lowerHex(digest) }
}

const bodySchema = closed('ReleaseRequest', { examples: [{ payload_digest: some.hash }], ...bodyOptional() })({
  payload_digest: Type.Optional(releaseDigest),
})

export function release(commands: CommandContext, auditor: Auditor) {
  return operation({
    scope: 'release',
    refusals: ['TRANSACTION_NOT_FOUND', 'RELAYER_PAUSED', ...releaseRefusalCodes],
    audited: 'in its commit',
    operationId: 'releaseTransaction',
    summary: 'Release a transaction on hold',
    description:
      'Answers once the release is durable: the transaction is in the queue again, at its old place. A release of a transaction that is not on hold changes nothing, and `metadata.logs` says so. Under four eyes another key than those that set the payload releases it, and sends the `payload_digest` that its hold shows. The body may be left out without it.',
    params: transactionParameters,
    body: bodySchema,
    response: answers(transactionSchema),
    async answer(request) {
      const { relayer_id: relayerId, transaction_id: id } = request.params
      const wanted = { id, ...digestIn(request.body) }
      const { transaction, isChanged } = await releaseTransaction(commands, relayerId, wanted, requesterOf(request))
      if (!isChanged) auditor.unchanged(request)
      const log = isChanged ? 'Released: it is in the queue again.' : 'It was not on hold: nothing changed.'
      return success(presentTransaction(transaction), [log])
    },
  })
}

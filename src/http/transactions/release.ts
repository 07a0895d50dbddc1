// Releases a transaction on hold (POST).
import type { CommandContext } from '../../commands/context.ts'
import { releaseTransaction } from '../../commands/transactions/release.ts'
import { releaseRefusalCodes } from '../../domain/refusals.ts'
import { type Auditor, requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

export function release(commands: CommandContext, auditor: Auditor) {
  return operation({
    scope: 'release',
    refusals: ['TRANSACTION_NOT_FOUND', 'RELAYER_PAUSED', ...releaseRefusalCodes],
    audited: 'in its commit',
    schema: {
      operationId: 'releaseTransaction',
      summary: 'Release a transaction on hold',
      description:
        'Answers once the release is durable: the transaction is in the queue again, at its old place. A release of a transaction that is not on hold changes nothing, and `metadata.logs` says so. A body is ignored.',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(transactionSchema),
    },
    async answer(request) {
      const { relayer_id: relayerId, transaction_id: id } = request.params
      const requester = requesterOf(request, 'releaseTransaction')
      const { transaction, isChanged } = await releaseTransaction(commands, relayerId, id, requester)
      if (!isChanged) auditor.unchanged(request)
      const log = isChanged ? 'Released: it is in the queue again.' : 'It was not on hold: nothing changed.'
      return success(presentTransaction(transaction), [log])
    },
  })
}

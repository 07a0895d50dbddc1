// Cancels every pending transaction of a relayer (DELETE).
import { Type } from 'typebox'
import type { CommandContext } from '../../commands/context.ts'
import { cancelPending as cancelPendingCommand } from '../../commands/transactions/cancel-pending.ts'
import { type PoolContext, poolOf } from '../../commands/transactions/pool-of.ts'
import { type Auditor, requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, some, such } from '../response/forms.ts'
import { withLongList } from '../response/sliced-list.ts'
import { explainBulk } from './explain-cancellation.ts'

const listed = 'queued_for_cancellation_transaction_ids'

const resultSchema = closed('BulkCancellation', {
  examples: [
    {
      queued_for_cancellation_transaction_ids: [some.transactionId],
      failed_to_queue_transaction_ids: [],
      total_processed: 1,
    },
  ],
})({
  queued_for_cancellation_transaction_ids: Type.Array(such(some.transactionId)),
  failed_to_queue_transaction_ids: Type.Array(such(some.transactionId)),
  total_processed: Type.Integer({ minimum: 0 }),
})

export function cancelPending(commands: CommandContext, auditor: Auditor, { policyOf }: Pick<PoolContext, 'policyOf'>) {
  return operation({
    scope: 'cancel',
    refusals: ['RELAYER_NOT_FOUND'],
    answerHeaders: ['Relayer-Bulk-Cancellation'],
    audited: 'in its commit',
    operationId: 'cancelPendingTransactions',
    summary: 'Cancel all pending transactions of a relayer',
    description:
      'Covers everything `pending`, `sent` or `submitted` at one instant, lowest nonce first. A body is ignored.',
    params: relayerParameters,
    response: answers(resultSchema),
    async answer(request, reply) {
      const result = await cancelPendingCommand(commands, request.params.relayer_id, requesterOf(request))
      if (result.bulkId !== undefined) reply.header('relayer-bulk-cancellation', result.bulkId)
      const total = result.canceled.length + result.failed.length
      if (total === 0 && !result.rebounded) auditor.unchanged(request)
      const pool = await poolOf({ policyOf, reads: commands.store.reads }, request.params.relayer_id)
      const listing = (ids: readonly string[]) => ({
        [listed]: ids,
        failed_to_queue_transaction_ids: result.failed.map(({ id }) => id),
        total_processed: total,
      })
      const page = { current_page: 1, per_page: total, total_items: total }
      const logs = explainBulk(result, pool)
      const long = await withLongList(success(listing([]), logs, page), listed, result.canceled)
      if (!long) return success(listing(result.canceled), logs, page)
      return reply.type('application/json; charset=utf-8').header('content-length', long.bytes).send(long.content)
    },
  })
}

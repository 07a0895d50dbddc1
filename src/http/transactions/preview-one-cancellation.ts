// Previews the effect and the cost of canceling one transaction (GET).
import {
  type PreviewContext,
  previewOneCancellation as previewCommand,
} from '../../commands/transactions/preview-cancellation.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { inWords, presentPreview, previewSchema } from './preview-cancellation.ts'

export function previewOneCancellation(context: PreviewContext) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    schema: {
      operationId: 'previewCancellation',
      summary: 'Preview the effect and cost of canceling one transaction',
      description: 'As the preview of canceling everything pending, for one transaction. Changes nothing.',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(previewSchema),
    },
    async answer({ params }) {
      const previewed = await previewCommand(context, params.relayer_id, params.transaction_id)
      return success(presentPreview(previewed), inWords(previewed))
    },
  })
}

// Reads the hold of a transaction (GET).
import { RescindError } from '../../domain/errors.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { holdSchema, presentHold } from './present-hold.ts'

export function getHold(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND', 'HOLD_NOT_FOUND'],
    schema: {
      operationId: 'getHold',
      summary: 'Get the hold of a transaction',
      description:
        'With the payload and its digest, which a release under four eyes has to send. Of a transaction under four eyes it answers after the release as well, with the releaser.',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(holdSchema),
    },
    async answer({ params }) {
      const read = await reads.transaction(params.relayer_id, params.transaction_id)
      const hold = presentHold(found(read, 'TRANSACTION_NOT_FOUND', 'Not found'))
      if (hold) return success(hold)
      throw new RescindError('HOLD_NOT_FOUND', 'this transaction is not on hold')
    },
  })
}

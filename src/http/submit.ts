// POST of a transaction.
import type { CommandContext } from '../commands/context.ts'
import { submitTransaction } from '../commands/submit.ts'
import type { RelayerId } from '../domain/ids.ts'
import { answers, success } from './envelope.ts'
import { operation } from './operation.ts'
import { relayerParameters } from './parameters.ts'
import { parseSend, sendSchema } from './parse-send.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

export function submit(commands: CommandContext) {
  return operation({
    scope: 'send',
    schema: {
      operationId: 'sendTransaction',
      summary: 'Send a transaction',
      description: 'Answers once the transaction is durable; it gets its nonce later, in the order of the relayer.',
      tags: ['transactions'],
      params: relayerParameters,
      body: sendSchema,
      response: answers(transactionSchema, 400, 404, 413, 415),
    },
    async answer(request) {
      const asked = parseSend(request.body)
      const stored = await submitTransaction(commands, request.params.relayer_id as RelayerId, asked)
      return success(presentTransaction(stored))
    },
  })
}

// Replaces one transaction (PUT).
import type { CommandContext } from '../../commands/context.ts'
import { replaceTransaction } from '../../commands/transactions/replace.ts'
import { replaceRefusalCodes } from '../../domain/refusals.ts'
import { requesterOf } from '../request/audit.ts'
import { permits } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { explainIgnored } from './ignored-members.ts'
import { parseSend, replaceSchema, type SendHandling } from './parse-send.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'
import { sendRefusals } from './submit.ts'

export function replace(commands: CommandContext, { isStrict, logIgnored }: SendHandling) {
  return operation({
    scope: 'send',
    refusals: ['TRANSACTION_NOT_FOUND', ...replaceRefusalCodes, ...sendRefusals],
    audited: 'in its commit',
    operationId: 'replaceTransaction',
    summary: 'Replace a transaction',
    description:
      'Responds once the new payload is durable. If a node may have the old one, the two race for the nonce: the status and the payload shown are those of the mined one. A key without the scope `cancel` replaces only transactions that it sent.',
    params: transactionParameters,
    body: replaceSchema,
    response: answers(transactionSchema),
    async answer(request) {
      const payload = parseSend(request.body, isStrict)
      logIgnored(request.keyId, [request.body])
      const { relayer_id: relayerId, transaction_id: id } = request.params
      const mayCancel = request.principal !== undefined && permits(request.principal, 'cancel', relayerId)
      const replacer = { requester: requesterOf(request), mayCancel }
      const replaced = await replaceTransaction(commands, relayerId, id, payload, replacer)
      return success(presentTransaction(replaced), explainIgnored([request.body]))
    },
  })
}

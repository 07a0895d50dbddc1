// Submits many transactions, all or none (POST).

import { Type } from 'typebox'
import type { CommandContext } from '../../commands/context.ts'
import { submitBatch as submitAll } from '../../commands/transactions/submit-batch.ts'
import { checkEach } from '../../domain/check-each.ts'
import type { SendRequest } from '../../domain/submit.ts'
import { nextTurn } from '../../ops/clock.ts'
import { batchBodyBytesMax, batchItemsMax, itemsInATurn } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters, sendHeaders } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { explainIgnored } from './ignored-members.ts'
import { parseSend, type SendBody, type SendHandling, sendSchema } from './parse-send.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'
import { claimOf, submitRefusals } from './submit.ts'

const bodySchema = closed('BatchRequest', {
  examples: [
    {
      transactions: [
        { to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', value: '1', speed: 'fast' },
        { to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', value: '2', gas_limit: 21_000 },
      ],
    },
  ],
})({
  transactions: Type.Array(sendSchema, {
    minItems: 1,
    maxItems: batchItemsMax,
    description: `a list of 1 to ${batchItemsMax} transactions, each as in a single send`,
  }),
})

export function submitBatch(commands: CommandContext, { isStrict, logIgnored }: SendHandling) {
  return operation({
    scope: 'send',
    answerHeaders: ['Idempotency-Replayed'],
    refusals: submitRefusals,
    bodyBytesMax: batchBodyBytesMax,
    audited: 'in its commit',
    operationId: 'sendTransactions',
    summary: `Send up to ${batchItemsMax} transactions`,
    description:
      'One commit stores all transactions in their order, or none: a refusal names every invalid item. Returns the transactions in the order of the request. One `Idempotency-Key` covers them all.',
    params: relayerParameters,
    headers: sendHeaders,
    body: bodySchema,
    response: answers(Type.Array(transactionSchema)),
    async answer(request, reply) {
      const { transactions: bodies } = request.body
      const parsed = await parseInTurns(bodies, isStrict)
      const payloads = checkEach('transactions', parsed, (each) => each())
      logIgnored(request.keyId, bodies)
      const relayerId = request.params.relayer_id
      const { transactions, replayed } = await submitAll(
        commands,
        relayerId,
        payloads,
        claimOf(request, relayerId, payloads),
        requesterOf(request),
      )
      if (replayed) reply.header('idempotency-replayed', 'true')
      const count = transactions.length
      const log = replayed
        ? 'Nothing new was stored: these were sent before.'
        : `All ${count} are stored, in this order.`
      return success(transactions.map(presentTransaction), [log, ...explainIgnored(bodies)], {
        current_page: 1,
        per_page: count,
        total_items: count,
      })
    },
  })
}

/** Other requests have their turn in between. Each result returns a request, or throws its refusal. */
async function parseInTurns(bodies: readonly SendBody[], isStrict: boolean): Promise<(() => SendRequest)[]> {
  const parsed: (() => SendRequest)[] = []
  for (const [index, body] of bodies.entries()) {
    if (index > 0 && index % itemsInATurn === 0) await nextTurn()
    parsed.push(parsedOnce(body, isStrict))
  }
  return parsed
}

function parsedOnce(body: SendBody, isStrict: boolean): () => SendRequest {
  try {
    const request = parseSend(body, isStrict)
    return () => request
  } catch (refusal) {
    return () => {
      throw refusal
    }
  }
}

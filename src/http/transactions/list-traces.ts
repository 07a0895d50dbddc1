// Lists a relayer's transactions as traces, newest first: each with its wait and its verdict, and without its attempts (GET).
import { type Static, Type } from 'typebox'
import type { Labels } from '../../domain/labels.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers } from '../response/envelope.ts'
import { foundHistory } from '../response/found.ts'
import { labelsSchema, presentLabels } from '../response/present-labels.ts'
import { sendList } from '../response/sliced-list.ts'
import { idsOf } from './labels.ts'
import { listHeaders, listQuerySchema, readList } from './list-filter.ts'
import { cancellationSchema, presentCancellation } from './present-cancellation.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'
import { presentWait, waitSchema } from './present-wait.ts'

const listedTraceSchema = Type.Object(
  {
    transaction: transactionSchema,
    wait: Type.Optional(waitSchema),
    cancellation: Type.Optional(cancellationSchema),
    labels: Type.Optional(labelsSchema),
  },
  { title: 'ListedTrace', additionalProperties: false },
)

export function listTraces(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    answerHeaders: listHeaders,
    schema: {
      operationId: 'listTraces',
      summary: 'List transactions with their waits and their verdicts, newest first',
      description:
        'By the query of `listTransactions`. The trace of one transaction has its attempts and its block, too.',
      tags: ['transactions'],
      params: relayerParameters,
      querystring: listQuerySchema,
      response: answers(Type.Array(listedTraceSchema)),
    },
    async answer({ params, query }, reply) {
      const id = await foundHistory(reads, params.relayer_id)
      const { items, pagination, logs } = await readList(reads, id, query, reply)
      const labels = await reads.labels(idsOf(items))
      const present = (each: Transaction) => presentListedTrace(each, labels.get(each.id))
      return sendList(reply, items, present, pagination, logs)
    },
  })
}

function presentListedTrace(transaction: Transaction, labels: Labels | undefined): Static<typeof listedTraceSchema> {
  const { wait, cancellation } = transaction
  return {
    transaction: presentTransaction(transaction),
    ...(wait && { wait: presentWait(wait) }),
    ...(cancellation && { cancellation: presentCancellation(transaction, cancellation) }),
    ...(labels && { labels: presentLabels(labels) }),
  }
}

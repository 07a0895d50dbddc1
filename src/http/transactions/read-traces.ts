// Reads the trace of one transaction, and those of several (GET): what happened to it, step by step.

import { type Static, Type } from 'typebox'
import { defined } from '../../domain/defined.ts'
import type { Labels } from '../../domain/labels.ts'
import { feesPaid, type Inclusion, isTerminal, spenderKind, type Transaction } from '../../domain/transaction.ts'
import { mayWaitBehind, waitingBehind } from '../../domain/wait.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters, transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, hash, optionalString, wei } from '../response/forms.ts'
import { found, foundHistory } from '../response/found.ts'
import { labelsSchema, presentLabels } from '../response/present-values.ts'
import { sendList } from '../response/sliced-list.ts'
import { idsOf } from './labels.ts'
import { listHeaders, listQuerySchema, readList } from './list-filter.ts'
import { attemptSchema, presentAttempt } from './present-attempt.ts'
import { cancellationSchema, presentCancellation } from './present-cancellation.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'
import { presentWait, waitSchema } from './present-wait.ts'

const inclusionSchema = closed('Inclusion')({
  spender: Type.Enum(['payload', 'no_op', 'foreign'], {
    description: 'The kind of transaction that spent the nonce',
  }),
  hash: hash(),
  block_number: Type.Integer(),
  succeeded: Type.Optional(Type.Boolean({ description: 'Absent where no node reports it' })),
  revert_reason: Type.Optional(Type.String()),
  gas_used: Type.Optional(Type.Integer()),
  effective_gas_price: Type.Optional(wei('Wei: for each unit of gas')),
  fees: Type.Optional(wei('Wei: all fees; absent where no node reports all of them')),
})

export const traceSchema = closed('Trace')({
  transaction: transactionSchema,
  origin: Type.Enum(['client', 'gap', 'sweep'], {
    description: 'gap: a no-op of the service for a nonce that nobody uses; sweep: it empties the account',
  }),
  final: Type.Boolean({ description: 'It will not change again' }),
  created_by: optionalString({ description: 'The id of the API key that sent it' }),
  wait: Type.Optional(waitSchema),
  cancellation: Type.Optional(cancellationSchema),
  inclusion: Type.Optional(inclusionSchema),
  labels: Type.Optional(labelsSchema),
  attempts: Type.Array(
    closed('TracedAttempt')({
      ...attemptSchema.properties,
      recorded_at_block: Type.Integer({ minimum: 0, description: 'The head when it was signed' }),
    }),
    { description: 'Of its current nonce, oldest first' },
  ),
})

type TraceBody = Static<typeof traceSchema>

export function presentTrace(transaction: Transaction, labels?: Labels): TraceBody {
  const { lifecycle, wait, cancellation, createdBy } = transaction
  const attempts = 'attempts' in lifecycle ? lifecycle.attempts : []
  return {
    transaction: presentTransaction(transaction),
    origin: transaction.origin,
    final: isTerminal(transaction),
    ...(createdBy !== undefined && { created_by: createdBy }),
    ...(wait && { wait: presentWait(wait, cancellation !== undefined) }),
    ...(cancellation && { cancellation: presentCancellation(transaction, cancellation) }),
    ...('inclusion' in lifecycle && { inclusion: presentInclusion(lifecycle.inclusion) }),
    ...(labels && { labels: presentLabels(labels) }),
    attempts: attempts.map((attempt) => ({ ...presentAttempt(attempt), recorded_at_block: attempt.recordedAtBlock })),
  }
}

const spenders = { payload: 'payload', noOp: 'no_op', foreign: 'foreign' } as const

function presentInclusion(inclusion: Inclusion): Static<typeof inclusionSchema> {
  const place = { hash: inclusion.hash, block_number: inclusion.block.number }
  if (inclusion.by === 'external') return { spender: 'foreign', ...place }
  const { succeeded, revertReason, gasUsed, effectiveGasPrice } = inclusion
  const fees = feesPaid(inclusion)
  return {
    spender: spenders[spenderKind(inclusion)],
    ...place,
    ...defined({ succeeded, revert_reason: revertReason, gas_used: gasUsed }),
    ...(effectiveGasPrice !== undefined && { effective_gas_price: effectiveGasPrice.toString() }),
    ...(fees !== undefined && { fees: fees.toString() }),
  }
}

export function getTrace(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    operationId: 'getTransactionTrace',
    summary: 'Get a transaction with its attempts, its block and its verdict',
    params: transactionParameters,
    response: answers(traceSchema),
    async answer({ params }) {
      const { relayer_id: relayerId, transaction_id: id } = params
      const transaction = found(await reads.transaction(relayerId, id), 'TRANSACTION_NOT_FOUND', 'Not found')
      const head = mayWaitBehind(transaction) ? await reads.queueHead(relayerId) : undefined
      const labels = (await reads.labels([id])).get(id)
      return success(presentTrace(waitingBehind(transaction, head), labels))
    },
  })
}

const listedTraceSchema = closed('ListedTrace')({
  transaction: transactionSchema,
  wait: Type.Optional(waitSchema),
  cancellation: Type.Optional(cancellationSchema),
  labels: Type.Optional(labelsSchema),
})

export function listTraces(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    answerHeaders: listHeaders,
    operationId: 'listTraces',
    summary: 'List transactions with their waits and their verdicts, newest first',
    description:
      'By the query of `listTransactions`. The trace of one transaction has its attempts and its block, too.',
    params: relayerParameters,
    querystring: listQuerySchema,
    response: answers(Type.Array(listedTraceSchema)),
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
    ...(wait && { wait: presentWait(wait, cancellation !== undefined) }),
    ...(cancellation && { cancellation: presentCancellation(transaction, cancellation) }),
    ...(labels && { labels: presentLabels(labels) }),
  }
}

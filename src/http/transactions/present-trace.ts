// Presents a transaction with its wait, its attempts, its block and its verdict.
import { type Static, Type } from 'typebox'
import type { Labels } from '../../domain/labels.ts'
import { feesPaid, type Inclusion, isTerminal, spenderKind, type Transaction } from '../../domain/transaction.ts'
import { hash, wei } from '../response/forms.ts'
import { labelsSchema, presentLabels } from '../response/present-labels.ts'
import { attemptSchema, presentAttempt } from './present-attempt.ts'
import { cancellationSchema, presentCancellation } from './present-cancellation.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'
import { presentWait, waitSchema } from './present-wait.ts'

const inclusionSchema = Type.Object(
  {
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
  },
  { title: 'Inclusion', additionalProperties: false },
)

export const traceSchema = Type.Object(
  {
    transaction: transactionSchema,
    origin: Type.Enum(['client', 'gap', 'sweep'], {
      description: 'gap: a no-op of the service for a nonce that nobody uses; sweep: it empties the account',
    }),
    final: Type.Boolean({ description: 'It will not change again' }),
    created_by: Type.Optional(Type.String({ description: 'The id of the API key that sent it' })),
    wait: Type.Optional(waitSchema),
    cancellation: Type.Optional(cancellationSchema),
    inclusion: Type.Optional(inclusionSchema),
    labels: Type.Optional(labelsSchema),
    attempts: Type.Array(
      Type.Object(
        {
          ...attemptSchema.properties,
          recorded_at_block: Type.Integer({ minimum: 0, description: 'The head when it was signed' }),
        },
        { title: 'TracedAttempt', additionalProperties: false },
      ),
      { description: 'Of its current nonce, oldest first' },
    ),
  },
  { title: 'Trace', additionalProperties: false },
)

export type TraceBody = Static<typeof traceSchema>

export function presentTrace(transaction: Transaction, labels?: Labels): TraceBody {
  const { lifecycle, wait, cancellation, createdBy } = transaction
  const attempts = 'attempts' in lifecycle ? lifecycle.attempts : []
  return {
    transaction: presentTransaction(transaction),
    origin: transaction.origin,
    final: isTerminal(transaction),
    ...(createdBy !== undefined && { created_by: createdBy }),
    ...(wait && { wait: presentWait(wait) }),
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
    ...(succeeded !== undefined && { succeeded }),
    ...(revertReason !== undefined && { revert_reason: revertReason }),
    ...(gasUsed !== undefined && { gas_used: gasUsed }),
    ...(effectiveGasPrice !== undefined && { effective_gas_price: effectiveGasPrice.toString() }),
    ...(fees !== undefined && { fees: fees.toString() }),
  }
}

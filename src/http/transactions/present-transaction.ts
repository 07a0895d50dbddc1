// Presents a transaction. A member is absent until it has a value, and never null.
import { type Static, Type } from 'typebox'
import type { Attempt } from '../../domain/attempt.ts'
import { type Fees, type Pricing, speeds } from '../../domain/fees.ts'
import {
  confirmedAtOf,
  executedPayload,
  shownAttempt,
  statuses,
  statusOf,
  type Transaction,
} from '../../domain/transaction.ts'
import { statusReasonOf } from '../../domain/wait.ts'
import { address, closed, hash, optionalInteger, some, such, time, wei } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'
import { accessListSchema, presentAccessList } from './access-list.ts'

export const speedSchema = closed('Speed')({ name: Type.Enum([...speeds]) })

export const signatureSchema = Type.Object(
  {
    r: such(`0x${'1f'.repeat(32)}`),
    s: such(`0x${'2e'.repeat(32)}`),
    v: Type.Integer({ examples: [27] }),
    sig: such(`0x${'1f'.repeat(32)}${'2e'.repeat(32)}1b`, 'r, s and 27 or 28, in 65 bytes'),
  },
  { title: 'Signature' },
)

export const transactionExample = {
  id: some.transactionId,
  relayer_id: 'local',
  status: 'submitted',
  created_at: some.time,
  sent_at: some.time,
  hash: some.hash,
  from: some.relayerAddress,
  to: some.address,
  value: '1000000000000000000',
  data: '0x',
  nonce: 7,
  gas_limit: 21_000,
  max_fee_per_gas: '2000000000',
  max_priority_fee_per_gas: '1000000000',
  speed: { name: 'fast' },
}

export const transactionSchema = closed('Transaction', { examples: [transactionExample] })({
  id: such(some.transactionId),
  relayer_id: such('local'),
  status: Type.Enum([...statuses]),
  status_reason: Type.Optional(Type.String()),
  created_at: time(),
  sent_at: Type.Optional(time()),
  confirmed_at: Type.Optional(time()),
  hash: Type.Optional(hash('The hash of the mined attempt with the payload, else of its newest attempt')),
  from: address(),
  to: Type.Optional(address('Absent for a contract creation')),
  value: wei(),
  data: such('0x'),
  nonce: optionalInteger({ minimum: 0 }),
  gas_limit: optionalInteger({ minimum: 0 }),
  gas_price: Type.Optional(wei()),
  max_fee_per_gas: Type.Optional(wei()),
  max_priority_fee_per_gas: Type.Optional(wei()),
  signature: Type.Optional(signatureSchema),
  speed: Type.Optional(speedSchema),
  access_list: Type.Optional(accessListSchema),
  allow_out_of_gas: Type.Optional(
    Type.Literal(true, { description: 'gas_limit stands, although it may not pay for a new account' }),
  ),
})

type TransactionBody = Static<typeof transactionSchema>

export function presentTransaction(transaction: Transaction): TransactionBody {
  const { lifecycle } = transaction
  const payload = executedPayload(transaction)
  const attempt = shownAttempt(transaction)
  const gasLimit = payload.gasLimit ?? attempt?.gasLimit
  const { pricing } = payload
  const reason = statusReasonOf(transaction)
  const confirmedAt = confirmedAtOf(transaction)
  return {
    id: transaction.id,
    relayer_id: transaction.relayerId,
    status: statusOf(transaction),
    ...(reason !== undefined && { status_reason: reason }),
    created_at: presentTime(transaction.createdAt),
    ...(transaction.sentAt !== undefined && { sent_at: presentTime(transaction.sentAt) }),
    ...(confirmedAt !== undefined && { confirmed_at: presentTime(confirmedAt) }),
    ...(attempt && { hash: attempt.hash }),
    from: payload.from,
    ...(payload.to !== undefined && { to: payload.to }),
    value: payload.value.toString(),
    data: payload.data,
    ...('nonce' in lifecycle && { nonce: lifecycle.nonce }),
    ...(gasLimit !== undefined && { gas_limit: gasLimit }),
    ...(attempt ? presentFees(attempt.fees) : requestedFees(pricing)),
    ...(attempt && { signature: presentSignature(attempt) }),
    ...(pricing.kind === 'speed' && { speed: { name: pricing.speed } }),
    ...(payload.accessList && { access_list: presentAccessList(payload.accessList) }),
    ...(payload.allowOutOfGas && { allow_out_of_gas: true as const }),
  }
}

/** Wei per gas, as decimal strings, under the names of the transaction's type. */
export function presentFees(fees: Fees) {
  if (fees.kind === 'legacy') return { gas_price: fees.gasPrice.toString() }
  return {
    max_fee_per_gas: fees.maxFeePerGas.toString(),
    max_priority_fee_per_gas: fees.maxPriorityFeePerGas.toString(),
  }
}

function requestedFees(pricing: Pricing) {
  return pricing.kind === 'speed' ? {} : presentFees(pricing)
}

/** `sig` is r, s and v in 65 bytes; v is 27 or 28 for every type of transaction. */
export function presentSignature({ signature: { r, s, v } }: Pick<Attempt, 'signature'>) {
  const parity = v < 27 ? v : v < 35 ? v - 27 : (v - 35) % 2
  return {
    r,
    s,
    v,
    sig: `0x${r.slice(2).padStart(64, '0')}${s.slice(2).padStart(64, '0')}${parity === 0 ? '1b' : '1c'}`,
  }
}

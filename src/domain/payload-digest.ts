// The digest of a payload, by which the second key of four eyes approves exactly that payload. Clients compute it too
// (docs/security.md), so its form must not change.
import { hash } from 'node:crypto'
import type { Pricing, Speed } from './fees.ts'
import type { Address, Hash, Hex, RelayerId, TransactionId } from './ids.ts'
import type { Transaction } from './transaction.ts'

/** The approved payload, under the names and in the forms of the API. An absent member is left out. */
interface ApprovedPayload {
  readonly access_list?: readonly { readonly address: Address; readonly storage_keys: readonly Hex[] }[]
  readonly allow_out_of_gas?: true
  readonly data: Hex
  readonly from: Address
  readonly gas_limit?: number
  readonly gas_price?: string
  readonly max_fee_per_gas?: string
  readonly max_priority_fee_per_gas?: string
  readonly relayer_id: RelayerId
  readonly speed?: Speed
  readonly to?: Address
  /** The id, so that the approval of one of two equal payouts does not approve the other. */
  readonly transaction_id: TransactionId
  readonly valid_until?: string
  readonly value: string
}

type Payable = Pick<Transaction, 'id' | 'relayerId' | 'payload' | 'validUntil'>

/** The payload for the digest, its members in the order of names. */
export function approvedPayload({ id, relayerId, payload, validUntil }: Payable): ApprovedPayload {
  const { accessList, allowOutOfGas, data, from, gasLimit, pricing, to, value } = payload
  return {
    ...(accessList && {
      access_list: accessList.map(({ address, storageKeys }) => ({ address, storage_keys: storageKeys })),
    }),
    ...(allowOutOfGas && { allow_out_of_gas: true as const }),
    data,
    from,
    ...(gasLimit !== undefined && { gas_limit: gasLimit }),
    ...pricesOf(pricing),
    relayer_id: relayerId,
    ...(pricing.kind === 'speed' && { speed: pricing.speed }),
    ...(to !== undefined && { to }),
    transaction_id: id,
    ...(validUntil !== undefined && { valid_until: new Date(validUntil).toISOString() }),
    value: String(value),
  }
}

function pricesOf(
  pricing: Pricing,
): Pick<ApprovedPayload, 'gas_price' | 'max_fee_per_gas' | 'max_priority_fee_per_gas'> {
  switch (pricing.kind) {
    case 'speed':
      return {}
    case 'legacy':
      return { gas_price: String(pricing.gasPrice) }
    case 'eip1559':
      return {
        max_fee_per_gas: String(pricing.maxFeePerGas),
        max_priority_fee_per_gas: String(pricing.maxPriorityFeePerGas),
      }
  }
}

/** SHA-256 of the members as JSON, sorted by name and without white space (RFC 8785). */
export function payloadDigest(transaction: Payable): Hash {
  return `0x${hash('sha256', JSON.stringify(approvedPayload(transaction)))}`
}

// Converts payloads to columns and back.

import type { Pricing } from '../../../domain/fees.ts'
import { mapNonEmpty, type NonEmpty } from '../../../domain/ids.ts'
import type { Payload, Transaction } from '../../../domain/transaction.ts'
import type { PayloadColumns, TransactionTable } from '../../schema.ts'
import { fromJson, toJson } from '../../values.ts'

export function payloadToRow(payload: Payload): PayloadColumns {
  const { from, to, value, data, gasLimit, pricing, accessList, allowOutOfGas } = payload
  return {
    from_address: from,
    to_address: to ?? null,
    value: String(value),
    data,
    gas_limit: gasLimit ?? null,
    pricing: pricing.kind,
    speed: pricing.kind === 'speed' ? pricing.speed : null,
    gas_price: pricing.kind === 'legacy' ? String(pricing.gasPrice) : null,
    max_fee_per_gas: pricing.kind === 'eip1559' ? String(pricing.maxFeePerGas) : null,
    max_priority_fee_per_gas: pricing.kind === 'eip1559' ? String(pricing.maxPriorityFeePerGas) : null,
    access_list: accessList ? toJson(accessList) : null,
    allow_out_of_gas: allowOutOfGas ? 1 : null,
  }
}

export function payloadFromRow(row: PayloadColumns): Payload {
  return {
    from: row.from_address,
    ...(row.to_address !== null && { to: row.to_address }),
    value: BigInt(row.value),
    data: row.data,
    ...(row.gas_limit !== null && { gasLimit: row.gas_limit }),
    pricing: pricingFromRow(row),
    ...(row.access_list && { accessList: fromJson(row.access_list) }),
    ...(row.allow_out_of_gas === 1 && { allowOutOfGas: true as const }),
  }
}

/** Replaced payloads are read with their transaction and never searched, so one column holds them all. */
export function earlierToRow(earlier: NonEmpty<Payload> | undefined): TransactionTable['earlier'] {
  if (!earlier) return null
  return toJson(mapNonEmpty(earlier, payloadToRow))
}

export function earlierFromRow(json: NonNullable<TransactionTable['earlier']>): NonEmpty<Payload> {
  return mapNonEmpty(fromJson(json), payloadFromRow)
}

/** The same as `payloadBytes` of the row: none of these columns has a character of more than one byte. */
export function bytesOf({ payload, earlier }: Pick<Transaction, 'payload' | 'earlier'>): number {
  const { data, access_list: accessList } = payloadToRow(payload)
  return data.length + (accessList?.length ?? 0) + (earlierToRow(earlier)?.length ?? 0)
}

export const pricingColumns = [
  'pricing',
  'speed',
  'gas_price',
  'max_fee_per_gas',
  'max_priority_fee_per_gas',
] as const satisfies readonly (keyof PayloadColumns)[]
export type PricingColumns = Pick<PayloadColumns, (typeof pricingColumns)[number]>

export function pricingFromRow(row: PricingColumns): Pricing {
  const { pricing, speed, gas_price: price, max_fee_per_gas: cap, max_priority_fee_per_gas: tip } = row
  if (pricing === 'speed' && speed !== null) return { kind: 'speed', speed }
  if (pricing === 'legacy' && price !== null) return { kind: 'legacy', gasPrice: BigInt(price) }
  if (pricing === 'eip1559' && cap !== null && tip !== null) {
    return { kind: 'eip1559', maxFeePerGas: BigInt(cap), maxPriorityFeePerGas: BigInt(tip) }
  }
  throw new Error(`a payload priced by "${pricing}" without its price is not one that the service writes`)
}

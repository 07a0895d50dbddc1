// Gas that pays for a transaction's bytes on L1, as on Arbitrum: its price changes, and it is part of the gas limit.
import { type Hex, size } from 'viem'

export interface L1Gas {
  /** Wei for a byte on L1, from now on. */
  price(weiPerByte: bigint): void
  of(bytes: bigint, baseFee: bigint): bigint
  /** For a transaction that is not signed yet, with room for a rise of the price. */
  estimate(request: EstimateRequest, baseFee: bigint): bigint
}

export interface EstimateRequest {
  readonly data?: Hex
  readonly input?: Hex
  readonly accessList?: readonly { readonly storageKeys: readonly Hex[] }[]
}

/** A signed transfer has about 115. */
const bytesWithoutData = 125n
/** `GasEstimationL1PricePadding` of Nitro's arbos/l1pricing: 11,000 of 10,000. */
const paddingPercent = 110n

export function priceL1Gas(weiPerByteAtFirst: bigint): L1Gas {
  let weiPerByte = weiPerByteAtFirst
  const of = (bytes: bigint, baseFee: bigint) => (bytes * weiPerByte) / (baseFee === 0n ? 1n : baseFee)
  return {
    of,
    price: (wei) => {
      weiPerByte = wei
    },
    estimate: ({ data, input, accessList = [] }, baseFee) => {
      const listed = accessList.reduce((bytes, { storageKeys }) => bytes + 25 + 33 * storageKeys.length, 0)
      const bytes = bytesWithoutData + BigInt(size(input ?? data ?? '0x') + listed)
      return (of(bytes, baseFee) * paddingPercent) / 100n
    },
  }
}

// The fee that a rollup charges beside gas for a transaction's data on L1: an estimate, from two prices of the network.
import type { Market } from './fees.ts'
import type { DecisionProfile } from './relayer.ts'
import type { Payload } from './transaction.ts'
import type { Wei } from './units.ts'

/** A signed no-op, with every number at its widest use here. */
export const noOpBytes = 110

/** An address and a storage key of an access list, with the bytes of their lengths (RLP). */
const addressBytes = 24
const storageKeyBytes = 33
/** A value, a gas limit, and lengths, where they are wider than those of a no-op. */
const widerBytes = 24

/** Whether no node reports the fee that this network charges: the cost of a transaction is then unknown. */
export function lacksL1Fee(
  { l1Fee }: Pick<DecisionProfile, 'l1Fee'>,
  { noOpL1Fee }: Pick<Market, 'noOpL1Fee'>,
): boolean {
  return l1Fee === 'op_stack' && noOpL1Fee === undefined
}

/** 0 where the network has no such fee, or no node reports it. */
export function l1FeeOf(
  { data, accessList = [] }: Pick<Payload, 'data' | 'accessList'>,
  { noOpL1Fee, l1FeePerByte = 0n }: Pick<Market, 'noOpL1Fee' | 'l1FeePerByte'>,
): Wei {
  if (noOpL1Fee === undefined) return 0n
  const listed = accessList.map(({ storageKeys }) => addressBytes + storageKeys.length * storageKeyBytes)
  const bytes = listed.reduce((sum, each) => sum + each, widerBytes + (data.length - 2) / 2)
  return noOpL1Fee + BigInt(bytes) * l1FeePerByte
}

// The size of a payload once it is signed, before nonce and price are known.
import { feeCap, tipOf } from './fees.ts'
import type { Payload } from './transaction.ts'

/** Type, chain id, nonce, gas limit, signature and the header of the list, each at its largest. */
const fixedBytes = 1 + 9 + 9 + 9 + (1 + 33 + 33) + 4
/** A price that the service chooses: up to 2^96 wei. */
const chosenPriceBytes = 13
const addressBytes = 21
const storageKeyBytes = 33
const headerBytes = 4

/**
 * A bound of the signed size: at least the bytes in each type of transaction that the service signs, and at most some dozens more.
 */
export function signedBytesMax(payload: Pick<Payload, 'to' | 'value' | 'data' | 'pricing' | 'accessList'>): number {
  const { to, value, data, pricing, accessList = [] } = payload
  const prices =
    pricing.kind === 'speed'
      ? 2 * chosenPriceBytes
      : Math.max(chosenPriceBytes, bytesOf(feeCap(pricing))) + Math.max(chosenPriceBytes, bytesOf(tipOf(pricing)))
  const listed = accessList.reduce(
    (sum, { storageKeys }) => sum + 2 * headerBytes + addressBytes + storageKeyBytes * storageKeys.length,
    headerBytes,
  )
  const receiver = to === undefined ? 1 : addressBytes
  return fixedBytes + prices + receiver + bytesOf(value) + headerBytes + (data.length - 2) / 2 + listed
}

/** The bytes of an amount, with its header. */
function bytesOf(amount: bigint): number {
  return 1 + Math.ceil(amount.toString(16).length / 2)
}

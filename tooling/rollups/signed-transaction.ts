// What a sequencer reads in the bytes of a signed transaction.
import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  size,
  type TransactionSerialized,
  type TransactionSerializedGeneric,
} from 'viem'

export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hex
  /** With the checksum, as nodes print it in their errors. */
  readonly from: Hex
  readonly nonce: number
  readonly gas: bigint
  readonly value: bigint
  /** Of a legacy transaction: its gas price. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly to: Hex | null
  readonly data: Hex
  readonly bytes: bigint
  readonly type: string
}

/** Rejects where the bytes are no signed transaction. */
export async function readSigned(raw: Hex): Promise<SignedTransaction> {
  const { type, nonce, gas, value, to, data, ...fees } = parseTransaction(raw as TransactionSerializedGeneric)
  return {
    raw,
    hash: keccak256(raw),
    from: await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }),
    nonce: nonce ?? 0,
    gas: gas ?? 0n,
    value: value ?? 0n,
    maxFeePerGas: fees.maxFeePerGas ?? fees.gasPrice ?? 0n,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas ?? fees.gasPrice ?? 0n,
    to: to ?? null,
    data: data ?? '0x',
    bytes: BigInt(size(raw)),
    type: type ?? 'legacy',
  }
}

/** What its sender needs at most, without a fee for L1. */
export function costOf({ gas, value, maxFeePerGas }: SignedTransaction): bigint {
  return gas * maxFeePerGas + value
}

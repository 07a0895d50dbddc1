// Another program with a relayer's key, which signs without the service.
import { hexToBytes } from 'viem'
import type { Hex } from '../src/domain/ids.ts'
import { viemCurve } from '../src/signers/curve.ts'
import { signUnsigned } from '../src/signers/sign-unsigned.ts'
import { decode, type SimTransaction } from './chain/transaction.ts'
import { chainId, keys } from './process/engine.ts'

const foreignReceiver = '0x000000000000000000000000000000000000beef'

/** Signed by the other program, or a deposit from L1, which nobody signs. */
export function isForeign({ to, isDeposit }: SimTransaction): boolean {
  return isDeposit === true || to === foreignReceiver
}

export async function foreignTransaction(
  relayer: number,
  nonce: number,
  { cap, tip, value }: { cap: bigint; tip: bigint; value: bigint },
): Promise<SimTransaction> {
  const { raw } = await signUnsigned(
    {
      chainId,
      nonce,
      fees: { kind: 'eip1559', maxFeePerGas: cap, maxPriorityFeePerGas: tip < cap ? tip : cap },
      gasLimit: 21_000,
      to: foreignReceiver,
      value,
      data: '0x',
    },
    hexToBytes((keys[relayer] ?? '0x') as Hex),
    viemCurve,
  )
  return decode(raw)
}

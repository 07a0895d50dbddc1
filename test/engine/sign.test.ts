// The attempts signed for a nonce: all of one transaction type, at the decided fees.
import fc from 'fast-check'
import { parseTransaction, type TransactionSerialized } from 'viem'
import { expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import type { SigningChange } from '../../src/domain/decide/plan/traits.ts'
import type { Fees } from '../../src/domain/fees.ts'
import type { Payload } from '../../src/domain/transaction.ts'
import { signChange } from '../../src/engine/sign.ts'
import { openCurve } from '../../src/signers/curve.ts'
import { openPlainSigner } from '../../src/signers/key-signer.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { anyPayload, anyPoolFees } from '../domain/any.ts'
import { inFlight, queued, someRelayer } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'

const signer = openPlainSigner('dev', devAccount(0).key, await openCurve(quiet))
const relayer = someRelayer({ address: signer.address })
const sign = (change: SigningChange) => signChange({ signer, relayer, head: 7, now: 1 }, change)
const parsed = ({ raw }: Attempt) => parseTransaction(raw as TransactionSerialized)

const typeOf = ({ accessList }: Payload, fees: Fees) =>
  fees.kind === 'eip1559' ? 'eip1559' : accessList ? 'eip2930' : 'legacy'

/** A payload, and prices of one kind for its first attempt and those after it. */
const anyCase = fc
  .record({ payload: anyPayload, fees: fc.array(anyPoolFees, { minLength: 3, maxLength: 12 }) })
  .map(({ payload, fees }) => ({ payload, fees: fees.filter(({ kind }) => kind === fees[0]?.kind) }))
  .filter(({ fees }) => fees.length >= 3)

test('the payload, its bump and the no-op against it are of one type, and EIP-2930 is priced like legacy', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async ({ payload, fees: [first, second, third] }) => {
      if (!first || !second || !third) throw new Error('three prices')
      const execute = await sign({
        do: 'assignNonce',
        transaction: queued(5, { payload }),
        nonce: 5,
        fees: first,
        gasLimit: 90_000,
      })
      const transaction = inFlight(5, [execute], { payload })
      const bump = await sign({ do: 'bump', transaction, fees: second, gasLimit: 21_000 })
      const noOp = await sign({ do: 'signNoOp', transaction, fees: third, gasLimit: 21_000 })
      for (const [attempt, fees] of [
        [execute, first],
        [bump, second],
        [noOp, third],
      ] as const) {
        const signed = parsed(attempt)
        expect(signed.type).toBe(typeOf(payload, first))
        if (fees.kind === 'legacy') expect(signed.gasPrice ?? 0n).toBe(fees.gasPrice)
        else expect(signed.maxFeePerGas ?? 0n).toBe(fees.maxFeePerGas)
      }
      expect('accessList' in parsed(bump)).toBe((payload.accessList?.length ?? 0) > 0)
      expect(parsed(noOp)).not.toHaveProperty('accessList')
      expect(parsed(noOp)).toMatchObject({ to: signer.address.toLowerCase(), gas: 21_000n })
    }),
    { numRuns: 200 },
  )
})

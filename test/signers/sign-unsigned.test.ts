// Signed bytes: equal on both curves, readable by viem's parser, and recovering the signer.
import fc from 'fast-check'
import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openCurve, viemCurve } from '../../src/signers/curve.ts'
import { signUnsigned } from '../../src/signers/sign-unsigned.ts'
import { eip155Key, keys, listeningLog, unsignedTransactions } from './workplace.ts'

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

test('the example of EIP-155 comes out to the byte', async () => {
  const key = Buffer.from(eip155Key.slice(2), 'hex')
  const unsigned = {
    chainId: 1,
    nonce: 9,
    fees: { kind: 'legacy', gasPrice: 20n * 10n ** 9n },
    gasLimit: 21_000,
    to: `0x${'35'.repeat(20)}`,
    value: 10n ** 18n,
    data: '0x',
  } as const
  const signed = await signUnsigned(unsigned, key, viemCurve)
  expect(signed.raw).toBe(
    '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  )
  expect(signed.signature).toEqual({
    r: '0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276',
    s: '0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    v: 37,
  })
})

test('both curves sign any transaction alike, and the signer is recovered from the bytes', async () => {
  const { log } = listeningLog()
  const native = await openCurve(log)
  await fc.assert(
    fc.asyncProperty(unsignedTransactions, keys, async (unsigned, key) => {
      const account = privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)
      const signed = await signUnsigned(unsigned, key, native)
      expect(signed).toEqual(await signUnsigned(unsigned, key, viemCurve))
      expect(signed.hash).toBe(keccak256(signed.raw))
      expect(BigInt(signed.signature.s)).toBeLessThanOrEqual(halfOrder)
      expect(signed.signature.r).toMatch(/^0x[0-9a-f]{64}$/)
      expect(signed.signature.s).toMatch(/^0x[0-9a-f]{64}$/)

      const raw = signed.raw as TransactionSerialized
      expect(await recoverTransactionAddress({ serializedTransaction: raw })).toBe(account.address)
      const parsed = parseTransaction(raw)
      const typed = unsigned.fees.kind !== 'legacy' ? 'eip1559' : unsigned.accessList ? 'eip2930' : 'legacy'
      expect(parsed.type).toBe(typed)
      const announced = unsigned.accessList?.map(({ address, storageKeys }) => ({
        address: address.toLowerCase(),
        storageKeys,
      }))
      expect('accessList' in parsed ? parsed.accessList : []).toEqual(announced ?? [])
      expect(parsed.chainId).toBe(unsigned.chainId)
      expect(parsed.nonce ?? 0).toBe(unsigned.nonce)
      expect(parsed.to?.toLowerCase()).toBe(unsigned.to?.toLowerCase())
      expect(parsed.value ?? 0n).toBe(unsigned.value)
      expect(parsed.data ?? '0x').toBe(unsigned.data)
      expect(parsed.gas).toBe(BigInt(unsigned.gasLimit))
      const v = typed === 'legacy' ? Number(parsed.v) : parsed.yParity
      expect(signed.signature.v).toBe(v)
    }),
    { numRuns: 200 },
  )
})

// The bytes of a signed transaction are those of viem's encoder, also where r or s is short.
import fc from 'fast-check'
import { type Hex, parseTransaction, serializeTransaction, type TransactionSerialized } from 'viem'
import { expect, test } from 'vitest'
import { assemble, unsignedBytes } from '../../src/signers/sign-unsigned.ts'
import { unsignedTransactions } from './workplace.ts'

const bits = fc.constantFrom(1, 7, 8, 15, 16, 240, 248, 256)
const word = bits.chain((size) => fc.bigInt(2n ** BigInt(size - 1), 2n ** BigInt(size) - 1n)).map(toWord)

function toWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

test('a signature behind the encoded fields gives the bytes of viem', () => {
  fc.assert(
    fc.property(unsignedTransactions, word, word, fc.constantFrom<0 | 1>(0, 1), (unsigned, r, s, yParity) => {
      const preimage = unsignedBytes(unsigned)
      const { raw } = assemble(unsigned, preimage, { r, s, yParity })
      const fields = parseTransaction(preimage as TransactionSerialized)
      expect(raw).toBe(serializeTransaction(fields, { r, s, yParity, v: BigInt(27 + yParity) }))
    }),
    { numRuns: 1_000 },
  )
})

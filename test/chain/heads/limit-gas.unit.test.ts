// The most gas that a transaction may name, by the heads that were read and the rules of their fork.
import { expect, test } from 'vitest'
import { limitingGas } from '../../../src/chain/heads/limit-gas.ts'
import { toHead } from '../../../src/chain/nodes/decode.ts'
import { headAt } from '../../domain/some.ts'

const cap = 2 ** 24

test('is as much as a block holds, or the limit of the fork if that is less', () => {
  expect(limitingGas({}).at(headAt(1, { gasLimit: 30_000_000 }))).toBe(30_000_000)
  expect(limitingGas({ maxTransactionGas: cap }).at(headAt(1, { gasLimit: 30_000_000 }))).toBe(cap)
  expect(limitingGas({ maxTransactionGas: cap }).at(headAt(1, { gasLimit: 5_000_000 }))).toBe(5_000_000)
  expect(limitingGas({}).at(headAt(1))).toBeUndefined()
  expect(limitingGas({ maxTransactionGas: cap }).at(headAt(1))).toBe(cap)
})

test('is the widest of the last eight heads: one endpoint of several may name a false one', () => {
  const limit = limitingGas({}).at
  limit(headAt(1, { gasLimit: 30_000_000 }))
  for (let number = 2; number <= 8; number += 1) expect(limit(headAt(number, { gasLimit: 21_000 }))).toBe(30_000_000)
  expect(limit(headAt(8, { gasLimit: 21_000 })), 'the same head counts once').toBe(30_000_000)
  expect(limit(headAt(9, { gasLimit: 21_000 }))).toBe(21_000)
})

test('follows headers from Amsterdam on, whose transactions have no limit of their own', () => {
  const block = {
    ...{ number: '0x5', hash: headAt(5).hash, parentHash: headAt(4).hash, timestamp: '0x1' },
    gasLimit: '0x3938700',
  }
  const amsterdam = toHead({ ...block, blockAccessListHash: headAt(6).hash })
  const osaka = toHead(block)
  if (!amsterdam || !osaka) throw new Error('no head')
  expect([amsterdam, osaka].map((head) => limitingGas({ maxTransactionGas: cap }).at(head))).toEqual([60_000_000, cap])
})

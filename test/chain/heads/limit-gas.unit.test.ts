// The most gas that a transaction may name, by the heads that were read and the rules of their fork.
import { describe, expect, test } from 'vitest'
import { confirmLimit, limitingGas } from '../../../src/chain/heads/limit-gas.ts'
import type { TrackedHead } from '../../../src/chain/heads/track-head.ts'
import { toHead } from '../../../src/chain/nodes/decode.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import { headAt } from '../../domain/some.ts'

const cap = 2 ** 24

test('is as much as a block holds, or the limit of the fork if that is less', () => {
  expect(limitingGas({}).at(headAt(1, { gasLimit: 30_000_000 }))).toBe(30_000_000)
  expect(limitingGas({ maxTransactionGas: cap }).at(headAt(1, { gasLimit: 30_000_000 }))).toBe(cap)
  expect(limitingGas({ maxTransactionGas: cap }).at(headAt(1, { gasLimit: 5_000_000 }))).toBe(5_000_000)
  expect(limitingGas({}).at(headAt(1))).toBeUndefined()
  expect(limitingGas({ maxTransactionGas: cap }).at(headAt(1))).toBe(cap)
})

test('is not that of a block where small blocks and large ones alternate, as on HyperEVM', () => {
  expect(limitingGas({}, false).at(headAt(1, { gasLimit: 3_000_000 }))).toBeUndefined()
  expect(limitingGas({ maxTransactionGas: cap }, false).at(headAt(1, { gasLimit: 3_000_000 }))).toBe(cap)
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

describe('of a payload with more gas than a header allows', () => {
  const confirmed = (gas: number, ...headers: (number | undefined)[]) => {
    const all = headers.map((gasLimit, index) => {
      const { number, hash, parentHash } = headAt(7)
      const block = { number: '0x7', hash, parentHash, timestamp: '0x1', gasLimit: `0x${(gasLimit ?? 0).toString(16)}` }
      const answer = gasLimit === undefined ? { kind: 'unknown', message: 'silent' } : { kind: 'value', value: block }
      const parts = { provider: String(index), fit: () => true, ready: async () => undefined, call: async () => answer }
      return { number, ...parts } as unknown as Endpoint
    })
    const endpoints = { order: () => all } as Partial<Endpoints> as Endpoints
    const at = { head: headAt(7, { gasLimit: headers[0] ?? 0 }), by: all[0] } as unknown as TrackedHead
    return confirmLimit(limitingGas({}), endpoints, headers.length, at, gas)
  }

  test('the wider of two headers counts', async () => {
    expect(await confirmed(50_000, 21_000, 30_000_000)).toBe(30_000_000)
    expect(await confirmed(50_000, 21_000, 22_000)).toBe(22_000)
  })

  test('one header limits nothing that it was not compared for, such as what returns to the queue meanwhile', async () => {
    expect(await confirmed(20_000, 21_000, 30_000_000)).toBeUndefined()
  })

  test('the only provider is believed, and one of several is not while the others are silent', async () => {
    expect(await confirmed(50_000, 21_000)).toBe(21_000)
    expect(await confirmed(50_000, 21_000, undefined)).toBeUndefined()
  })
})

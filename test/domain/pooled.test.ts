// What pools hold of an account, and what of that is foreign.
import { expect, test } from 'vitest'
import type { Hash } from '../../src/domain/ids.ts'
import { foreignIn, pooledMax } from '../../src/domain/pooled.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}` as Hash
const nothing = { used: new Set<number>(), isOurs: async () => false }

test('no transaction, none foreign', async () => {
  expect(await foreignIn({ nonce: 5, pendingNonce: 5, shown: new Map() }, nothing)).toBeUndefined()
})

test('counted nonces that we do not hold, with the hashes that a node shows', async () => {
  const shown = new Map([[6, hash('a')]])
  expect(await foreignIn({ nonce: 5, pendingNonce: 8, shown }, { ...nothing, used: new Set([7]) })).toEqual({
    ...{ nonce: 5, pendingNonce: 8, count: 2 },
    transactions: [{ nonce: 5 }, { nonce: 6, hash: hash('a') }],
  })
})

test('our own, mined meanwhile or not, are not foreign', async () => {
  const ours = { used: new Set([6]), isOurs: async (nonce: number) => nonce < 7 }
  expect(await foreignIn({ nonce: 5, pendingNonce: 7, shown: new Map([[6, hash('a')]]) }, ours)).toBeUndefined()
})

test('another transaction at a nonce of ours, and one behind a gap', async () => {
  const ours = { used: new Set([5]), isOurs: async (_: number, shown: Hash | undefined) => shown === hash('0') }
  const shown = new Map([
    [9, hash('b')],
    [5, hash('a')],
  ])
  expect(await foreignIn({ nonce: 5, pendingNonce: 6, shown }, ours)).toEqual({
    ...{ nonce: 5, pendingNonce: 6, count: 2 },
    transactions: [
      { nonce: 5, hash: hash('a') },
      { nonce: 9, hash: hash('b') },
    ],
  })
})

test('any count is bounded in work and in length', async () => {
  let looks = 0
  const counting = { used: new Set<number>(), isOurs: async () => ++looks < 0 }
  const pendingNonce = Number.MAX_SAFE_INTEGER
  const foreign = await foreignIn({ nonce: 0, pendingNonce, shown: new Map() }, counting)
  expect(foreign?.count).toBe(pendingNonce)
  expect(foreign?.transactions).toHaveLength(pooledMax)
  expect(looks).toBe(pooledMax)
})

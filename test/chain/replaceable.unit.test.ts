// Nodes are exchanged under callers and followers: no call is lost, and the old nodes are closed.
import { expect, test } from 'vitest'
import type { Chain } from '../../src/chain/chain.ts'
import { replaceable } from '../../src/chain/replaceable.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { Head } from '../../src/domain/observation.ts'

const address = '0x0000000000000000000000000000000000000001' as Address

/** A chain whose balance is answered when the test says so. */
function slowChain(wei: bigint) {
  const waiting: (() => void)[] = []
  const followers = new Set<(head: Head) => void>()
  const state = { closed: false, announced: [] as Address[] }
  const chain: Partial<Chain> = {
    balance: () => new Promise((resolve) => waiting.push(() => resolve(wei))),
    announce: (each) => state.announced.push(each),
    follow(onHead, signal) {
      followers.add(onHead)
      signal.addEventListener('abort', () => followers.delete(onHead))
    },
    async close() {
      state.closed = true
    },
  }
  const answer = () => {
    for (const give of waiting.splice(0)) give()
  }
  return { chain: chain as Chain, state, followers, answer }
}

test('calls to the old nodes are answered by them, and then they are closed', async () => {
  const [old, fresh] = [slowChain(1n), slowChain(2n)]
  const { chain, replace } = replaceable(old.chain)
  const before = chain.balance(address)
  replace(fresh.chain)
  const after = chain.balance(address)
  expect(old.state.closed).toBe(false)
  fresh.answer()
  expect(await after).toBe(2n)
  old.answer()
  expect(await before).toBe(1n)
  expect(old.state.closed).toBe(true)
  expect(fresh.state.closed).toBe(false)
})

test('followers go over to the new nodes, and leave them when they abort', () => {
  const [old, fresh, last] = [slowChain(1n), slowChain(2n), slowChain(3n)]
  const { chain, replace } = replaceable(old.chain)
  const [staying, leaving] = [new AbortController(), new AbortController()]
  chain.follow(() => undefined, staying.signal)
  chain.follow(() => undefined, leaving.signal)
  expect(old.followers.size).toBe(2)
  replace(fresh.chain)
  expect([old.followers.size, fresh.followers.size]).toEqual([0, 2])
  leaving.abort()
  expect(fresh.followers.size).toBe(1)
  replace(last.chain)
  expect([fresh.followers.size, last.followers.size]).toEqual([0, 1])
  expect([old.state.closed, fresh.state.closed]).toEqual([true, true])
  staying.abort()
  expect(last.followers.size).toBe(0)
})

test('relayers announced to the old nodes are announced to the new ones', () => {
  const [old, fresh] = [slowChain(1n), slowChain(2n)]
  const { chain, replace } = replaceable(old.chain)
  chain.announce(address)
  replace(fresh.chain)
  expect([old.state.announced, fresh.state.announced]).toEqual([[address], [address]])
})

// The record of contradictions: for each network and chain, newest first, and bounded.
import { expect, test } from 'vitest'
import type { RecordedContradiction } from '../../src/domain/contradiction.ts'
import type { Hash } from '../../src/domain/ids.ts'
import type { NetworkKey } from '../../src/store/network-port.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import type { OpenStore } from './contract.ts'

const one: NetworkKey = { name: 'one', chainId: 1 }
const others: readonly NetworkKey[] = [
  { ...one, name: 'two' },
  { ...one, chainId: 2 },
]
const hashOf = (digit: string): Hash => `0x${digit.repeat(64)}`
const all = { page: 1, perPage: 100 }

const noted = (after: number): RecordedContradiction => ({
  at: now + after,
  condition: 'witnesses_contradict',
  question: { block: { number: 2 ** 40 + after, hash: hashOf('b') }, spender: hashOf('a'), succeeded: false },
  answers: [
    { endpoint: 0, host: 'one.example', answer: '{"lists":true}' },
    { endpoint: 2, host: '127.0.0.1:8545', answer: 'x'.repeat(1_024) },
  ],
})

const record = (store: Store, network: NetworkKey, contradiction: RecordedContradiction, max = 100) =>
  store.commit((session) => session.recordContradiction(network, contradiction, max))
const timesOf = async (store: Store, network: NetworkKey, page = all) =>
  (await store.reads.contradictions(network, page)).items.map(({ at }) => at - now)

export function contradictionContract(open: OpenStore): void {
  test('contradictions are read back as they were recorded, newest first, by pages', async () => {
    await using under = await open()
    const { store } = under
    for (const after of [1, 2, 3]) await record(store, one, noted(after))
    expect(await store.reads.contradictions(one, all)).toEqual({ items: [noted(3), noted(2), noted(1)], total: 3 })
    expect(await store.reads.contradictions(one, { page: 2, perPage: 2 })).toEqual({ items: [noted(1)], total: 3 })
  })

  test('a contradiction belongs to the name and the chain of its network', async () => {
    await using under = await open()
    const { store } = under
    for (const [index, network] of [one, ...others].entries()) await record(store, network, noted(index))
    for (const [index, network] of [one, ...others].entries()) {
      expect(await timesOf(store, network)).toEqual([index])
    }
  })

  test('the oldest contradictions of a network make room, and those of others stay', async () => {
    await using under = await open()
    const { store } = under
    for (const network of others) await record(store, network, noted(0))
    for (const after of [1, 2, 3, 4]) await record(store, one, noted(after), 2)
    expect(await timesOf(store, one)).toEqual([4, 3])
    for (const network of others) expect(await timesOf(store, network)).toEqual([0])
  })

  test('old contradictions of all networks are removed', async () => {
    await using under = await open()
    const { store } = under
    for (const network of [one, ...others]) for (const after of [1, 2]) await record(store, network, noted(after))
    expect(await store.commit((session) => session.pruneContradictions(now + 2))).toBe(3)
    for (const network of [one, ...others]) expect(await timesOf(store, network)).toEqual([2])
    expect(await store.commit((session) => session.pruneContradictions(now + 2))).toBe(0)
  })
}

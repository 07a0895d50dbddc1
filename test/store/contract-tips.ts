// The record of believed tips: for each network and chain, and for a day.
import { expect, test } from 'vitest'
import type { TipMark } from '../../src/domain/tip-marks.ts'
import type { NetworkKey } from '../../src/store/network-port.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import type { OpenStore } from './contract.ts'

const one: NetworkKey = { name: 'one', chainId: 1 }
const others: readonly NetworkKey[] = [
  { ...one, name: 'two' },
  { ...one, chainId: 2 },
]

const record = (store: Store, network: NetworkKey, mark: TipMark, before = 0) =>
  store.commit((session) => session.recordTipMark(network, mark, before))

export function tipContract(open: OpenStore): void {
  test('marks are read back after a time, oldest first, with amounts beyond any integer column', async () => {
    await using under = await open()
    const { store } = under
    const marks = [
      { at: now, tip: 2n ** 255n },
      { at: now + 5, tip: 0n },
    ]
    for (const mark of [...marks].reverse()) await record(store, one, mark)
    expect(await store.reads.tipMarks(one, 0)).toEqual(marks)
    expect(await store.reads.tipMarks(one, now)).toEqual(marks.slice(1))
  })

  test('a mark belongs to the name and the chain of its network', async () => {
    await using under = await open()
    const { store } = under
    for (const [index, network] of [one, ...others].entries()) {
      await record(store, network, { at: now, tip: BigInt(index) })
    }
    for (const [index, network] of [one, ...others].entries()) {
      expect(await store.reads.tipMarks(network, 0)).toEqual([{ at: now, tip: BigInt(index) }])
    }
  })

  test('a mark removes those of its network whose day is over, and no others', async () => {
    await using under = await open()
    const { store } = under
    for (const network of [one, ...others]) await record(store, network, { at: now, tip: 1n })
    await record(store, one, { at: now + 10, tip: 3n }, now)
    expect(await store.reads.tipMarks(one, 0)).toEqual([{ at: now + 10, tip: 3n }])
    for (const network of others) expect(await store.reads.tipMarks(network, 0)).toHaveLength(1)
  })

  test('two replicas that write a mark at the same time leave the first one', async () => {
    await using under = await open()
    const { store } = under
    await record(store, one, { at: now, tip: 3n })
    await record(store, one, { at: now, tip: 5n })
    expect(await store.reads.tipMarks(one, 0)).toEqual([{ at: now, tip: 3n }])
  })
}

// Receipts beside the next sends: none of a far node is awaited, each is read once, and one counts only in a canonical block.
import { expect, test } from 'vitest'
import { readingReceiptsBeside } from '../../../src/chain/inclusions/read-beside.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Address, Hash } from '../../../src/domain/ids.ts'
import type { LiveNonce } from '../../../src/domain/observation.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { quiescence } from '../../support/settled.ts'

const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' as Address
const hashOf = (byte: number) => `0x${byte.toString(16).padStart(2, '0').repeat(32)}` as Hash
const blockOf = (number: number, branch = 0xb0) => hashOf(branch + number)
const live = (nonce: number): LiveNonce => ({
  nonce,
  attempts: [{ hash: hashOf(nonce), kind: 'execute', fees: { kind: 'legacy', gasPrice: 1n }, gasLimit: 21_000 }],
})

function openBeside() {
  const clock = manualClock()
  const requested: number[] = []
  const answers: (() => void)[] = []
  let [isFar, hasReceipt, branch, changes, refuted] = [true, true, 0xb0, 0, false]
  const node: Partial<Endpoint> = {
    async call({ params: [hash] }) {
      const nonce = Number(`0x${String(hash).slice(2, 4)}`)
      requested.push(nonce)
      if (isFar) await new Promise<void>((resolve) => answers.push(resolve))
      const block = { blockHash: blockOf(5), blockNumber: '0x5' }
      const paid = { gasUsed: '0x5208', effectiveGasPrice: '0x1', status: '0x1', logs: [] }
      return { kind: 'value', value: hasReceipt ? { transactionHash: hash, ...block, ...paid } : null }
    },
  }
  const by = node as Endpoint
  const changed = () => {
    changes += 1
  }
  const reported: Endpoint[] = []
  const read = readingReceiptsBeside(clock, async () => new Map([[5, blockOf(5, branch)]]), {
    reported: (endpoint) => void reported.push(endpoint),
    isRefuted: () => refuted,
  })
  return {
    clock,
    requested,
    reported,
    by,
    set: (facts: { near?: boolean; denies?: boolean; reorganized?: boolean; isRefuted?: boolean }) => {
      isFar = facts.near !== true
      hasReceipt = facts.denies !== true
      branch = facts.reorganized ? 0xc0 : 0xb0
      refuted = facts.isRefuted === true
    },
    changes: () => changes,
    async answer() {
      for (const each of answers.splice(0)) each()
      await quiescence()
    },
    async look(nonces: readonly number[], { sends = true, head = 9 } = {}) {
      const at = { head: { number: head, hash: hashOf(head), parentHash: hashOf(head - 1), timestampMs: 0 }, by }
      const looking = read(account, nonces.map(live), at, { sends, changed })
      await quiescence()
      // Beyond the wait for a near node.
      clock.advance(50)
      const { inclusions, underWay } = await looking
      return { found: [...inclusions.keys()], underWay: [...underWay] }
    },
  }
}

test('no send waits for the receipts of a far node: they wake the owner, and the next look has them', async () => {
  const beside = openBeside()
  expect(await beside.look([0, 1])).toEqual({ found: [], underWay: [0, 1] })
  expect(await beside.look([0, 1, 2])).toEqual({ found: [], underWay: [0, 1, 2] })
  expect(beside.changes()).toBe(0)
  await beside.answer()
  expect(beside.changes()).toBeGreaterThan(0)
  expect(await beside.look([0, 1, 2])).toEqual({ found: [0, 1, 2], underWay: [] })
  expect(beside.requested).toEqual([0, 1, 2])
  expect(beside.reported).toEqual([beside.by, beside.by, beside.by])
})

test('those of a near node are part of the same look', async () => {
  const beside = openBeside()
  beside.set({ near: true })
  expect(await beside.look([0])).toEqual({ found: [0], underWay: [] })
  expect(beside.changes()).toBe(0)
})

test('where nothing is sent, none is begun, and what is under way is awaited', async () => {
  const beside = openBeside()
  expect(await beside.look([0], { sends: false })).toEqual({ found: [], underWay: [] })
  expect(beside.requested).toEqual([])
  await beside.look([0])
  const looking = beside.look([0], { sends: false })
  await beside.answer()
  expect(await looking).toEqual({ found: [0], underWay: [] })
  expect(beside.requested).toEqual([0])
})

test('a receipt counts only in a block that is canonical at the head of the look', async () => {
  const beside = openBeside()
  await beside.look([0])
  await beside.answer()
  beside.set({ reorganized: true })
  expect(await beside.look([0])).toEqual({ found: [], underWay: [] })
  beside.set({})
  expect((await beside.look([0])).found).toEqual([0])
  beside.set({ isRefuted: true })
  expect((await beside.look([0])).found).toEqual([])
})

test('a nonce without a receipt is left to the search, and read anew once all of its look were unspent', async () => {
  const beside = openBeside()
  beside.set({ near: true, denies: true })
  expect(await beside.look([0])).toEqual({ found: [], underWay: [] })
  beside.set({ near: true })
  expect(await beside.look([0])).toEqual({ found: [], underWay: [] })
  await beside.look([])
  expect((await beside.look([0])).found).toEqual([0])
})

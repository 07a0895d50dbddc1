// When the receipts of a block are read in one call, and what such an answer proves.
import { expect, test } from 'vitest'
import { readReceipts } from '../../../src/chain/inclusions/read-receipts.ts'
import type { Answer } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { LiveNonce } from '../../../src/domain/observation.ts'

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as Hash
const block = { number: 50, hash: hashOf(0xb50) }
const receiptOf = (hash: unknown, of = block) => ({
  ...{ transactionHash: hash, blockHash: of.hash, blockNumber: `0x${of.number.toString(16)}` },
  ...{ gasUsed: '0x5208', effectiveGasPrice: '0x1', status: '0x1', logs: [] },
})
const attempt = { kind: 'execute', fees: { kind: 'legacy', gasPrice: 1n }, gasLimit: 21_000 } as const
const liveFrom = (first: number, count: number): readonly LiveNonce[] =>
  Array.from({ length: count }, (_, index) => ({
    nonce: first + index,
    attempts: [{ hash: hashOf(first + index), ...attempt }],
  }))
const someOthers = (count: number) => Array.from({ length: count }, (_, index) => hashOf(0x1000 + index))

/** A node that gives a receipt for each hash, and `ofBlock` for the block. It lists these hashes in block 50, and none in block 51. */
function openNode(listing: readonly Hash[], ofBlock: (hashes: readonly Hash[]) => Answer = inOrder) {
  const calls: string[] = []
  const strays: string[] = []
  const partly: Partial<Endpoint> = {
    async call({ method, params: [place] }) {
      calls.push(`${method} ${Number(place)}`)
      return method === 'eth_getBlockReceipts' ? ofBlock(listing) : { kind: 'value', value: receiptOf(place) }
    },
    strayed: (method) => void strays.push(method),
  }
  const by = partly as Endpoint
  const of50 = { ...block, hashes: new Set(listing) }
  const of51 = { number: 51, hash: hashOf(51), hashes: new Set<Hash>() }
  const canonical = async () => new Map([[block.number, block.hash]])
  return {
    ...{ calls, strays },
    async read(live: readonly LiveNonce[], number = 51) {
      const head = { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestampMs: 0 }
      const at = { head, by, listed: number === 51 ? [of50, of51] : [{ ...of50, hashes: new Set(listing) }] }
      return [...(await readReceipts(by, canonical, live, at)).inclusions.keys()]
    },
  }
}

const inOrder = (hashes: readonly Hash[]): Answer => ({ kind: 'value', value: hashes.map((hash) => receiptOf(hash)) })
const ofBlock50 = 'eth_getBlockReceipts 50'
const nonces = (live: readonly LiveNonce[]) => live.map(({ nonce }) => nonce)
const eight = liveFrom(1, 8)
const hashesOf = (live: readonly LiveNonce[]) => nonces(live).map(hashOf)

test('eight attempts in a block take one call', async () => {
  const node = openNode(hashesOf(eight))
  expect(await node.read(eight)).toEqual(nonces(eight))
  expect(node.calls).toEqual([ofBlock50])
})

test('a hundred at once are read one by one: sends leave in requests no larger than a read that was answered', async () => {
  const hundred = liveFrom(1, 100)
  const node = openNode(hashesOf(hundred))
  expect(await node.read(hundred)).toEqual(nonces(hundred))
  expect(node.calls).toHaveLength(100)
})

test('fewer are read one by one, and so are eight among many others, and those of a large block', async () => {
  const worlds = [
    [liveFrom(1, 7), 0],
    [eight, 25],
    [liveFrom(1, 451), 0],
  ] as const
  for (const [live, others] of worlds) {
    const node = openNode([...hashesOf(live), ...someOthers(others)])
    expect(await node.read(live)).toEqual(nonces(live))
    expect(node.calls).toHaveLength(live.length)
    expect(node.calls).not.toContain(ofBlock50)
  }
})

test('relayers share the receipts of a block: their attempts are counted together, and the block is read once', async () => {
  const [first, second, third] = [liveFrom(1, 5), liveFrom(11, 5), liveFrom(21, 1)]
  const node = openNode([first, second, third].flatMap(hashesOf))
  for (const live of [first, second, third]) expect(await node.read(live)).toEqual(nonces(live))
  expect(node.calls).toHaveLength(6)
  expect(node.calls.at(-1)).toBe(ofBlock50)
})

test('one that the answer lacks is read by itself, so that an omission is no denial', async () => {
  const node = openNode(hashesOf(eight), (hashes) => inOrder(hashes.slice(1)))
  expect(await node.read(eight)).toEqual(nonces(eight))
  expect(node.calls).toEqual([ofBlock50, 'eth_getTransactionReceipt 1'])
})

test('those of another branch prove nothing, and are read one by one', async () => {
  const ofBranch = (hashes: readonly Hash[]): Answer => ({
    ...{ kind: 'value', value: hashes.map((hash) => receiptOf(hash, { ...block, hash: hashOf(0xbad) })) },
  })
  const node = openNode(hashesOf(eight), ofBranch)
  expect(await node.read(eight)).toEqual(nonces(eight))
  expect(node.calls).toHaveLength(9)
  expect(node.strays).toEqual([])
})

test('an answer about another block is none, and counts against the endpoint', async () => {
  const ofAnother = (hashes: readonly Hash[]): Answer => ({
    ...{ kind: 'value', value: hashes.map((hash) => receiptOf(hash, { ...block, number: 49 })) },
  })
  const node = openNode(hashesOf(eight), ofAnother)
  expect(await node.read(eight)).toEqual(nonces(eight))
  expect(node.calls).toHaveLength(9)
  expect(node.strays).toEqual(['eth_getBlockReceipts'])
})

test.each<[string, Answer]>([
  ['refuses the call', { kind: 'rpcError', code: -32601, message: 'no such method' }],
  ['gives an answer that is too large', { kind: 'unknown', message: 'too large', isTooLarge: true }],
])('an endpoint that %s gives single receipts, and is called so again only 1,000 blocks later', async (_, answer) => {
  const node = openNode(hashesOf(eight), () => answer)
  const heights = [51, 52, 1_050, 1_051]
  for (const height of heights) expect(await node.read(eight, height)).toEqual(nonces(eight))
  expect(node.calls.filter((call) => call.startsWith('eth_getBlockReceipts'))).toHaveLength(2)
})

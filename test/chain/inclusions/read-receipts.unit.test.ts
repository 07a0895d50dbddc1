// Receipts that are of another transaction, or that contradict each other, prove nothing.
import { expect, test } from 'vitest'
import { readReceipts } from '../../../src/chain/inclusions/read-receipts.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { LiveNonce } from '../../../src/domain/observation.ts'

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as Hash
const [payload, noOp, other] = [hashOf('1'), hashOf('2'), hashOf('3')]
const attempt = { fees: { kind: 'legacy', gasPrice: 1n }, gasLimit: 21_000 } as const
const live: LiveNonce = {
  nonce: 4,
  attempts: [
    { hash: payload, kind: 'execute', ...attempt },
    { hash: noOp, kind: 'cancel', ...attempt },
  ],
}

/** `of`: the transaction that the node's receipt names, by the requested hash. */
async function receiptsBy(of: Readonly<Record<Hash, Hash>>, attempts = live.attempts, answersMax = 9) {
  const strays: string[] = []
  let answers = 0
  const partly: Partial<Endpoint> = {
    async call({ params: [hash] }) {
      answers += 1
      if (answers > answersMax) return { kind: 'unknown', message: 'lost' }
      const transactionHash = of[hash as Hash]
      const block = { blockHash: hashOf('b'), blockNumber: '0x5' }
      const paid = { gasUsed: '0x5208', effectiveGasPrice: '0x1', status: '0x1', logs: [] }
      return { kind: 'value', value: transactionHash ? { transactionHash, ...block, ...paid } : null }
    },
    strayed: (method) => void strays.push(method),
  }
  const endpoint = partly as Endpoint
  const head = { number: 9, hash: hashOf('9'), parentHash: hashOf('8'), timestampMs: 0 }
  const canonical = async () => new Map([[5, hashOf('b')]])
  const { inclusions, denied, strayed, undecided } = await readReceipts(endpoint, canonical, [{ ...live, attempts }], {
    head,
    by: endpoint,
  })
  return {
    used: inclusions.get(4)?.hash,
    inclusion: inclusions.get(4),
    denied: [...denied],
    strayed: [...strayed],
    undecided: [...undecided],
    strays,
  }
}

test('the receipt of an attempt proves it', async () => {
  expect(await receiptsBy({ [payload]: payload })).toMatchObject({ used: payload, strays: [] })
})

test('that of another transaction proves nothing, denies nothing, and counts against the endpoint', async () => {
  const found = { used: undefined, denied: [], strayed: [4], undecided: [], strays: ['eth_getTransactionReceipt'] }
  expect(await receiptsBy({ [noOp]: other })).toMatchObject(found)
  expect(await receiptsBy({ [noOp]: payload })).toMatchObject(found)
})

test('two attempts of one nonce with a receipt each: both are void', async () => {
  const found = { used: undefined, denied: [], undecided: [4], strays: ['eth_getTransactionReceipt'] }
  expect(await receiptsBy({ [payload]: payload, [noOp]: noOp })).toMatchObject(found)
})

// A PUT that repeats the payload may be signed as the same bytes, of another revision.
test('one receipt for the same bytes twice proves them', async () => {
  const [first] = live.attempts
  if (!first) throw new Error('no attempt')
  const replaced = { ...first, kind: 'replace' } as const
  expect(await receiptsBy({ [payload]: payload }, [first, replaced])).toMatchObject({ used: payload, strays: [] })
  // If one of two answers is lost, too, it is the newer payload that was mined.
  for (const answersMax of [1, 9]) {
    const found = await receiptsBy({ [payload]: payload }, [first, replaced], answersMax)
    expect(found.inclusion).toMatchObject({ by: 'attempt', kind: 'replace' })
  }
})

/** The head is far above block 5, which a body showed. The node's receipt names another block of that height. */
async function inclusionByDeepBlock(headerOfNode: Hash) {
  const partly: Partial<Endpoint> = {
    async call({ method }) {
      const blockHash = hashOf('c')
      const paid = { gasUsed: '0x5208', effectiveGasPrice: '0x1', status: '0x1', logs: [] }
      const receipt = { transactionHash: payload, blockHash, blockNumber: '0x5', ...paid }
      const header = { number: '0x5', hash: headerOfNode, parentHash: hashOf('4'), timestamp: '0x0' }
      return { kind: 'value', value: method === 'eth_getTransactionReceipt' ? receipt : header }
    },
  }
  const endpoint = partly as Endpoint
  const head = { number: 90, hash: hashOf('9'), parentHash: hashOf('8'), timestampMs: 0 }
  const canonical = async () => new Map([[5, hashOf('b')]])
  const attempts = live.attempts.slice(0, 1)
  const shown = new Map([
    [4, { by: 'attempt', hash: payload, kind: 'execute', block: { number: 5, hash: hashOf('b') } } as const],
  ])
  const at = { head, by: endpoint }
  return (await readReceipts(endpoint, canonical, [{ ...live, attempts }], at, shown)).inclusions.get(4)
}

test('a gateway that names another block than its own header does shows the result of the block', async () => {
  expect(await inclusionByDeepBlock(hashOf('b'))).toMatchObject({ block: { hash: hashOf('b') }, succeeded: true })
})

test('the receipt of a node on an old branch says nothing of the block at the same height', async () => {
  expect(await inclusionByDeepBlock(hashOf('c'))).toBeUndefined()
})

// What several nodes report about one inclusion is put together, but never the figures of two blocks.
import { expect, test } from 'vitest'
import { type FindInclusions, findInclusions } from '../../../src/chain/inclusions/find-inclusions.ts'
import { rememberUnexplained } from '../../../src/chain/inclusions/unexplained.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { LiveNonce } from '../../../src/domain/observation.ts'

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as Hash
const address = `0x${'a'.repeat(40)}` as const
const payload = hashOf('1')
const live: LiveNonce = {
  nonce: 4,
  attempts: [{ hash: payload, kind: 'execute', fees: { kind: 'legacy', gasPrice: 9n }, gasLimit: 21_000 }],
}
const before = { blockHash: hashOf('b'), blockNumber: '0x5' }
const after = { blockHash: hashOf('c'), blockNumber: '0x6' }

/** Each node answers with its receipt. The head is on the branch of `before` until the second node is called. */
async function inclusionBy(...receipts: readonly [object, object]) {
  let canonical = new Map([[5, hashOf('b')]])
  const endpoints = receipts.map((members, index) => {
    const partly: Partial<Endpoint> = {
      async call() {
        if (index === 1) canonical = new Map([[6, hashOf('c')]])
        return { kind: 'value', value: { transactionHash: payload, status: '0x1', logs: [], ...members } }
      },
      ready: async () => undefined,
      strayed: () => {},
    }
    return partly as Endpoint
  })
  const parts: Partial<FindInclusions> = {
    endpoints: { order: () => endpoints } as Partial<FindInclusions['endpoints']> as FindInclusions['endpoints'],
    readCanonical: async () => canonical,
    unexplained: rememberUnexplained(
      () => 0,
      () => 0,
    ),
    pace: { measuredMs: () => undefined },
    witnesses: { reported: () => {}, isRefuted: () => false },
  }
  const head = { number: 9, hash: hashOf('9'), parentHash: hashOf('8'), timestampMs: 0 }
  const at = { head, by: endpoints[0] as Endpoint }
  const { inclusions } = await findInclusions(parts as FindInclusions, address, [live], new Map(), at)
  return inclusions.get(4)
}

test('the price of a block that a reorganization replaced meanwhile is not the price of the next one', async () => {
  const inclusion = await inclusionBy({ ...before, effectiveGasPrice: '0x7' }, after)
  expect(inclusion).toEqual({
    ...{ by: 'attempt', hash: payload, kind: 'execute', succeeded: true },
    block: { number: 6, hash: hashOf('c') },
  })
})

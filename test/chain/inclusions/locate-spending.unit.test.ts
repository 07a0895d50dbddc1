// The block that spent a nonce: found wherever it lies, as far back as a node keeps its state, and found anew once it has moved.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Located, locateSpending } from '../../../src/chain/inclusions/locate-spending.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'

const address = `0x${'a'.repeat(40)}` as const
const live = { nonce: 4, attempts: [] }
const momentAt = (block: number) => ({ block, ms: 0 })

/** A node whose account spent nonce 4 in block `spentAt`, and which keeps the state from block `oldest` on. */
function nodeWith(spentAt: number, oldest = 0): Endpoint {
  const partly: Partial<Endpoint> = {
    async call({ params }) {
      const number = Number(params[1])
      if (number < oldest) return { kind: 'rpcError', code: -32_000, message: 'missing trie node', data: undefined }
      return { kind: 'value', value: number >= spentAt ? '0x5' : '0x4' }
    },
  }
  return partly as Endpoint
}

test('it is found wherever it lies, however long ago the nonce was seen unspent', async () => {
  const places = fc.integer({ min: 1, max: 3_000_000 }).chain((spentBy) =>
    fc.record({
      spentBy: fc.constant(spentBy),
      spentAt: fc.oneof(
        fc.integer({ min: 1, max: spentBy }),
        fc.integer({ min: Math.max(1, spentBy - 80), max: spentBy }),
      ),
      seenBefore: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(places, async ({ spentBy, spentAt, seenBefore }) => {
      const unspentAt = seenBefore === undefined ? undefined : momentAt(Math.max(0, spentAt - seenBefore))
      const seen = { ...live, ...(unspentAt !== undefined && { unspentAt }) }
      const spending = await locateSpending(nodeWith(spentAt), address, seen, spentBy, new Map())
      expect(spending).toEqual({ above: spentAt - 1, atMost: spentAt })
    }),
  )
})

test('where the state before it is gone, the range reaches down to where the nonce was seen unspent', async () => {
  const places = fc.record({ spentAt: fc.integer({ min: 500, max: 900 }), oldest: fc.integer({ min: 500, max: 999 }) })
  await fc.assert(
    fc.asyncProperty(places, async ({ spentAt, oldest }) => {
      const spending = await locateSpending(
        nodeWith(spentAt, oldest),
        address,
        { ...live, unspentAt: momentAt(400) },
        1_000,
        new Map(),
      )
      expect(spending).toEqual(
        oldest < spentAt
          ? { above: spentAt - 1, atMost: spentAt }
          : { above: 400 - 64, atMost: Math.max(spentAt, oldest) },
      )
    }),
  )
})

test('what an earlier search found is found anew once a reorganization has moved it', async () => {
  const located: Located = new Map()
  for (const spentAt of [700, 700, 730, 690, 998]) {
    const spending = await locateSpending(nodeWith(spentAt), address, live, 1_000, located)
    expect(spending).toEqual({ above: spentAt - 1, atMost: spentAt })
  }
})

test('what an earlier search found counts only where the node shows it', async () => {
  const located: Located = new Map()
  await locateSpending(nodeWith(700), address, live, 1_000, located)
  expect(
    await locateSpending(nodeWith(700, 800), address, { ...live, unspentAt: momentAt(650) }, 1_000, located),
  ).toEqual({
    above: 650 - 64,
    atMost: 800,
  })
})

// How many nonces are spent in confirmed blocks: also on a chain that is younger than the confirmations, and by whose word.
import { expect, test } from 'vitest'
import { readingConfirmed } from '../../../src/chain/inclusions/confirmed-spending.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { chooseAmong } from '../../../src/chain/nodes/endpoints.ts'
import { address, headAt } from '../../domain/some.ts'

/** A node whose account spends one nonce in each block from the first on, up to `most`. */
function nodeOf(provider: string, most = Number.POSITIVE_INFINITY): Endpoint {
  const partly: Partial<Endpoint> = {
    provider,
    weight: 1,
    fit: () => true,
    probe: () => {},
    restsUntil: () => 0,
    ready: async () => undefined,
    async call({ params }) {
      const block = Number(params[1])
      if (block < 0) return { kind: 'rpcError', code: -32_602, message: 'invalid block number', data: undefined }
      return { kind: 'value', value: `0x${Math.min(block, most).toString(16)}` }
    },
  }
  return partly as Endpoint
}

function countAt(head: number, nodes: readonly Endpoint[], above = 0) {
  const [by] = nodes
  if (!by) throw new Error('one is given')
  const { count } = readingConfirmed({
    endpoints: chooseAmong(nodes),
    heads: { current: async () => ({ head: headAt(head), by }), split: () => [] },
    readCanonical: async () => new Map(),
    findSpender: async () => undefined,
  })
  return count(address, 3, above)
}

test('before a chain has as many blocks as confirmations, nothing is spent: the count is known at once', async () => {
  for (const head of [0, 1, 2]) expect(await countAt(head, [nodeOf('one')])).toMatchObject({ count: 0 })
  expect(await countAt(3, [nodeOf('one')])).toMatchObject({ count: 1 })
})

test('of two providers the lower count is believed, and one alone counts only where there is no other', async () => {
  const [one, behind] = [nodeOf('one'), nodeOf('other', 2)]
  expect(await countAt(7, [one])).toEqual({ count: 5, isByTwo: true })
  expect(await countAt(7, [one, behind])).toEqual({ count: 2, isByTwo: true })
  expect(await countAt(7, [one, { ...behind, fit: () => false }])).toEqual({ count: 5, isByTwo: false })
})

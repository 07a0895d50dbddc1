// What spent an account's nonces in a range of blocks, by a node that answers from blocks which the test made.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FindSpender } from '../../../src/chain/inclusions/find-spender.ts'
import { type Findings, noFindings, type SearchEnd, searchBlocks } from '../../../src/chain/inclusions/search-blocks.ts'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Address } from '../../../src/domain/ids.ts'

const sender: Address = '0x1111111111111111111111111111111111111111'
const someone: Address = '0x2222222222222222222222222222222222222222'
const word = (kind: number, number: number) => `0x${kind.toString(16)}${number.toString(16).padStart(63, '0')}`

interface Node {
  /** How many of the account's nonces each block spent, from block 0. */
  readonly spent: readonly number[]
  /** The first block whose state is kept. */
  readonly keptFrom?: number
  /** Which branch the blocks are of. */
  readonly branch?: number
}

function openNode(node: Node) {
  const counts = { eth_getTransactionCount: 0, eth_getBlockByNumber: 0 }
  const bodies: number[] = []
  let isDown: (call: Call) => boolean = () => false
  const nonceAfter = (block: number) => node.spent.slice(0, block + 1).reduce((sum, count) => sum + count, 0)
  const answer = (call: Call): Answer => {
    if (isDown(call)) return { kind: 'unknown', message: 'timed out' }
    if (call.method === 'eth_getTransactionCount') {
      counts.eth_getTransactionCount += 1
      const block = Number(call.params[1])
      if (block < (node.keptFrom ?? 0)) return { kind: 'rpcError', code: -32000, message: 'missing trie node' }
      return { kind: 'value', value: `0x${nonceAfter(block).toString(16)}` }
    }
    counts.eth_getBlockByNumber += 1
    const number = Number(call.params[0])
    bodies.push(number)
    const first = nonceAfter(number - 1)
    const transactions = Array.from({ length: node.spent[number] ?? 0 }, (_, index) => ({
      hash: word(node.branch ?? 1, first + index),
      from: sender,
      nonce: `0x${(first + index).toString(16)}`,
      to: someone,
      value: '0x0',
      input: '0x',
    }))
    const foreign = { hash: word(9, number), from: someone, nonce: '0x1', to: sender, value: '0x0', input: '0x' }
    return {
      kind: 'value',
      value: {
        number: `0x${number.toString(16)}`,
        hash: word(node.branch ?? 1, number + 1_000_000),
        parentHash: word(node.branch ?? 1, number + 999_999),
        timestamp: `0x${(1_000 + number).toString(16)}`,
        transactions: [...transactions, foreign],
      },
    }
  }
  const endpoint = { call: (call: Call) => Promise.resolve(answer(call)) } as unknown as Endpoint
  return {
    endpoint,
    counts,
    bodies,
    failWhen: (when: (call: Call) => boolean) => {
      isDown = when
    },
    nonceAfter,
    final: node.spent.length - 1,
  }
}

type Opened = ReturnType<typeof openNode>

/** The blocks here hold no signatures. */
const shown: FindSpender = async (_, { transactions }, address, { nonce }) => {
  const mined = transactions.find((each) => each.from === address && each.nonce === nonce)
  return mined && { mined }
}

async function searchOnce(node: Opened, unexplained: readonly number[], above: number, findings: Findings) {
  const range = { above, final: node.final, finalBelow: node.nonceAfter(node.final) }
  const intervals = unexplained.map((nonce) => ({ first: nonce, last: nonce }))
  return searchBlocks(node.endpoint, sender, intervals, range, findings, shown)
}

async function searchThrough(node: Opened, unexplained: readonly number[], above: number, findings = noFindings()) {
  const ends: SearchEnd[] = []
  while (ends.at(-1) !== 'through') {
    ends.push(await searchOnce(node, unexplained, above, findings))
    if (ends.length > 1_000) throw new Error(`the search does not end: ${ends.at(-1)}`)
  }
  return { ends, found: [...findings.spenders.values()].map(({ nonce, block }) => [nonce, block.number]) }
}

/** By the definition: block by block. */
function spentIn(node: Opened, nonces: readonly number[], above: number) {
  return nonces.flatMap((nonce) => {
    for (let block = Math.max(0, above + 1); block <= node.final; block += 1)
      if (node.nonceAfter(block - 1) <= nonce && nonce < node.nonceAfter(block)) return [[nonce, block]]
    return []
  })
}

const chains = fc
  .record({
    spent: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 5 })), {
      minLength: 1,
      maxLength: 120,
    }),
    keptShare: fc.double({ min: 0, max: 1, noNaN: true }),
    aboveShare: fc.double({ min: 0, max: 1, noNaN: true }),
    isPruned: fc.boolean(),
    unexplained: fc.func(fc.boolean()),
    fails: fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
  })
  .map(({ spent, keptShare, aboveShare, isPruned, unexplained, fails }) => {
    const last = spent.length - 1
    const keptFrom = isPruned ? Math.floor(keptShare * last) : 0
    const node = openNode({ spent, keptFrom })
    const nonces = Array.from({ length: node.nonceAfter(last) }, (_, nonce) => nonce).filter((nonce) =>
      unexplained(nonce),
    )
    return { node, nonces, above: Math.floor(aboveShare * (last + 1)) - 1, fails }
  })

test('all that was spent above a block is found, whatever state the node keeps, and no body is read twice', async () => {
  await fc.assert(
    fc.asyncProperty(chains, async ({ node, nonces, above }) => {
      const { found } = await searchThrough(node, nonces, above)
      expect(found.sort(byNonce)).toEqual(spentIn(node, nonces, above))
      expect(new Set(node.bodies).size).toBe(node.bodies.length)
    }),
  )
})

test('a node that fails now and then costs searches, and nothing that was found is searched for again', async () => {
  await fc.assert(
    fc.asyncProperty(chains, async ({ node, nonces, above, fails }) => {
      node.failWhen(() => fails.next().value === 0)
      const { found } = await searchThrough(node, nonces, above)
      expect(found.sort(byNonce)).toEqual(spentIn(node, nonces, above))
      expect(new Set(node.bodies).size).toBe(node.bodies.length)
    }),
  )
})

test('nonces that were spent close together share the reads that lead to them', async () => {
  const spent = Array.from({ length: 50_000 }, (_, block) => (block >= 30_000 && block < 30_020 ? 1 : 0))
  const node = openNode({ spent })
  const nonces = Array.from({ length: 20 }, (_, nonce) => nonce)
  const { found, ends } = await searchThrough(node, nonces, -1)
  expect(found.sort(byNonce)).toEqual(nonces.map((nonce) => [nonce, 30_000 + nonce]))
  expect(ends).toEqual(['through'])
  expect(node.counts).toEqual({ eth_getTransactionCount: expect.any(Number), eth_getBlockByNumber: 20 })
  expect(node.counts.eth_getTransactionCount).toBeLessThan(64)
})

test('a long search stops after 32 bodies, and goes on where it stopped', async () => {
  const node = openNode({ spent: Array.from({ length: 100 }, () => 1) })
  const nonces = Array.from({ length: 100 }, (_, nonce) => nonce)
  const { ends, found } = await searchThrough(node, nonces, -1)
  expect(ends).toEqual(['more', 'more', 'more', 'through'])
  expect(found).toHaveLength(100)
  expect(node.bodies).toHaveLength(100)
})

test('answers that are not of one chain are a contradiction', async () => {
  const node = openNode({ spent: [0, 1, 0, 1] })
  const findings = noFindings()
  // Of another branch, where the second nonce was spent in block 2.
  findings.nonces.set(1, 1).set(2, 2)
  expect(await searchOnce(node, [0, 1], -1, findings)).toBe('contradiction')
  const fell = noFindings()
  fell.nonces.set(1, 2).set(2, 1)
  expect(await searchOnce(node, [0, 1], -1, fell)).toBe('contradiction')
})

test('where no state is kept at the start, a nonce that is not found was spent before it', async () => {
  const node = openNode({ spent: [1, 0, 0, 1, 0], keptFrom: 4 })
  const { found } = await searchThrough(node, [0, 1], 1)
  expect(found).toEqual([[1, 3]])
})

function byNonce([one = 0]: number[], [other = 0]: number[]) {
  return one - other
}

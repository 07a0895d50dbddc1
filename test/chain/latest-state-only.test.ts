// Honest nodes that keep only the latest state, or return it whatever block a call names: bodies of blocks prove who spent a nonce.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../src/domain/ids.ts'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type LyingNode, startLyingNode } from '../../tooling/lying-node.ts'
import { inquiryOf, type NetworkUnderTest, networkOver, signedBy } from './network-under-test.ts'

const { key, address } = devAccount(0)
const count = 'eth_getTransactionCount'
let anvil: Anvil
let node: LyingNode

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  node = await startLyingNode(anvil.url)
  await anvil.mine(100)
})
afterAll(async () => {
  await node?.[Symbol.asyncDispose]()
  await anvil?.stop()
})

const latest = () => anvil.rpc<Hex>('eth_blockNumber')

/** Counts are read from the chain before each observation, so that a lie shows at once. */
async function keepsOnlyTheLatest(): Promise<void> {
  const head = await latest()
  node.lie(({ method, params }) => {
    if (method !== count || params[1] === head || params[1] === 'pending') return undefined
    return { error: { code: -32_000, message: 'missing trie node' } }
  })
}

async function ignoresTheBlock(): Promise<void> {
  const result = await anvil.rpc<Hex>(count, [address, 'latest'])
  node.lie(({ method, params }) => (method === count && params[1] !== 'pending' ? { result } : undefined))
}

async function sendForeign(nonce: number): Promise<Hex> {
  const { raw, hash } = await signedBy(key, { nonce, value: 1n })
  await anvil.rpc('eth_sendRawTransaction', [raw])
  return hash
}

describe.each([
  ['keeps only the latest state', keepsOnlyTheLatest],
  ['ignores the block of a call', ignoresTheBlock],
])('a node that %s', (_, begin) => {
  test.each([
    ['a moment ago', 3],
    ['long ago', 150],
  ])('proves a foreign spender from %s by its block', async (__, blocks) => {
    node.repent()
    const nonce = Number(await anvil.rpc<Hex>(count, [address, 'latest']))
    await using network = networkOver([node.url])
    const before = (await network.chain.observe(inquiryOf(address))).head.number
    const hash = await sendForeign(nonce)
    await anvil.mine(blocks)
    const attempts = [{ hash: `0x${'77'.repeat(32)}` as Hex, kind: 'execute' as const }]
    const live = [{ nonce, attempts, unspentAt: { block: before, ms: Date.now() } }]
    const look = async () => {
      await begin()
      return (await network.chain.observe(inquiryOf(address, { live }))).inclusions.get(nonce)
    }
    let proof = await look()
    for (let heads = 0; heads < 40 && !proof; heads += 1) {
      await anvil.mine()
      proof = await look()
    }
    expect(proof).toMatchObject({ by: 'external', hash, block: { number: before + 1 } })
  })

  test('shows what an account did beyond its record, once that is final by its count', async () => {
    node.repent()
    const first = Number(await anvil.rpc<Hex>(count, [address, 'latest']))
    await anvil.mine(10)
    const { timestamp } = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    const spent: Hex[] = []
    for (const nonce of [first, first + 1]) {
      await anvil.mine(20)
      spent.push(await sendForeign(nonce))
      await anvil.mine(1)
    }
    await using network = networkOver([node.url])
    const found = await spendersOf(network, { from: first, since: Number(timestamp) * 1_000 }, begin)
    expect(found.hashes).toEqual(spent)
    // The node's latest state may be some blocks above the head that was read with the count.
    expect(found.afterBlocks).toBeGreaterThanOrEqual(64)
  })
})

async function spendersOf(
  { chain }: NetworkUnderTest,
  { from, since }: { readonly from: number; readonly since: number },
  begin: () => Promise<void>,
) {
  for (let round = 0; round < 60; round += 1) {
    await begin()
    const lostHistory = { from, explained: new Set<number>(), since, confirmations: 3 }
    const seen = (await chain.observe(inquiryOf(address, { lostHistory }))).lostHistory
    if (seen?.spenders) return { afterBlocks: 10 * round, hashes: seen.spenders.map(({ hash }) => hash) }
    await anvil.mine(10)
  }
  throw new Error('nothing was found')
}

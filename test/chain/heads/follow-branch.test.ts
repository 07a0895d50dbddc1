// Branches that endpoints hold at the same time, on a real chain and a node that invents blocks.
import { keccak256, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RecordedContradiction } from '../../../src/domain/contradiction.ts'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { inventedHeads } from '../../../tooling/invented-heads.ts'
import { type Lie, type LyingNode, startLyingNode } from '../../../tooling/lying-node.ts'
import { movedClock } from '../moved-clock.ts'
import { inquiryOf, type NetworkUnderTest, networkOver, signedBy } from '../network-under-test.ts'

const { address, key } = devAccount(0)
let anvil: Anvil
let liar: LyingNode
let honest: LyingNode
let third: LyingNode

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  liar = await startLyingNode(anvil.url)
  honest = await startLyingNode(anvil.url)
  third = await startLyingNode(anvil.url)
  await anvil.mine(20)
})
afterAll(async () => {
  for (const each of [liar, honest, third]) await each?.[Symbol.asyncDispose]()
  await anvil?.stop()
})

const endpointsOf = (...nodes: readonly LyingNode[]) =>
  nodes.map(({ url }) => ({ url, weight: url === liar.url ? 10 : 1 }))
const observe = ({ chain }: NetworkUnderTest, blocks: readonly number[] = []) =>
  chain.observe(inquiryOf(address, { inclusionBlocks: blocks }))

function keeping() {
  const kept: RecordedContradiction[] = []
  return { kept, contradictionMemory: { save: async (each: RecordedContradiction) => void kept.push(each) } }
}

async function trueHead(): Promise<string> {
  return (await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash
}

/** A reading, a block and two seconds, again and again. */
async function rounds(network: NetworkUnderTest, clock: ReturnType<typeof movedClock>, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await observe(network).catch(() => undefined)
    await anvil.mine()
    clock.move(2_000)
  }
}

test.each([
  ['a few blocks ahead', () => 3],
  ['hundreds of blocks ahead', () => 300],
  ['a million blocks ahead', () => 1_000_000],
])('the branch of two is followed, not the one that a third invents, %s', async (_, ahead) => {
  const clock = movedClock()
  const { contradictionMemory, kept } = keeping()
  await using network = networkOver([], { endpoints: endpointsOf(liar, honest, third), clock, contradictionMemory })
  await observe(network)
  let more = ahead()
  liar.lie(inventedHeads(() => more))
  for (let index = 0; index < 14; index += 1) {
    await rounds(network, clock, 1)
    more += 2
  }
  expect((await observe(network)).head.hash).toBe(await trueHead())
  for (let index = 0; index < 5; index += 1) {
    await rounds(network, clock, 1)
    more += 2
    expect((await observe(network)).head.hash).toBe(await trueHead())
  }
  expect(network.log.map(({ message }) => message)).toContain(
    'endpoints hold different branches: the one that most hold is followed',
  )
  expect(kept).toMatchObject([
    { condition: 'branches_differ', answers: expect.arrayContaining([expect.objectContaining({ endpoint: 0 })]) },
  ])
  liar.repent()
  clock.move(40_000)
  await rounds(network, clock, 20)
  network.forget()
  await rounds(network, clock, 10)
  expect(network.count('eth_getBlockByNumber', 0), 'the endpoint is read again').toBeGreaterThan(0)
})

test('between two that both grow neither is followed, nothing is settled, and both are named', async () => {
  const clock = movedClock()
  const { contradictionMemory, kept } = keeping()
  await using network = networkOver([], { endpoints: endpointsOf(liar, honest), clock, contradictionMemory })
  const signed = await signedBy(key, { nonce: 0 })
  await network.chain.broadcast([signed])
  await anvil.mine()
  const { head } = await observe(network)
  const live = [{ nonce: 0, attempts: [{ hash: signed.hash, kind: 'execute' as const }] }]
  const seen = () => network.chain.observe(inquiryOf(address, { live, inclusionBlocks: [head.number] }))
  expect((await seen()).inclusions.size).toBe(1)
  let more = 2
  liar.lie(inventedHeads(() => more, 1))
  for (let index = 0; index < 12; index += 1) {
    await rounds(network, clock, 1)
    more += 1
  }
  expect(network.chain.split()).toMatchObject([{ endpoint: 0 }, { endpoint: 1 }])
  expect(kept).toMatchObject([{ condition: 'branches_differ', answers: [{ endpoint: 0 }, { endpoint: 1 }] }])
  const { inclusions, canonical } = await seen()
  expect({ inclusions: inclusions.size, canonical: canonical.size }).toEqual({ inclusions: 0, canonical: 0 })
  liar.repent()
  await rounds(network, clock, 12)
  expect(network.chain.split()).toEqual([])
  expect((await seen()).inclusions.size).toBe(1)
  expect((await observe(network)).head.hash).toBe(await trueHead())
})

/** As a node of the OP stack: its newest block has another hash in each answer. */
function flashblocks(seed: string): Lie {
  let answers = 0
  return ({ method, params: [place] }, honest) => {
    const { result } = honest as { result?: { number: string } | null }
    if (method !== 'eth_getBlockByNumber' || !result || (place !== 'latest' && place !== newest)) return undefined
    newest = result.number
    answers += 1
    return { result: { ...result, hash: keccak256(toHex(`${seed} ${answers}`)) } }
  }
}
let newest = ''

test('heads that change their hash at one height are no lie: no endpoint rests, and nothing is noted', async () => {
  const clock = movedClock()
  const { contradictionMemory, kept } = keeping()
  await using network = networkOver([], { endpoints: endpointsOf(liar, honest), clock, contradictionMemory })
  liar.lie(flashblocks('one'))
  honest.lie(flashblocks('two'))
  await rounds(network, clock, 14)
  expect(network.chain.split()).toEqual([])
  expect(kept).toEqual([])
  const warnings = network.log.filter(({ level }) => level === 'warn' || level === 'error')
  expect(warnings.map(({ message }) => message)).toEqual([])
  liar.repent()
  honest.repent()
})

test('clients that hash blocks differently are used beside each other, if the profile says so', async () => {
  const clock = movedClock()
  const other: Lie = ({ method }, reply) => {
    const { result } = reply as { result?: { hash: string; parentHash: string } | null }
    if (method !== 'eth_getBlockByNumber' || !result) return undefined
    const rehashed = (hash: string) => keccak256(toHex(`another ${hash}`))
    return { result: { ...result, hash: rehashed(result.hash), parentHash: rehashed(result.parentHash) } }
  }
  honest.lie(other)
  const profile = { ...ethereumProfile, witness: 'transaction' } as const
  const { contradictionMemory, kept } = keeping()
  await using network = networkOver([], {
    ...{ endpoints: endpointsOf(liar, honest), clock, profile, contradictionMemory },
  })
  await rounds(network, clock, 14)
  expect(await network.chain.check()).toEqual(['ok', 'ok'])
  expect([network.chain.split(), network.chain.wrongChains(), kept]).toEqual([[], [], []])
  honest.repent()
})

test('a head far ahead is forgotten after three readings, and four seconds, once its endpoint is gone', async () => {
  const clock = movedClock()
  await using network = networkOver([], {
    endpoints: endpointsOf(liar, honest, third),
    clock,
    averageBlocktimeMs: 60_000,
  })
  await observe(network)
  liar.lie(inventedHeads(() => 100_000))
  for (let index = 0; index < 3; index += 1) await observe(network)
  expect((await observe(network)).head.number).toBeGreaterThan(100_000)
  liar.bend(() => ({ do: 'drop' }))
  for (let index = 0; index < 4; index += 1) await observe(network).catch(() => undefined)
  clock.move(4_000)
  await observe(network).catch(() => undefined)
  expect((await observe(network)).head.hash).toBe(await trueHead())
  liar.repent()
})

test('reorganizations of one to twelve blocks that all endpoints see at once are followed without a warning', async () => {
  const clock = movedClock()
  await using network = networkOver([], { endpoints: endpointsOf(honest, third), clock })
  for (const depth of [1, 2, 4, 8, 12]) {
    await anvil.mine(3)
    await observe(network)
    await anvil.rpc('anvil_reorg', [depth, []])
    for (let round = 0; round < 3; round += 1) {
      await rounds(network, clock, 1)
      expect((await observe(network)).head.hash).toBe(await trueHead())
    }
  }
  expect(network.chain.split()).toEqual([])
  expect(network.log.filter(({ level }) => level === 'warn')).toEqual([])
})

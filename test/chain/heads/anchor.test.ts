// The anchor of a network, on real chains: how it is recorded and moved, and what an endpoint with another block there loses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnchorMemory } from '../../../src/chain/heads/remember-anchor.ts'
import type { Anchor } from '../../../src/domain/anchor.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type LyingNode, startLyingNode } from '../../../tooling/lying-node.ts'
import type { RpcReply } from '../../../tooling/rpc-server.ts'
import { movedClock } from '../moved-clock.ts'
import { eventually, inquiryOf, type NetworkUnderTest, networkOver, signedBy } from '../network-under-test.ts'

const { address, key } = devAccount(0)
const hourMs = 3_600_000
const otherHash: Hash = `0x${'ab'.repeat(32)}`
let anvil: Anvil
let one: LyingNode
let two: LyingNode

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual', slotsInAnEpoch: 50 })
  one = await startLyingNode(anvil.url)
  two = await startLyingNode(anvil.url)
  await mineApart(800, 5)
})
afterAll(async () => {
  await one?.[Symbol.asyncDispose]()
  await two?.[Symbol.asyncDispose]()
  await anvil?.stop()
})

const mineApart = (blocks: number, seconds: number) =>
  anvil.rpc('anvil_mine', [`0x${blocks.toString(16)}`, `0x${seconds.toString(16)}`])

async function blockAt(place: number | 'latest'): Promise<{ number: number; hash: Hash; seconds: number }> {
  const at = typeof place === 'number' ? `0x${place.toString(16)}` : place
  const block = await anvil.rpc<{ number: string; hash: Hash; timestamp: string }>('eth_getBlockByNumber', [at, false])
  return { number: Number(block.number), hash: block.hash, seconds: Number(block.timestamp) }
}

async function anchorAt(number: number, overrides: Partial<Anchor> = {}): Promise<Anchor> {
  const { hash, seconds } = await blockAt(number)
  return { number, hash, minedAt: seconds * 1_000, recordedAt: systemClock.now(), ...overrides }
}

interface Memory extends AnchorMemory {
  stored: Anchor | undefined
  isFree: boolean
}

/** The row of a database that several replicas share. */
function memoryOf(stored?: Anchor): Memory {
  const memory: Memory = {
    stored,
    isFree: false,
    load: async () => memory.stored,
    async save(next, before) {
      if (memory.stored?.hash === before) memory.stored = next
      return memory.stored
    },
    async release() {
      if (memory.isFree) memory.stored = undefined
      return memory.isFree
    },
  }
  return memory
}

const observe = ({ chain }: NetworkUnderTest) => chain.observe(inquiryOf(address))

async function nextHead(network: NetworkUnderTest): Promise<void> {
  await anvil.mine()
  await observe(network)
}

const showing = (number: number, reply: RpcReply) => (call: { method: string; params: readonly unknown[] }) =>
  call.method === 'eth_getBlockByNumber' && Number(call.params[0]) === number ? reply : undefined

describe('recording', () => {
  test('a block with 256 blocks and an hour on top of it becomes the anchor, and moves hourly', async () => {
    const memory = memoryOf()
    const clock = movedClock()
    await using network = networkOver([one.url, two.url], { anchorMemory: memory, clock })
    await nextHead(network)
    expect(memory.stored).toBeUndefined()
    clock.move(60_000)
    await nextHead(network)
    await eventually(() => memory.stored !== undefined, 'an anchor')
    const first = memory.stored
    const head = await blockAt('latest')
    expect(first).toMatchObject(await anchorAt(first?.number ?? 0, { recordedAt: expect.any(Number) }))
    expect(head.number - (first?.number ?? 0)).toBeGreaterThanOrEqual(700)
    expect(head.seconds * 1_000 - (first?.minedAt ?? 0)).toBeGreaterThanOrEqual(hourMs)
    expect(head.seconds * 1_000 - (first?.minedAt ?? 0)).toBeLessThan(hourMs + 120_000)
    network.forget()
    for (let round = 0; round < 3; round += 1) await nextHead(network)
    expect(network.count('eth_getBlockByNumber')).toBe(3)
    expect(network.count('eth_chainId')).toBe(0)
    await mineApart(30, 60)
    clock.move(hourMs)
    await nextHead(network)
    await eventually(() => (memory.stored?.number ?? 0) > (first?.number ?? 0), 'a later anchor')
  })

  test('an anchor lies 256 blocks deep where an hour has fewer', async () => {
    const memory = memoryOf()
    const clock = movedClock()
    await mineApart(300, 60)
    await using network = networkOver([one.url], { anchorMemory: memory, clock })
    clock.move(60_000)
    await nextHead(network)
    await eventually(() => memory.stored !== undefined, 'an anchor')
    expect((await blockAt('latest')).number - (memory.stored?.number ?? 0)).toBe(256)
  })

  test('no block becomes the anchor that a second endpoint contradicts', async () => {
    const memory = memoryOf()
    const clock = movedClock()
    await using network = networkOver([one.url, two.url], { anchorMemory: memory, clock })
    two.lie((call, honest) => {
      const block = 'result' in honest ? (honest.result as { number: string } | null) : null
      const isDeep = call.method === 'eth_getBlockByNumber' && call.params[0] !== 'latest'
      return isDeep && block ? { result: { ...block, hash: otherHash } } : undefined
    })
    clock.move(60_000)
    const before = two.lies()
    await nextHead(network)
    await eventually(() => two.lies() > before, 'a lie')
    await observe(network)
    expect(memory.stored).toBeUndefined()
    two.repent()
  })

  test('the lower of two tags counts, and never a block that few others lie on', async () => {
    const memory = memoryOf()
    const clock = movedClock()
    const profile = { ...ethereumProfile, finality: 'finalized' } as const
    await using network = networkOver([one.url, two.url], { anchorMemory: memory, clock, profile })
    const head = await blockAt('latest')
    one.lie(({ method, params }, honest) =>
      method === 'eth_getBlockByNumber' && params[0] === 'finalized' && 'result' in honest
        ? { result: { ...(honest.result as object), number: `0x${head.number.toString(16)}`, hash: head.hash } }
        : undefined,
    )
    clock.move(60_000)
    await nextHead(network)
    await eventually(() => memory.stored !== undefined, 'an anchor')
    const finalized = await anvil.rpc<{ number: string }>('eth_getBlockByNumber', ['finalized', false])
    expect(head.number - Number(finalized.number)).toBeGreaterThan(90)
    expect(memory.stored?.number).toBe(Number(finalized.number))
    one.repent()
  })
})

describe('an endpoint that shows another block at the anchor', () => {
  test('is neither read nor sent to, and is back once it shows the anchor', async () => {
    const anchor = await anchorAt(5)
    await using network = networkOver([one.url], { anchorMemory: memoryOf(anchor) })
    const truth = await anvil.rpc<object>('eth_getBlockByNumber', ['0x5', false])
    one.lie(showing(5, { result: { ...truth, hash: otherHash } }))
    await expect(observe(network)).rejects.toThrow('and the anchor of the network is')
    expect(network.chain.wrongChains()).toEqual([{ endpoint: 0, text: expect.stringContaining(otherHash) }])
    expect(network.chain.wrongChains()[0]?.text).toContain('if this development chain was reset')
    const sends = one.calls('eth_sendRawTransaction').length
    expect([...(await network.chain.broadcast([await signedBy(key, { nonce: 0 })])).values()]).toMatchObject([
      { kind: 'unsent' },
    ])
    expect(one.calls('eth_sendRawTransaction')).toHaveLength(sends)
    one.repent()
    await eventually(() => network.chain.wrongChains().length === 0, 'the end')
    expect((await observe(network)).head.number).toBe((await blockAt('latest')).number)
  })

  test('leaves the network to the others', async () => {
    await using network = networkOver([one.url, two.url], { anchorMemory: memoryOf(await anchorAt(5)) })
    const truth = await anvil.rpc<object>('eth_getBlockByNumber', ['0x5', false])
    one.lie(showing(5, { result: { ...truth, hash: otherHash } }))
    for (let round = 0; round < 4; round += 1) await nextHead(network)
    await eventually(() => network.chain.wrongChains().length === 1, 'the condition')
    expect(network.chain.wrongChains()).toMatchObject([{ endpoint: 0 }])
    one.repent()
  })

  test('is right where the stored anchor was replaced meanwhile', async () => {
    const memory = memoryOf(await anchorAt(5, { hash: otherHash }))
    await using network = networkOver([one.url], { anchorMemory: memory })
    await expect(observe(network)).rejects.toThrow('and the anchor of the network is')
    memory.stored = undefined
    await network.chain.anchorReplaced()
    expect(network.chain.wrongChains()).toEqual([])
    await observe(network)
  })

  test('gives the network another anchor where all endpoints do and nothing is in flight', async () => {
    const memory = memoryOf(await anchorAt(5, { hash: otherHash }))
    memory.isFree = true
    await using network = networkOver([one.url, two.url], { anchorMemory: memory })
    await eventually(
      () =>
        observe(network).then(
          () => true,
          () => false,
        ),
      'a head',
    )
    expect(memory.stored).toBeUndefined()
    expect(network.log.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining('another block replaces it') },
    ])
  })

  test('keeps the anchor where another endpoint shows it, or does not answer', async () => {
    const memory = memoryOf(await anchorAt(5))
    memory.isFree = true
    const truth = await anvil.rpc<object>('eth_getBlockByNumber', ['0x5', false])
    one.lie(showing(5, { result: { ...truth, hash: otherHash } }))
    for (const url of [two.url, 'http://127.0.0.1:9']) {
      await using network = networkOver([one.url, url], { anchorMemory: memory })
      await observe(network).catch(() => undefined)
      await eventually(() => network.chain.wrongChains().length === 1, 'the condition')
      expect(memory.stored?.number).toBe(5)
    }
    one.repent()
  })
})

describe('an endpoint that shows no block at the anchor', () => {
  test.each([
    ['null', { result: null }],
    ['an error', { error: { code: -32_000, message: 'pruned history unavailable' } }],
  ] as const)('is used where no other shows it: %s', async (_, reply) => {
    await using network = networkOver([one.url], { anchorMemory: memoryOf(await anchorAt(5)) })
    one.lie(showing(5, reply))
    await observe(network)
    await nextHead(network)
    expect(network.chain.wrongChains()).toEqual([])
    one.repent()
  })

  test('gives no first head where another one shows it', async () => {
    const wrong = await startAnvil({ mining: 'manual', baseFee: 2_000_000_000n })
    const lost = await startLyingNode(wrong.url)
    await wrong.mine((await blockAt('latest')).number + 50)
    lost.lie(showing(5, { result: null }))
    const anchorMemory = memoryOf(await anchorAt(5))
    for (const urls of [
      [lost.url, two.url],
      [two.url, lost.url],
    ]) {
      await using network = networkOver(urls, { anchorMemory })
      expect((await observe(network)).head).toMatchObject({ hash: (await blockAt('latest')).hash })
    }
    await lost[Symbol.asyncDispose]()
    await wrong.stop()
  })
})

test('a first head that is too far ahead of the anchor is not adopted', async () => {
  const far = await startAnvil({ mining: 'manual', chainId: 4_242 })
  const before = await far.rpc<{ hash: Hash; timestamp: string }>('eth_getBlockByNumber', ['0x0', false])
  const minedAt = Number(before.timestamp) * 1_000
  const anchorMemory = memoryOf({ number: 0, hash: before.hash, minedAt, recordedAt: systemClock.now() })
  await using honest = networkOver([far.url], { anchorMemory, chainId: 4_242 })
  await far.mine(300)
  await observe(honest)
  await far.rpc('anvil_mine', ['0x12c', '0x3c'])
  await using network = networkOver([far.url], { anchorMemory, chainId: 4_242 })
  await expect(observe(network)).rejects.toThrow('is too far ahead for the time since block 0')
  expect(network.chain.wrongChains()).toEqual([])
  await far.stop()
})

// The head of a real anvil: polled once for all followers, through reorgs, rewinds, gaps and lagging nodes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Head } from '../../../src/domain/observation.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { freePort } from '../../../tooling/free-port.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { movedClock } from '../moved-clock.ts'
import { eventually, inquiryOf, networkOver, signedBy } from '../network-under-test.ts'

const { address, key } = devAccount(0)
let anvil: Anvil
let proxy: RpcServer

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  proxy = await startRpcServer({ forwardTo: anvil.url })
  await anvil.mine(10)
})
afterAll(async () => {
  await proxy?.stop()
  await anvil?.stop()
})

async function tip(): Promise<{ number: number; hash: string }> {
  const block = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false])
  return { number: Number(block.number), hash: block.hash }
}

describe('following', () => {
  test('every follower gets each head once; without followers nothing is polled', async () => {
    const clock = movedClock()
    await using network = networkOver([proxy.url], { averageBlocktimeMs: 1_000, clock })
    const stop = new AbortController()
    const one: Head[] = []
    const other: Head[] = []
    network.chain.follow((head) => one.push(head), stop.signal)
    network.chain.follow((head) => other.push(head), stop.signal)
    await eventually(() => one.length === 1 && other.length === 1, 'the first head')
    await anvil.mine()
    await eventually(() => one.length === 2 && other.length === 2, 'the second head')
    expect(one[1]).toMatchObject(await tip())
    expect(one[1]?.parentHash).toBe(one[0]?.hash)
    expect(other).toEqual(one)
    stop.abort()
    await anvil.mine()
    const polled = network.count('eth_getBlockByNumber')
    // An observation reads the head by itself once the last poll is too long ago.
    clock.move(2_000)
    await network.chain.observe(inquiryOf(address))
    expect(network.count('eth_getBlockByNumber')).toBeGreaterThan(polled)
    expect(one).toHaveLength(2)
  })

  test('an observation takes the polled head and does not read it again', async () => {
    await using network = networkOver([proxy.url], { averageBlocktimeMs: 4_000 })
    const stop = new AbortController()
    const heads: Head[] = []
    network.chain.follow((head) => heads.push(head), stop.signal)
    await eventually(() => heads.length === 1, 'the first head')
    network.forget()
    const { head } = await network.chain.observe(inquiryOf(address))
    expect(head).toEqual(heads[0])
    expect(network.count('eth_getBlockByNumber')).toBe(0)
    stop.abort()
  })

  test('an observation says for how long the head has stood', async () => {
    const clock = movedClock()
    await using network = networkOver([proxy.url], { averageBlocktimeMs: 1_000, clock })
    const standsMs = async () => (await network.chain.observe(inquiryOf(address))).headStandsMs ?? 0
    expect(await standsMs()).toBeLessThan(50_000)
    clock.move(100_000)
    expect(await standsMs()).toBeGreaterThanOrEqual(100_000)
    clock.move(100_000)
    expect(await standsMs()).toBeGreaterThanOrEqual(200_000)
    await anvil.mine()
    clock.move(2_000)
    expect(await standsMs()).toBeLessThan(50_000)
  })

  test('a follower that throws does not stop the others', async () => {
    await using network = networkOver([proxy.url])
    const stop = new AbortController()
    const heads: Head[] = []
    const broken = () => {
      throw new Error('broken follower')
    }
    network.chain.follow(broken, stop.signal)
    network.chain.follow((head) => heads.push(head), stop.signal)
    await eventually(() => heads.length === 1, 'the head')
    expect(network.log.filter((line) => line.level === 'error')).toHaveLength(1)
    stop.abort()
  })

  test('an outage is reported once, and ends by itself', async () => {
    await using network = networkOver([proxy.url])
    const stop = new AbortController()
    const heads: Head[] = []
    network.chain.follow((head) => heads.push(head), stop.signal)
    await eventually(() => heads.length === 1, 'the first head')
    proxy.react({ do: 'drop' })
    const reported = (words: string) => network.log.filter((line) => line.message.includes(words)).length
    await eventually(() => reported('no endpoint of the network') === 1, 'the outage in the log')
    proxy.react({ do: 'forward' })
    await anvil.mine()
    await eventually(() => heads.length === 2, 'the head after the outage')
    await eventually(() => reported('answers again') === 1, 'the end of the outage in the log')
    stop.abort()
  })
})

describe('the chain behind the head', () => {
  test('skipped blocks are linked through their parents', async () => {
    await using network = networkOver([proxy.url])
    const { head } = await network.chain.observe(inquiryOf(address))
    await anvil.mine(5)
    await network.chain.observe(inquiryOf(address))
    network.forget()
    const heights = [1, 2, 3, 4, 5].map((step) => head.number + step)
    const { canonical } = await network.chain.observe(inquiryOf(address, { inclusionBlocks: heights }))
    expect(canonical.size).toBe(5)
    expect(network.count('eth_getBlockByNumber')).toBe(1)
    for (const height of heights) {
      const block = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
      expect(canonical.get(height)).toBe(block.hash)
    }
  })

  test('a gap of hundreds of blocks is not walked', async () => {
    await using network = networkOver([proxy.url])
    await network.chain.observe(inquiryOf(address))
    await anvil.mine(300)
    network.forget()
    const { head } = await network.chain.observe(inquiryOf(address))
    expect(head).toMatchObject(await tip())
    expect(network.count('eth_getBlockByNumber')).toBe(1)
  })

  test('a reorg replaces the hashes, takes the receipt back, and returns the one mined in its place', async () => {
    await using network = networkOver([proxy.url])
    const stop = new AbortController()
    network.chain.follow(() => undefined, stop.signal)
    const { nonce } = await network.chain.observe(inquiryOf(address))
    const ours = await signedBy(key, { nonce })
    await network.chain.broadcast([ours])
    await anvil.mine(3)
    const live = [{ nonce, attempts: [{ hash: ours.hash, kind: 'execute' as const }] }]
    const seen = async () => (await network.chain.observe(inquiryOf(address, { live }))).inclusions.get(nonce)
    await eventually(async () => (await seen()) !== undefined, 'the inclusion')
    const before = await seen()
    const height = before?.block.number ?? 0

    await anvil.rpc('anvil_reorg', [3, []])
    const requested = inquiryOf(address, { live, inclusionBlocks: [height] })
    const canonicalNow = async () => (await network.chain.observe(requested)).canonical.get(height)
    await eventually(async () => (await canonicalNow()) !== before?.block.hash, 'the other branch')
    const after = await network.chain.observe(requested)
    const block = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
    expect(after.canonical.get(height)).toBe(block.hash)
    expect(after.nonce).toBe(nonce)
    expect(after.inclusions.size).toBe(0)
    expect(network.log.some((line) => line.message.includes('reorganization'))).toBe(true)

    await anvil.rpc('eth_sendRawTransaction', [ours.raw])
    await anvil.mine()
    await eventually(async () => (await seen()) !== undefined, 'the second inclusion')
    expect((await seen())?.block.hash).not.toBe(before?.block.hash)
    stop.abort()
  })

  test('a development chain that is rewound is believed after a while', async () => {
    await using network = networkOver([proxy.url])
    const stop = new AbortController()
    const heads: Head[] = []
    const snapshot = await anvil.rpc('evm_snapshot')
    const start = await tip()
    await anvil.mine(4)
    network.chain.follow((head) => heads.push(head), stop.signal)
    await eventually(() => heads.at(-1)?.number === start.number + 4, 'the head')
    await anvil.rpc('evm_revert', [snapshot])
    await eventually(() => heads.at(-1)?.hash === start.hash, 'the head is back where the chain is')
    const observation = await network.chain.observe(inquiryOf(address))
    expect(observation.head).toMatchObject(start)
    stop.abort()
  })

  test('a development chain that is started anew is followed from its beginning', async () => {
    const old = await startAnvil({ mining: 'manual', port: await freePort() })
    await old.mine(20)
    await using network = networkOver([old.url])
    const stop = new AbortController()
    const heads: Head[] = []
    network.chain.follow((head) => heads.push(head), stop.signal)
    await eventually(() => heads.at(-1)?.number === 20, 'the old chain')
    await old.stop()
    await using fresh = await startAnvil({ mining: 'manual', port: old.port })
    await fresh.mine(2)
    await eventually(() => heads.at(-1)?.number === 2, 'the new chain')
    const { hash } = await fresh.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x2', false])
    expect(heads.at(-1)?.hash).toBe(hash)
    const { canonical } = await network.chain.observe(inquiryOf(address, { inclusionBlocks: [2, 20] }))
    expect([...canonical]).toEqual([[2, hash]])
    stop.abort()
  })

  test('nodes that lag are not the truth either while the one that is ahead of them does not answer, unless for long', async () => {
    await using ahead = await startRpcServer({ forwardTo: anvil.url })
    await using lagging = await startRpcServer({ forwardTo: anvil.url })
    const old = await anvil.rpc('eth_getBlockByNumber', ['latest', false])
    lagging.react(({ calls }) =>
      calls.some(({ params }) => params[0] === 'latest')
        ? { do: 'answer', each: () => ({ result: old }) }
        : { do: 'forward' },
    )
    await anvil.mine(3)
    const now = await tip()
    let passedMs = 0
    const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + passedMs }
    await using network = networkOver([ahead.url, lagging.url], { averageBlocktimeMs: 1_000, clock })
    const headNow = async () => (await network.chain.observe(inquiryOf(address)).catch(() => undefined))?.head.hash
    await eventually(async () => (await headNow()) === now.hash, 'the head')
    ahead.react({ do: 'drop' })
    for (let round = 0; round < 20; round += 1) {
      passedMs += 5_000
      expect([now.hash, undefined]).toContain(await headNow())
    }
    // It was wrong, perhaps, and never comes back.
    passedMs += 30_000
    await eventually(async () => (await headNow()) === (old as Head).hash, 'the head of those who answer')
  })

  test('a node that lags is not the truth', async () => {
    await using lagging = await startRpcServer({ forwardTo: anvil.url })
    const old = await anvil.rpc('eth_getBlockByNumber', ['latest', false])
    await anvil.mine(3)
    lagging.react(({ calls }) =>
      calls.some((call) => call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest')
        ? { do: 'answer', each: () => ({ result: old }) }
        : { do: 'forward' },
    )
    await using network = networkOver([proxy.url, lagging.url])
    const now = await tip()
    for (let round = 0; round < 8; round += 1) {
      const { head } = await network.chain.observe(inquiryOf(address))
      // Until a second report, the first one counts; from then on the height never falls.
      if (round > 1) expect(head).toMatchObject(now)
    }
  })
})

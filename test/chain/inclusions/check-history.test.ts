// How far an account came without its record: by every readable pool, until nothing more can show.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HistoryReach } from '../../../src/domain/observation.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type Reaction, type RpcRequest, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { inquiryOf, networkOver, signedBy } from '../network-under-test.ts'

const sender = devAccount(0)
let anvil: Anvil
let one: RpcServer
let other: RpcServer

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  one = await startRpcServer({ forwardTo: anvil.url })
  other = await startRpcServer({ forwardTo: anvil.url })
})
afterAll(async () => {
  await Promise.all([one?.stop(), other?.stop()])
  await anvil?.stop()
})

const lacksThePool: Reaction = { do: 'forwardBut', method: 'eth_getTransactionCount', reply: { result: '0x0' } }

test('a pool that could not be read at first is read again, and earlier findings stay until it is complete', async () => {
  await using network = networkOver([one.url, other.url])
  await network.chain.broadcast([await signedBy(sender.key, { nonce: 0 })])
  const look = async (seen?: HistoryReach) => {
    const lostHistory = { from: 0, explained: new Set<number>(), since: 0, confirmations: 3, ...(seen && { seen }) }
    return (await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true, lostHistory }))).lostHistory
      ?.below
  }
  const seen = { below: 0, at: 0, isWhole: false }

  one.react(lacksThePool)
  other.react({ do: 'say', status: 500, body: '' })
  expect(await look()).toBe(0)
  one.react({ do: 'forward' })
  expect(await look({ ...seen, isWhole: true })).toBe(0)
  expect(await look(seen)).toBe(1)
  one.react(lacksThePool)
  expect(await look({ ...seen, below: 1 })).toBe(1)
})

test('what an earlier look found is not named again once it is explained', async () => {
  await using node = await startAnvil({ mining: 'manual' })
  for (const nonce of [0, 1]) {
    await node.rpc('eth_sendRawTransaction', [(await signedBy(sender.key, { nonce })).raw])
    await node.mine(1)
  }
  await node.mine(3)
  await using network = networkOver([node.url])
  const look = async (from: number, ...explained: number[]) => {
    const lostHistory = { from, explained: new Set(explained), since: 0, confirmations: 3 }
    const observation = await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true, lostHistory }))
    return observation.lostHistory?.spenders?.map(({ nonce }) => nonce)
  }

  expect(await look(0)).toEqual([0, 1])
  expect(await look(1)).toEqual([1])
  expect(await look(0, 1)).toEqual([0])
})

describe.each([1_000 * 50, 1_000, 1_000 / 50])('blocks each second, configured as %d ms', (averageBlocktimeMs) => {
  test('nonces spent since are searched from then on, and a header that cannot be read is no answer', async () => {
    await using node = await startAnvil({ mining: 'manual' })
    await using proxy = await startRpcServer({ forwardTo: node.url })
    const spend = async (nonce: number) => {
      await node.rpc('eth_sendRawTransaction', [(await signedBy(sender.key, { nonce })).raw])
      await node.mine(600)
    }
    const now = async () =>
      Number((await node.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp) * 1_000
    await spend(0)
    const since = await now()
    await spend(1)
    const head = await now()
    await using network = networkOver([proxy.url], { averageBlocktimeMs, clock: { ...systemClock, now: () => head } })
    const look = async () => {
      const lostHistory = { from: 0, explained: new Set<number>(), since, confirmations: 3 }
      return (await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true, lostHistory }))).lostHistory
    }
    const isOlder = ({ calls }: RpcRequest) =>
      calls.every(
        ({ method, params: [number, full] }) => method === 'eth_getBlockByNumber' && number !== 'latest' && !full,
      )

    proxy.react((request) => (isOlder(request) ? { do: 'say', status: 500, body: '' } : { do: 'forward' }))
    expect(await look()).toEqual({ below: 2, finalBelow: 2 })
    proxy.react({ do: 'forward' })
    const seen = await look()
    // Earlier nonces do not matter.
    expect(seen?.spenders?.map(({ nonce, block }) => [nonce, block.number])).toEqual([[1, 601]])
    network.forget()
    expect((await look())?.spenders).toEqual(seen?.spenders)
    // The start is found once; later checks read the head, and whether the block is canonical at it.
    expect(network.count('eth_getBlockByNumber')).toBeLessThanOrEqual(3)
  })
})

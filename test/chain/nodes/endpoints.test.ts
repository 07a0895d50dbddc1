// Several endpoints: failover, weights, wrong chains, and a dead one that disables nothing.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { replacementRuleOf } from '../../../src/chain/nodes/serving.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { eventually, inquiryOf, networkOver, patienceMs } from '../network-under-test.ts'

const { address } = devAccount(0)
const fields = { measure: 'fields', percent: 10n }
const strictest = { measure: 'effectivePrice', percent: 10n }
let anvil: Anvil
let one: RpcServer
let other: RpcServer

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  one = await startRpcServer({ forwardTo: anvil.url })
  other = await startRpcServer({ forwardTo: anvil.url })
})
afterEach(() => {
  for (const server of [one, other]) {
    server.react({ do: 'forward' })
    server.forget()
  }
})
afterAll(async () => {
  await one?.stop()
  await other?.stop()
  await anvil?.stop()
})

describe('failover', () => {
  test.each([
    ['drops connections', { do: 'drop' }],
    ['says HTTP 500', { do: 'say', status: 500, body: 'oops' }],
    ['is rate limited', { do: 'say', status: 429, body: '' }],
    ['talks garbage', { do: 'say', body: '<html>' }],
    ['is silent', { do: 'ignore' }],
  ] as const)('an endpoint that %s leaves the network usable', async (_, fault) => {
    await using network = networkOver([one.url, other.url], { timeoutMs: patienceMs })
    one.react(fault)
    for (let round = 0; round < 3; round += 1) {
      const observation = await network.chain.observe(inquiryOf(address, { balance: 'now', market: true }))
      expect(observation.balance).toBe(10_000n * 10n ** 18n)
      expect(observation.market).toBeDefined()
    }
    expect(await network.chain.balance(address)).toBe(10_000n * 10n ** 18n)
  })

  test('a silent endpoint is found out once, and used again when it has answered a probe', async () => {
    await using network = networkOver([one.url, other.url], { timeoutMs: patienceMs })
    await network.chain.observe(inquiryOf(address))
    one.forget()
    one.react({ do: 'ignore' })
    for (let round = 0; round < 12; round += 1) await network.chain.observe(inquiryOf(address))
    expect(one.calls('eth_getBlockByNumber').length).toBeLessThanOrEqual(1)
    one.react({ do: 'forward' })
    one.forget()
    await eventually(async () => {
      await network.chain.observe(inquiryOf(address))
      return one.calls('eth_getBlockByNumber').length > 0
    }, 'the recovered endpoint gets the call for the head again')
  })

  test('a jump of the machine’s clock does not change the length of a rest', async () => {
    let skewMs = 0
    const clock = { ...systemClock, now: () => systemClock.now() + skewMs }
    await using network = networkOver([one.url, other.url], { clock })
    await network.chain.observe(inquiryOf(address))
    one.react({ do: 'drop' })
    for (let round = 0; round < 4; round += 1) await network.chain.observe(inquiryOf(address))
    one.react({ do: 'forward' })
    one.forget()
    skewMs = -3_600_000
    await eventually(async () => {
      await network.chain.observe(inquiryOf(address))
      return one.calls('eth_getBlockByNumber').length > 0
    }, 'the recovered endpoint is called again, an hour before it failed by the machine’s clock')
  })

  test('an endpoint that recovers is used again, also when it is the only one', async () => {
    await using network = networkOver([one.url])
    await network.chain.observe(inquiryOf(address))
    one.react({ do: 'drop' })
    for (let round = 0; round < 5; round += 1) {
      await expect(network.chain.observe(inquiryOf(address))).rejects.toThrow('endpoint 0')
    }
    one.react({ do: 'forward' })
    expect((await network.chain.observe(inquiryOf(address))).nonce).toBe(0)
  })

  test('a node that does not have the head’s state yet is passed over', async () => {
    await using network = networkOver([one.url, other.url])
    one.react(({ calls }) =>
      calls.some((call) => call.method === 'eth_getTransactionCount')
        ? { do: 'answer', each: () => ({ error: { code: -32000, message: 'header not found' } }) }
        : { do: 'forward' },
    )
    for (let round = 0; round < 3; round += 1) {
      await anvil.mine()
      expect((await network.chain.observe(inquiryOf(address))).nonce).toBe(0)
    }
    expect(other.calls('eth_getTransactionCount').length).toBeGreaterThanOrEqual(3)
  })
})

describe('the called endpoint', () => {
  test('heads are read by weight, and a weight of nothing waits for the others to fail', async () => {
    const endpoints = [
      { url: one.url, weight: 3 },
      { url: other.url, weight: 1 },
      { url: anvil.url, weight: 0 },
    ]
    await using network = networkOver([], { endpoints })
    for (let round = 0; round < 8; round += 1) await network.chain.observe(inquiryOf(address))
    expect(network.count('eth_getBlockByNumber', 0)).toBe(6)
    expect(network.count('eth_getBlockByNumber', 1)).toBe(2)
    expect(network.count('eth_getBlockByNumber', 2)).toBe(0)
    one.react({ do: 'drop' })
    other.react({ do: 'drop' })
    await network.chain.observe(inquiryOf(address))
    expect(network.count('eth_getBlockByNumber', 2)).toBe(1)
  })

  test('an endpoint is verified once, and one of another chain gets no other call', async () => {
    other.react({ do: 'answer', each: ({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : 'Geth/v1.17.0' }) })
    await using network = networkOver([one.url, other.url])
    for (let round = 0; round < 4; round += 1) await network.chain.observe(inquiryOf(address))
    // Once more with the first head, which nothing links to a remembered block.
    expect(network.count('eth_chainId', 0)).toBe(2)
    expect(network.count('web3_clientVersion', 0)).toBe(1)
    expect(new Set(other.calls().map(({ method }) => method))).toEqual(new Set(['eth_chainId', 'web3_clientVersion']))
    const errors = network.log.filter((line) => line.level === 'error')
    expect(errors).toEqual([
      {
        level: 'error',
        facts: { endpoint: 1, expected: 31_337, served: 1 },
        message: expect.stringContaining('another chain'),
      },
    ])
  })
})

describe('the replacement rule', () => {
  test.each([
    ['Geth/v1.17.0-stable/linux-amd64/go1.25.1', fields],
    ['reth/v2.1.0-abcdef/x86_64-unknown-linux-gnu', fields],
    ['erigon/3.3.1/linux-amd64/go1.25', fields],
    ['Nethermind/v1.36.0+abc/linux-x64/dotnet10', fields],
    ['anvil/v1.7.1', fields],
    ['HardhatNetwork/3.18.0/@nomicfoundation/edr/0.3.8', fields],
    ['besu/v26.1.0/linux-x86_64/openjdk-java-21', strictest],
    ['SomethingNew/v1', strictest],
    ['constructor', strictest],
    ['', strictest],
    [undefined, strictest],
  ])('%s', (version, rule) => {
    expect(replacementRuleOf(version)).toEqual(rule)
  })

  test('is the strictest as soon as one endpoint needs it', async () => {
    other.react((request) =>
      request.calls.some((call) => call.method === 'web3_clientVersion')
        ? { do: 'answer', each: ({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : 'besu/v26.1.0' }) }
        : { do: 'forward' },
    )
    await using alone = networkOver([one.url])
    expect((await alone.chain.observe(inquiryOf(address))).rule).toEqual(fields)
    await using mixed = networkOver([one.url, other.url])
    await mixed.chain.observe(inquiryOf(address))
    expect((await mixed.chain.observe(inquiryOf(address))).rule).toEqual(strictest)
  })
})

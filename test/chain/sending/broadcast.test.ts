// Broadcasting to real nodes: the real answers of anvil and Hardhat, and what is certain without an answer.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BroadcastRequest } from '../../../src/chain/chain.ts'
import type { BroadcastOutcome } from '../../../src/domain/attempt.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type Hardhat, startHardhat } from '../../../tooling/hardhat.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import {
  eventually,
  inquiryOf,
  type NetworkUnderTest,
  networkOver,
  patienceMs,
  signedBy,
} from '../network-under-test.ts'

const gwei = 1_000_000_000n
const rich = devAccount(0)
const poorKey = `0x${'42'.repeat(32)}` as const

async function outcomeOf(network: NetworkUnderTest, signed: BroadcastRequest): Promise<BroadcastOutcome | undefined> {
  return (await network.chain.broadcast([signed])).get(signed.hash)
}

describe.each(['anvil', 'Hardhat'] as const)('%s', (client) => {
  let node: Anvil | Hardhat
  let network: NetworkUnderTest
  beforeAll(async () => {
    node = client === 'anvil' ? await startAnvil({ mining: 'manual' }) : await startHardhat()
    network = networkOver([node.url])
  })
  afterAll(async () => {
    await network?.chain.close()
    await node?.stop()
  })

  test('answers in words that the table has', async () => {
    const first = await signedBy(rich.key, { nonce: 0 })
    expect(await outcomeOf(network, first)).toEqual({ kind: 'accepted' })
    expect(await outcomeOf(network, first)).toEqual({ kind: 'alreadyKnown' })
    const cheaper = await signedBy(rich.key, { nonce: 0, maxFeePerGas: 19n * gwei })
    expect(await outcomeOf(network, cheaper)).toMatchObject({ kind: 'rejected', code: 'replacementUnderpriced' })
    expect(await outcomeOf(network, await signedBy(poorKey, { nonce: 0, value: 1n }))).toMatchObject({
      kind: 'rejected',
      code: 'insufficientFunds',
    })
    expect(await outcomeOf(network, await signedBy(rich.key, { nonce: 9, gas: 20_000n }))).toMatchObject({
      kind: 'rejected',
      code: 'invalid',
    })
    await node.mine()
    expect(await outcomeOf(network, await signedBy(rich.key, { nonce: 0, value: 3n }))).toMatchObject({
      kind: 'rejected',
      code: 'nonceTooLow',
    })
  })

  test('a replacement that the rule allows takes the nonce', async () => {
    const { key, address } = devAccount(1)
    const original = await signedBy(key, { nonce: 0, value: 1n })
    const noOp = await signedBy(key, { nonce: 0, maxFeePerGas: 22n * gwei, maxPriorityFeePerGas: (11n * gwei) / 10n })
    const outcomes = await network.chain.broadcast([original, noOp])
    expect([...outcomes.values()]).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    await node.mine()
    const attempts = [
      { hash: original.hash, kind: 'execute' as const },
      { hash: noOp.hash, kind: 'cancel' as const },
    ]
    const { inclusions, rule } = await network.chain.observe(inquiryOf(address, { live: [{ nonce: 0, attempts }] }))
    expect(inclusions.get(0)).toMatchObject({ hash: noOp.hash, kind: 'cancel', succeeded: true })
    expect(rule).toEqual({ measure: 'fields', percent: 10n })
  })

  test('reports head, prices, foreign transactions and reverts as well', async () => {
    const { key, address } = devAccount(2)
    await node.rpc('eth_sendRawTransaction', [(await signedBy(key, { nonce: 0, value: 1n })).raw])
    await node.mine(3)
    const transactionId = 'reverting' as TransactionId
    const live = [{ nonce: 0, attempts: [{ hash: `0x${'66'.repeat(32)}` as const, kind: 'execute' as const }] }]
    const observation = await network.chain.observe(
      inquiryOf(address, {
        live,
        market: true,
        estimates: [{ transactionId, from: address, value: 0n, data: '0x60006000fd' }],
      }),
    )
    expect(observation.inclusions.get(0)?.by).toBe('external')
    expect(observation.market?.baseFee).toBeGreaterThan(0n)
    expect(observation.estimates.get(transactionId)?.kind).toBe('reverts')
  })
})

describe('Hardhat, the strict chain', () => {
  test('refuses a replacement that raises one fee only, or by less than a tenth', async () => {
    await using node = await startHardhat({ baseFee: gwei })
    await using network = networkOver([node.url])
    await outcomeOf(network, await signedBy(rich.key, { nonce: 0 }))
    const refused = { kind: 'rejected', code: 'replacementUnderpriced' }
    const capOnly = await signedBy(rich.key, { nonce: 0, maxFeePerGas: 30n * gwei })
    expect(await outcomeOf(network, capOnly)).toMatchObject(refused)
    const tipOnly = await signedBy(rich.key, { nonce: 0, maxPriorityFeePerGas: 2n * gwei })
    expect(await outcomeOf(network, tipOnly)).toMatchObject(refused)
    const both = { nonce: 0, maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: (105n * gwei) / 100n }
    expect(await outcomeOf(network, await signedBy(rich.key, both))).toMatchObject(refused)
  })
})

describe('certainty', () => {
  let anvil: Anvil
  let one: RpcServer
  let other: RpcServer
  let nonce = 0
  beforeAll(async () => {
    anvil = await startAnvil({ mining: 'manual' })
    one = await startRpcServer({ forwardTo: anvil.url })
    other = await startRpcServer({ forwardTo: anvil.url })
  })
  beforeEach(async () => {
    one.react({ do: 'forward' })
    other.react({ do: 'forward' })
    one.forget()
    other.forget()
    nonce = Number(await anvil.rpc<string>('eth_getTransactionCount', [rich.address, 'pending']))
  })
  afterAll(async () => {
    await one?.stop()
    await other?.stop()
    await anvil?.stop()
  })

  const whenSending = (server: RpcServer, reaction: Parameters<RpcServer['react']>[0]) =>
    server.react((request) => {
      if (!request.calls.some((call) => call.method === 'eth_sendRawTransaction')) return { do: 'forward' }
      return typeof reaction === 'function' ? reaction(request) : reaction
    })
  const poolHas = async (signed: BroadcastRequest) =>
    (await anvil.rpc<object | null>('eth_getTransactionByHash', [signed.hash])) !== null

  test.each(['swallow', 'forwardAndDrop'] as const)(
    '%s: the node has it and its answer is lost, so the outcome is unknown',
    async (fault) => {
      await using network = networkOver([one.url], { timeoutMs: patienceMs })
      await network.chain.balance(rich.address)
      whenSending(one, { do: fault })
      const signed = await signedBy(rich.key, { nonce })
      expect(await outcomeOf(network, signed)).toMatchObject({ kind: 'unknown' })
      expect(await poolHas(signed)).toBe(true)
    },
  )

  test('a node that is not there, at the start or later, is sent nothing', async () => {
    const gone = await startRpcServer({ forwardTo: anvil.url })
    await using known = networkOver([gone.url])
    await known.chain.balance(rich.address)
    await gone.stop()
    await using fresh = networkOver([gone.url])
    const signed = await signedBy(rich.key, { nonce })
    expect(await outcomeOf(fresh, signed)).toMatchObject({ kind: 'unsent' })
    expect(await outcomeOf(known, signed)).toMatchObject({ kind: 'unsent' })
    expect(await poolHas(signed)).toBe(false)
  })

  test('an endpoint of another chain gets no bytes at all', async () => {
    await using network = networkOver([one.url], { chainId: 1 })
    const signed = await signedBy(rich.key, { nonce })
    expect(await outcomeOf(network, signed)).toMatchObject({ kind: 'unsent' })
    expect(one.calls('eth_sendRawTransaction')).toHaveLength(0)
    expect(network.log.filter((line) => line.level === 'error')).toHaveLength(1)
  })

  test.each([
    ['unknown', { do: 'drop' }],
    ['a limit of its own', { do: 'answer', each: () => ({ error: { code: -32000, message: 'txpool is full' } }) }],
  ] as const)('reach one: after %s the next endpoint is tried', async (_, fault) => {
    await using network = networkOver([one.url, other.url])
    await network.chain.balance(rich.address)
    whenSending(one, fault)
    whenSending(other, { do: 'forward' })
    const signed = [await signedBy(rich.key, { nonce }), await signedBy(rich.key, { nonce: nonce + 1 })]
    // Both are behind the same node: in either order, one attempt of each succeeds.
    const outcomes = await network.chain.broadcast(signed)
    expect([...outcomes.values()]).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    expect(other.calls('eth_sendRawTransaction')).toHaveLength(2)
  })

  test('reach one: an endpoint that takes it is enough', async () => {
    await using network = networkOver([one.url, other.url])
    await network.chain.broadcast([await signedBy(rich.key, { nonce })])
    const sends = [one, other].map((server) => server.calls('eth_sendRawTransaction').length)
    expect(sends.sort()).toEqual([0, 1])
  })

  test('reach all: it is broadcast to every endpoint, and what one may hold no other takes back', async () => {
    await using network = networkOver([one.url, other.url], { timeoutMs: patienceMs })
    await network.chain.balance(rich.address)
    whenSending(one, { do: 'swallow' })
    whenSending(other, { do: 'answer', each: () => ({ error: { code: -32000, message: 'nonce too low' } }) })
    const signed = await signedBy(rich.key, { nonce, reach: 'all' })
    expect(await outcomeOf(network, signed)).toMatchObject({ kind: 'unknown' })
    for (const server of [one, other]) expect(server.calls('eth_sendRawTransaction')).toHaveLength(1)
  })

  test('reach all: it is broadcast to a dead endpoint too, and does not hold up what others have taken', async () => {
    // Waiting for it would take longer than a test may.
    await using network = networkOver([one.url, other.url], { timeoutMs: 120_000 })
    one.react({ do: 'drop' })
    await network.chain.observe(inquiryOf(rich.address))
    await network.chain.observe(inquiryOf(rich.address))
    one.react((request) =>
      request.calls.some((call) => call.method === 'eth_sendRawTransaction') ? { do: 'ignore' } : { do: 'forward' },
    )
    const signed = await signedBy(rich.key, { nonce, reach: 'all' })
    expect(await outcomeOf(network, signed)).toEqual({ kind: 'accepted' })
    await eventually(() => one.calls('eth_sendRawTransaction').length === 1, 'the dead endpoint has it as well')
  })

  test('many transactions are one request, in ascending order, and each call is counted', async () => {
    await using network = networkOver([one.url])
    await network.chain.balance(rich.address)
    one.forget()
    network.forget()
    const signed = await Promise.all(
      Array.from({ length: 60 }, (_, index) => signedBy(rich.key, { nonce: nonce + index })),
    )
    const outcomes = await network.chain.broadcast(signed)
    expect([...outcomes.values()].every((outcome) => outcome.kind === 'accepted')).toBe(true)
    expect(one.requests).toHaveLength(1)
    expect(one.calls().map((call) => call.params[0])).toEqual(signed.map((signed) => signed.raw))
    expect(network.count('eth_sendRawTransaction')).toBe(60)
  })
})

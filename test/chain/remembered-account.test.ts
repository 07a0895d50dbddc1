// What an observation costs, and what it may leave unasked: on a real chain, with what is remembered held against it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Envelope } from '../../src/chain/chain.ts'
import type { TransactionId } from '../../src/domain/ids.ts'
import type { Inquiry, LiveNonce } from '../../src/domain/observation.ts'
import { type Anvil, devAccount, startAnvil } from '../support/anvil.ts'
import { type RpcServer, startRpcServer } from '../support/rpc-server.ts'
import { envelopeBy, inquiryOf, type NetworkUnderTest, networkOver } from './network-under-test.ts'

const { key, address } = devAccount(0)
let anvil: Anvil
let proxy: RpcServer
let network: NetworkUnderTest
let snapshot: string

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  proxy = await startRpcServer({ forwardTo: anvil.url })
})
beforeEach(async () => {
  await network?.chain.close()
  if (snapshot) await anvil.rpc('evm_revert', [snapshot])
  snapshot = await anvil.rpc('evm_snapshot')
  network = networkOver([proxy.url])
})
afterAll(async () => {
  await network?.chain.close()
  await proxy?.stop()
  await anvil?.stop()
})

/** As a relayer's step asks. */
function look(asked: Partial<Inquiry> = {}) {
  network.forget()
  return network.chain.observe(inquiryOf(address, { nonce: 'recent', ...asked }))
}

/** What the last look asked of the account; the head and the endpoint's introduction are not its affair. */
function asked(): readonly string[] {
  const shared = ['eth_getBlockByNumber', 'eth_chainId', 'web3_clientVersion']
  return network.calls.map(({ method }) => method).filter((method) => !shared.includes(method))
}

async function send(nonce: number): Promise<{ envelope: Envelope; live: LiveNonce }> {
  const { head } = await look()
  const envelope = await envelopeBy(key, { nonce, to: devAccount(3).address, value: 7n })
  await network.chain.broadcast([envelope])
  const payloads = [{ to: devAccount(3).address, value: 7n, data: '0x' as const }]
  return { envelope, live: { nonce, payloads, unspentAt: head.number, attempts: [{ ...envelope, kind: 'execute' }] } }
}

/** Of the same key, and none of ours. */
async function strangerSpends(nonce: number): Promise<void> {
  await network.chain.broadcast([await envelopeBy(key, { nonce, value: 1n })])
  await anvil.mine()
}

describe('the nonce', () => {
  test('before the first send the pool’s count alone will do, and after it the receipt', async () => {
    const first = await look({ pendingNonce: true, balance: 'recent' })
    expect(first).toMatchObject({ nonce: 0, pendingNonce: 0 })
    expect(asked()).toEqual(['eth_getTransactionCount', 'eth_getBalance'])

    const { live } = await send(0)
    await look({ live: [live] })
    expect(asked()).toEqual([])
    await anvil.mine()
    const after = await look({ live: [live] })
    expect(asked()).toEqual(['eth_getTransactionReceipt'])
    expect(after.nonce).toBe(1)
    expect(after.inclusions.get(0)).toMatchObject({ by: 'attempt', succeeded: true })
    // The next send, and the wait for confirmations, cost nothing more.
    await anvil.mine()
    await look({ spentBelow: 1, inclusionBlocks: [after.head.number], balance: 'recent' })
    expect(asked()).toEqual([])
  })

  test('where the pool holds more than is settled, the account is counted', async () => {
    await network.chain.broadcast([await envelopeBy(key, { nonce: 0 })])
    expect(await look({ pendingNonce: true, balance: 'recent' })).toMatchObject({ nonce: 0, pendingNonce: 1 })
    await anvil.mine()
    expect(await look({ balance: 'recent' })).toMatchObject({ nonce: 1 })
    expect(asked()).toContain('eth_getTransactionCount')
  })

  test('of two in flight the second is asked for once the first is mined; of three the count is', async () => {
    await look()
    const [first, second] = [await send(0), await send(1)]
    await anvil.mine()
    const both = await look({ live: [second.live, first.live] })
    expect(asked()).toEqual(['eth_getTransactionReceipt', 'eth_getTransactionReceipt'])
    expect([both.nonce, [...both.inclusions.keys()]]).toEqual([2, [0, 1]])

    const three = [await send(2), await send(3), await send(4)]
    await anvil.mine()
    await look({ live: three.map(({ live }) => live) })
    expect(asked().filter((method) => method === 'eth_getTransactionCount')).toHaveLength(1)
  })

  test('under one head a receipt is asked for once', async () => {
    await look()
    const { live } = await send(0)
    await anvil.rpc('anvil_dropTransaction', [live.attempts[0]?.hash])
    await anvil.mine()
    await look({ live: [live] })
    expect(asked()).toEqual(['eth_getTransactionReceipt'])
    await look({ live: [live] })
    expect(asked()).toEqual([])
  })

  test('a stranger that takes the nonce of what is in flight is found out some blocks later', async () => {
    await look()
    const { live } = await send(0)
    await anvil.rpc('anvil_dropTransaction', [live.attempts[0]?.hash])
    await strangerSpends(0)
    expect((await look({ live: [live] })).nonce).toBe(0)
    await anvil.mine(3)
    const found = await look({ live: [live] })
    expect(found.nonce).toBe(1)
    expect(found.inclusions.get(0)).toMatchObject({ by: 'external' })
    // From now on nothing of this account is believed beyond the head.
    await anvil.mine()
    await look({ spentBelow: 1, balance: 'recent' })
    expect(asked()).toEqual(['eth_getTransactionCount', 'eth_getBalance'])
  })

  test('a stranger that uses the key of an idle relayer is noticed after a while, and then at once', async () => {
    await look()
    await strangerSpends(0)
    expect((await look({ balance: 'recent' })).nonce).toBe(0)
    await anvil.mine(32)
    expect((await look({ balance: 'recent' })).nonce).toBe(1)
    await strangerSpends(1)
    expect((await look({ balance: 'recent' })).nonce).toBe(2)
  })

  test('a client that asks how the relayer is does not hide from it that somebody else used its key', async () => {
    await look({ balance: 'recent', delegation: true })
    await strangerSpends(0)
    // As commands/read-status.ts asks: of what is in flight it knows nothing.
    expect((await look({ nonce: 'now', balance: 'now' })).nonce).toBe(1)
    await anvil.mine(32)
    expect(await look({ balance: 'recent', delegation: true })).toMatchObject({ nonce: 1 })
    await anvil.mine()
    await look({ balance: 'recent', delegation: true })
    expect(asked()).toEqual(['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode'])
  })

  test.each<[string, Partial<Inquiry>]>([
    ['a node contradicted it', { nonce: 'now' }],
    ['the store has proof of more', { spentBelow: 1 }],
  ])('what is remembered does not stand when %s', async (_, contradiction) => {
    await look()
    await strangerSpends(0)
    expect((await look(contradiction)).nonce).toBe(1)
  })

  test('a reorganisation takes back what the receipt proved', async () => {
    await look()
    const { live } = await send(0)
    const before = await anvil.rpc<string>('evm_snapshot')
    await anvil.mine()
    expect((await look({ live: [live] })).nonce).toBe(1)
    await anvil.rpc('evm_revert', [before])
    await anvil.rpc('anvil_dropTransaction', [live.attempts[0]?.hash])
    await anvil.mine(2)
    expect(await look({ live: [live] })).toMatchObject({ nonce: 0, inclusions: new Map() })
  })
})

describe('the balance', () => {
  test('is reckoned with what was mined, to the wei, and read anew when it is asked for as of now', async () => {
    await look({ balance: 'recent' })
    const { live } = await send(0)
    await anvil.mine()
    const reckoned = await look({ live: [live], balance: 'recent' })
    expect(asked()).not.toContain('eth_getBalance')
    expect(reckoned.balanceReadAt).toBe(reckoned.head.number - 1)
    // A look that was repeated, because its decisions could not be recorded, takes nothing off twice.
    expect((await look({ live: [live], balance: 'recent' })).balance).toBe(reckoned.balance)
    const read = await look({ balance: 'now' })
    expect(asked()).toContain('eth_getBalance')
    expect(reckoned.balance).toBe(read.balance)
    expect(read.balanceReadAt).toBe(read.head.number)
  })

  test('is not trusted for ever: what came in from outside is seen', async () => {
    const { balance = 0n } = await look({ balance: 'recent' })
    await anvil.rpc('anvil_setBalance', [address, `0x${(balance + 5n).toString(16)}`])
    await anvil.mine()
    expect((await look({ balance: 'recent' })).balance).toBe(balance)
    await anvil.mine(64)
    expect((await look({ balance: 'recent' })).balance).toBe(balance + 5n)
  })
})

test('the code is read where two could be in flight, and kept', async () => {
  await look({ balance: 'recent', delegation: true })
  expect(asked()).toContain('eth_getCode')
  await anvil.mine(50)
  expect(await look({ balance: 'recent', delegation: true })).toMatchObject({ delegated: false })
  expect(asked()).not.toContain('eth_getCode')
})

describe('gas', () => {
  const transfer = { transactionId: 'one' as TransactionId, from: address, to: devAccount(3).address, value: 1n }
  const request = { ...transfer, data: '0x' as const }
  const others = { ...request, value: 2n }

  test('is estimated once under a head, however often a relayer that waits is woken', async () => {
    const first = await look({ estimates: [request] })
    expect(first.estimates.get(request.transactionId)).toEqual({ kind: 'gas', gas: 21_000 })
    const again = await look({ estimates: [request] })
    expect(again.estimates).toEqual(first.estimates)
    expect(asked()).toEqual([])
    // The same transaction with a payload that replaced its own, and the next head, are something else.
    await look({ estimates: [others] })
    expect(asked()).toEqual(['eth_estimateGas'])
    await anvil.mine()
    await look({ estimates: [request] })
    expect(asked()).toContain('eth_estimateGas')
  })

  test('that would revert is asked for again: it may only need what is ahead of it', async () => {
    // A constructor that reverts.
    const reverting = { transactionId: request.transactionId, from: address, value: 0n, data: '0x60006000fd' as const }
    for (let looks = 0; looks < 2; looks += 1) {
      const { estimates } = await look({ estimates: [reverting] })
      expect(estimates.get(request.transactionId)).toMatchObject({ kind: 'reverts' })
      expect(asked()).toContain('eth_estimateGas')
    }
  })
})

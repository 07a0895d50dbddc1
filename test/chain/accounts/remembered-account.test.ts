// What an observation costs, and which reads it may skip: remembered values are compared with a real chain.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BroadcastRequest } from '../../../src/chain/chain.ts'
import type { Address, TransactionId } from '../../../src/domain/ids.ts'
import type { Inquiry, LiveNonce } from '../../../src/domain/observation.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { movedClock } from '../moved-clock.ts'
import { inquiryOf, type NetworkUnderTest, networkOver, signedBy } from '../network-under-test.ts'

const { key, address } = devAccount(0)
let anvil: Anvil
let proxy: RpcServer
let network: NetworkUnderTest
let clock: ReturnType<typeof movedClock>
let snapshot: string

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  proxy = await startRpcServer({ forwardTo: anvil.url })
})
beforeEach(async () => {
  await network?.chain.close()
  proxy.react({ do: 'forward' })
  if (snapshot) await anvil.rpc('evm_revert', [snapshot])
  snapshot = await anvil.rpc('evm_snapshot')
  clock = movedClock()
  network = networkOver([proxy.url], { clock })
})
afterAll(async () => {
  await network?.chain.close()
  await proxy?.stop()
  await anvil?.stop()
})

/** As a relayer's step reads. */
function look(requested: Partial<Inquiry> = {}) {
  network.forget()
  return network.chain.observe(inquiryOf(address, { nonce: 'recent', ...requested }))
}

function numbered(count: number): readonly Address[] {
  return Array.from({ length: count }, (_, index) => `0x${(0xabc_000 + index).toString(16).padStart(40, '0')}` as const)
}

/** At an account of its own, with as many others announced, of 7 wei each. */
async function lookAtAnother(count = 1): Promise<readonly [Address, ...Address[]]> {
  const [first, ...others] = numbered(count)
  if (!first) throw new Error('at least one')
  for (const each of [first, ...others]) {
    await anvil.rpc('anvil_setBalance', [each, '0x7'])
    network.chain.announce(each)
  }
  await anvil.mine()
  await look({ balance: 'recent' })
  expect(requested()).toEqual(['eth_getTransactionCount', 'eth_call'])
  return [first, ...others]
}

/** Calls of the last observation about the account, without those about the head and the endpoint. */
function requested(): readonly string[] {
  const shared = ['eth_getBlockByNumber', 'eth_chainId', 'web3_clientVersion']
  return network.calls.map(({ method }) => method).filter((method) => !shared.includes(method))
}

async function send(nonce: number): Promise<{ signed: BroadcastRequest; live: LiveNonce }> {
  const { head } = await look()
  const signed = await signedBy(key, { nonce, to: devAccount(3).address, value: 7n })
  await network.chain.broadcast([signed])
  const payloads = [{ to: devAccount(3).address, value: 7n, data: '0x' as const }]
  const unspentAt = { block: head.number, ms: clock.now() }
  return { signed, live: { nonce, payloads, unspentAt, attempts: [{ ...signed, kind: 'execute' }] } }
}

/** Of the same key, and none of ours. */
async function spendForeign(nonce: number): Promise<void> {
  await network.chain.broadcast([await signedBy(key, { nonce, value: 1n })])
  await anvil.mine()
}

describe('the nonce', () => {
  test('before the first send the pool’s count alone will do, and after it the receipt', async () => {
    const first = await look({ pendingNonce: true, balance: 'recent' })
    expect(first).toMatchObject({ nonce: 0, pendingNonce: 0 })
    expect(requested()).toEqual(['eth_getTransactionCount', 'eth_getBalance'])

    const { live } = await send(0)
    await look({ live: [live] })
    expect(requested()).toEqual([])
    await anvil.mine()
    const after = await look({ live: [live] })
    expect(requested()).toEqual(['eth_getTransactionReceipt'])
    expect(after.nonce).toBe(1)
    expect(after.inclusions.get(0)).toMatchObject({ by: 'attempt', succeeded: true })
    // The next send, and the wait for confirmations, cost nothing more.
    await anvil.mine()
    await look({ spentBelow: 1, inclusionBlocks: [after.head.number], balance: 'recent' })
    expect(requested()).toEqual([])
  })

  test('where the pool holds more than is settled, the account is counted', async () => {
    await network.chain.broadcast([await signedBy(key, { nonce: 0 })])
    expect(await look({ pendingNonce: true, balance: 'recent' })).toMatchObject({ nonce: 0, pendingNonce: 1 })
    await anvil.mine()
    expect(await look({ balance: 'recent' })).toMatchObject({ nonce: 1 })
    expect(requested()).toContain('eth_getTransactionCount')
  })

  test('of an account that sent before is its count, also before the first send here', async () => {
    await spendForeign(0)
    network = networkOver([proxy.url])
    expect(await look({ pendingNonce: true, balance: 'recent' })).toMatchObject({ nonce: 1, pendingNonce: 1 })
  })

  test('that a second count contradicts is counted again, also without another block', async () => {
    proxy.react({
      do: 'lie',
      lie: ({ method }) => (method === 'eth_getTransactionCount' ? { result: '0x12c' } : undefined),
    })
    expect(await look()).toMatchObject({ nonce: 300 })
    proxy.react({ do: 'forward' })
    for (const expected of ['unknown', 'unknown', 0]) {
      await anvil.mine()
      expect(await look({ secondCount: true })).toMatchObject({ nonce: 300, secondCount: expected })
    }
    expect(await look({ secondCount: true })).toMatchObject({ nonce: 0, secondCount: 0, isSecondCountOwn: true })
  })

  test('with two in flight the second’s receipt is read once the first is mined; with three the count is read', async () => {
    await look()
    const [first, second] = [await send(0), await send(1)]
    await anvil.mine()
    const both = await look({ live: [second.live, first.live] })
    expect(requested()).toEqual(['eth_getTransactionReceipt', 'eth_getTransactionReceipt'])
    expect([both.nonce, [...both.inclusions.keys()]]).toEqual([2, [0, 1]])

    const three = [await send(2), await send(3), await send(4)]
    clock.move(2_000)
    await anvil.mine()
    await look({ live: three.map(({ live }) => live) })
    expect(requested().filter((method) => method === 'eth_getTransactionCount')).toHaveLength(1)
  })

  test('under one head a receipt is read once', async () => {
    await look()
    const { live } = await send(0)
    await anvil.rpc('anvil_dropTransaction', [live.attempts[0]?.hash])
    clock.move(2_000)
    await anvil.mine()
    await look({ live: [live] })
    expect(requested()).toEqual(['eth_getTransactionReceipt'])
    await look({ live: [live] })
    expect(requested()).toEqual([])
  })

  test('a foreign transaction that takes a nonce in flight is noticed some blocks and seconds later', async () => {
    await look()
    const { live } = await send(0)
    await anvil.rpc('anvil_dropTransaction', [live.attempts[0]?.hash])
    await spendForeign(0)
    expect((await look({ live: [live] })).nonce).toBe(0)
    await anvil.mine(3)
    expect((await look({ live: [live] })).nonce).toBe(0)
    clock.move(4_000)
    await anvil.mine()
    const found = await look({ live: [live] })
    expect(found.nonce).toBe(1)
    expect(found.inclusions.get(0)).toMatchObject({ by: 'external' })
    // From now on nothing of this account is believed beyond the head.
    await anvil.mine()
    await look({ spentBelow: 1, balance: 'recent' })
    expect(requested()).toEqual(['eth_getTransactionCount', 'eth_getBalance'])
  })

  test('a foreign transaction that uses the key of an idle relayer is noticed after a while, and then counts once the only endpoint has repeated it', async () => {
    await look()
    await spendForeign(0)
    expect((await look({ balance: 'recent' })).nonce).toBe(0)
    await anvil.mine(32)
    expect((await look({ balance: 'recent' })).nonce).toBe(0)
    clock.move(60_000)
    expect((await look({ balance: 'recent' })).nonce).toBe(1)
    await spendForeign(1)
    for (let reading = 0; reading < 3; reading += 1) {
      expect(await look({ balance: 'recent' })).toMatchObject({ nonce: 1, doubtedCount: 2 })
      clock.move(5_000)
    }
    const confirmed = await look({ balance: 'recent' })
    expect(confirmed.nonce).toBe(2)
    expect(confirmed).not.toHaveProperty('doubtedCount')
    expect((await look({ balance: 'recent' })).nonce).toBe(2)
  })

  test('a count above the record that a history check explained, or that another endpoint repeats, counts at once', async () => {
    await spendForeign(0)
    await spendForeign(1)
    expect(await look({ spentBelow: 1, nonce: 'now' })).toMatchObject({ nonce: 1, doubtedCount: 2 })
    expect(await look({ spentBelow: 1, explainedBelow: 2, nonce: 'now' })).toMatchObject({ nonce: 2 })
    await network.chain.close()
    network = networkOver([proxy.url, anvil.url])
    const seen = await look({ spentBelow: 1, nonce: 'now' })
    expect(seen.nonce).toBe(2)
    expect(seen).not.toHaveProperty('doubtedCount')
  })

  test('a status request of a client does not hide the foreign use of a key from the relayer', async () => {
    await look({ balance: 'recent', delegation: true })
    await spendForeign(0)
    // As commands/relayers/read-status.ts reads: without the transactions in flight.
    expect((await look({ nonce: 'now', balance: 'now' })).nonce).toBe(1)
    clock.move(60_000)
    await anvil.mine(32)
    expect(await look({ balance: 'recent', delegation: true })).toMatchObject({ nonce: 1 })
    await anvil.mine()
    await look({ balance: 'recent', delegation: true })
    expect(requested()).toEqual(['eth_getTransactionCount', 'eth_call'])
  })

  test.each<[string, Partial<Inquiry>]>([
    ['a node contradicted it', { nonce: 'now' }],
    ['the store has proof of more', { spentBelow: 1 }],
  ])('remembered values are dropped when %s', async (_, contradiction) => {
    await look()
    await spendForeign(0)
    expect((await look(contradiction)).nonce).toBe(1)
  })

  test('a reorganization takes back what the receipt proved', async () => {
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
  test('is updated by mined transactions to the wei, and read anew on request', async () => {
    await look({ balance: 'recent' })
    const { live } = await send(0)
    await anvil.mine()
    const reckoned = await look({ live: [live], balance: 'recent' })
    expect(requested()).not.toContain('eth_getBalance')
    expect(reckoned.balanceReadAt).toBe(reckoned.head.number - 1)
    // A look that was repeated, because its decisions could not be recorded, takes nothing off twice.
    expect((await look({ live: [live], balance: 'recent' })).balance).toBe(reckoned.balance)
    const read = await look({ balance: 'now' })
    expect(requested()).toContain('eth_getBalance')
    expect(reckoned.balance).toBe(read.balance)
    expect(read.balanceReadAt).toBe(read.head.number)
  })

  test('of a block that another one replaced is read anew, if that one holds a transaction of ours', async () => {
    await look({ balance: 'recent' })
    const before = await anvil.rpc<string>('evm_snapshot')
    await anvil.mine()
    const { balance = 0n } = await look({ balance: 'now' })
    await anvil.rpc('evm_revert', [before])
    const { live } = await send(0)
    // The same height, with the transaction.
    await anvil.mine()
    const { balance: left, inclusions } = await look({ live: [live], balance: 'recent' })
    expect(inclusions.size).toBe(1)
    const now = left ?? (await look({ live: [live], balance: 'recent' })).balance
    expect(now).toBe(BigInt(await anvil.rpc('eth_getBalance', [address, 'latest'])))
    expect(now).toBeLessThan(balance)
  })

  test('of a block that another one replaced is not known where only the count shows that this one holds ours', async () => {
    await look({ balance: 'recent' })
    const before = await anvil.rpc<string>('evm_snapshot')
    await anvil.mine()
    const { balance } = await look({ balance: 'now' })
    await anvil.rpc('evm_revert', [before])
    const { live } = await send(0)
    proxy.react({ do: 'forwardBut', method: 'eth_getTransactionReceipt', reply: { result: null } })
    // The same height, with the transaction.
    await anvil.mine()
    const replaced = await look({ nonce: 'now', live: [live], balance: 'now' })
    expect(replaced.nonce).toBe(1)
    expect(replaced.balance).toBeUndefined()
    expect((await look({ nonce: 'now', live: [live], balance: 'now' })).balance).toBeLessThan(balance ?? 0n)
  })

  test('is not trusted for ever: what came in from outside is seen', async () => {
    const { balance = 0n } = await look({ balance: 'recent' })
    await anvil.rpc('anvil_setBalance', [address, `0x${(balance + 5n).toString(16)}`])
    await anvil.mine()
    expect((await look({ balance: 'recent' })).balance).toBe(balance)
    await anvil.mine(64)
    expect((await look({ balance: 'recent' })).balance).toBe(balance)
    clock.move(120_000)
    expect((await look({ balance: 'recent' })).balance).toBe(balance + 5n)
  })

  test('of a node behind the settled transactions does not outlast its head', async () => {
    const { balance = 0n } = await look({ balance: 'recent', spentBelow: 1 })
    // The amount spent by then belongs to no transaction in flight, so no receipt deducts it.
    await spendForeign(0)
    const caughtUp = await look({ balance: 'recent', spentBelow: 1 })
    expect(requested()).toContain('eth_getBalance')
    expect(caughtUp.nonce).toBe(1)
    expect(caughtUp.balance).toBeLessThan(balance)
  })

  test('is not known while what spent a nonce is still to be found, and once it is read anew, that charges nothing', async () => {
    await look({ balance: 'recent' })
    const { live } = await send(0)
    proxy.react({ do: 'forwardBut', method: 'eth_getTransactionReceipt', reply: { result: null } })
    await anvil.mine()
    // The count alone shows that the nonce is spent.
    const unexplained = await look({ nonce: 'now', live: [live], balance: 'recent' })
    expect(unexplained.nonce).toBe(1)
    expect(unexplained.balance).toBeUndefined()
    const { balance, balanceReadAt, head } = await look({ nonce: 'now', live: [live], balance: 'now' })
    expect(balance).toBeDefined()
    expect(balanceReadAt).toBe(head.number)
    await anvil.mine()
    expect((await look({ nonce: 'now', live: [live], balance: 'recent' })).balance).toBe(balance)
    expect(requested()).not.toContain('eth_getBalance')
    proxy.react({ do: 'forward' })
    await anvil.mine()
    const found = await look({ nonce: 'now', live: [live], balance: 'recent' })
    expect(found.inclusions.size).toBe(1)
    expect(found.balance).toBe(balance)
  })
})

describe('the code', () => {
  const both = { balance: 'recent', delegation: true } as const

  test('is read with the balance where two could be in flight, and kept', async () => {
    await look(both)
    expect(requested()).toEqual(['eth_getTransactionCount', 'eth_call'])
    await anvil.mine(50)
    clock.move(60_000)
    expect(await look(both)).toMatchObject({ delegated: false })
    expect(requested()).toEqual(['eth_getTransactionCount'])
    await anvil.mine(1_000)
    await look(both)
    expect(requested()).toEqual(['eth_getTransactionCount'])
    clock.move(1_800_000)
    await look(both)
    expect(requested()).toEqual(['eth_call'])
  })

  test('that was read for somebody else stands from the first count on, if that is of the same head', async () => {
    const [other] = await lookAtAnother()
    await look({ address: other, nonce: 'recent', ...both })
    expect(requested()).toEqual(['eth_getTransactionCount'])
    await anvil.mine()
    expect(await look({ address: other, ...both })).toMatchObject({ delegated: false })
    expect(requested()).toEqual([])
  })

  test('that was read for somebody else before the first count is not believed: it may have changed unseen', async () => {
    const [other] = await lookAtAnother()
    await anvil.rpc('anvil_setCode', [other, `0xef0100${'11'.repeat(20)}`])
    await anvil.mine()
    expect(await look({ address: other, balance: 'recent' })).not.toHaveProperty('delegated')
    expect(requested()).toEqual(['eth_getTransactionCount', 'eth_getBalance'])
    await anvil.mine()
    expect(await look({ address: other, ...both })).toMatchObject({ delegated: true })
  })
})

describe('many accounts', () => {
  test('are read together with the first of them, and then only their counts', async () => {
    const others = await lookAtAnother(300)
    network.forget()
    for (const each of others) {
      const { balance } = await network.chain.observe(inquiryOf(each, { nonce: 'recent', balance: 'recent' }))
      expect(balance).toBe(7n)
    }
    const counts = requested().filter((method) => method === 'eth_getTransactionCount')
    expect(counts).toHaveLength(300)
    // The first call was for 256 of the 301.
    expect(requested().filter((method) => method !== 'eth_getTransactionCount')).toEqual(['eth_call'])
  })

  test('that read at once wait for the same answer', async () => {
    const others = numbered(300)
    for (const each of others) network.chain.announce(each)
    const reported = await Promise.all(
      others.map((each) => network.chain.observe(inquiryOf(each, { nonce: 'recent', balance: 'recent' }))),
    )
    expect(reported.map(({ balance }) => balance)).toEqual(others.map(() => 0n))
    expect(requested().filter((method) => method === 'eth_call')).toHaveLength(2)
    expect(requested()).not.toContain('eth_getBalance')
  })

  test('whose first count comes blocks later are read anew, all at once', async () => {
    const others = await lookAtAnother(3)
    await anvil.rpc('anvil_setBalance', [others[0], '0x5'])
    await anvil.mine()
    const looks = []
    network.forget()
    for (const each of others) {
      looks.push(await network.chain.observe(inquiryOf(each, { nonce: 'recent', balance: 'recent' })))
    }
    expect(looks.map(({ balance }) => balance)).toEqual([5n, 7n, 7n])
    expect(requested().filter((method) => method !== 'eth_getTransactionCount')).toEqual(['eth_call'])
  })

  test('a transaction mined after another’s call is deducted, and one mined before is not deducted twice', async () => {
    const first = await send(0)
    await anvil.mine()
    network.chain.announce(address)
    await look({ address: devAccount(5).address, balance: 'recent' })
    expect(requested()).toContain('eth_call')
    const second = await send(1)
    await anvil.mine()
    const reckoned = await look({ live: [first.live, second.live], balance: 'recent' })
    expect(requested()).not.toContain('eth_getBalance')
    expect(reckoned.balanceReadAt).toBe(reckoned.head.number - 1)
    expect(reckoned.balance).toBe((await look({ balance: 'now' })).balance)
  })

  test.each<[string, RpcReply]>([
    ['an error', { error: { code: -32602, message: 'missing value for "to"' } }],
    ['nothing', { result: '0x' }],
  ])('a node that answers %s gets single reads from then on', async (_, reply) => {
    const others = numbered(3)
    for (const each of others) network.chain.announce(each)
    proxy.react({ do: 'forwardBut', method: 'eth_call', reply })
    for (const each of others) {
      expect(await network.chain.observe(inquiryOf(each, { balance: 'recent' }))).toHaveProperty('balance')
    }
    const standing = requested().filter((method) => method !== 'eth_getTransactionCount')
    expect(standing).toEqual(['eth_call', 'eth_getBalance', 'eth_getBalance', 'eth_getBalance'])
  })

  test('a node that leaves it unanswered gets single reads, and from the second time on nothing else', async () => {
    const others = numbered(3)
    for (const each of others) network.chain.announce(each)
    proxy.react({ do: 'forwardBut', method: 'eth_call', reply: 'none' })
    for (const each of others) {
      expect(await network.chain.observe(inquiryOf(each, { balance: 'recent' }))).toMatchObject({ balance: 0n })
    }
    const standing = requested().filter((method) => method !== 'eth_getTransactionCount')
    expect(standing).toEqual([...['eth_call', 'eth_getBalance', 'eth_call', 'eth_getBalance'], 'eth_getBalance'])
  })
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
    expect(requested()).toEqual([])
    // The same transaction with a payload that replaced its own, and the next head, are something else.
    await look({ estimates: [others] })
    expect(requested()).toEqual(['eth_estimateGas'])
    await anvil.mine()
    await look({ estimates: [request] })
    expect(requested()).toContain('eth_estimateGas')
  })

  test('that would revert is estimated again: it may only need an earlier transaction to be mined', async () => {
    // A constructor that reverts.
    const reverting = { transactionId: request.transactionId, from: address, value: 0n, data: '0x60006000fd' as const }
    for (let looks = 0; looks < 2; looks += 1) {
      const { estimates } = await look({ estimates: [reverting] })
      expect(estimates.get(request.transactionId)).toMatchObject({ kind: 'reverts' })
      expect(requested()).toContain('eth_estimateGas')
    }
  })
})

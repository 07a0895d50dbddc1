// Observations of a real anvil: nonce, receipts, foreign transactions, reverts, prices; and what they cost in calls.

import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../../src/chain/chain.ts'
import type { Address, Hex, TransactionId } from '../../src/domain/ids.ts'
import type { AccessList } from '../../src/domain/transaction.ts'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../tooling/rpc-server.ts'
import { inquiryOf, type NetworkUnderTest, networkOver, signedBy } from './network-under-test.ts'

const sender = devAccount(0)
const other = devAccount(1)
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
  proxy.forget()
})
afterAll(async () => {
  await network?.chain.close()
  await proxy?.stop()
  await anvil?.stop()
})

test.each([999, 998])(
  'on chain %i no header limits the gas: small blocks and large ones alternate',
  async (chainId) => {
    const { gasLimitMax } = await network.chain.observe(inquiryOf(sender.address))
    expect(gasLimitMax).toBe(30_000_000)
    proxy.react({
      do: 'lie',
      lie: ({ method }) => (method === 'eth_chainId' ? { result: `0x${chainId.toString(16)}` } : undefined),
    })
    const alternating = networkOver([proxy.url], { chainId })
    const seen = await alternating.chain.observe(inquiryOf(sender.address))
    await alternating.chain.close()
    proxy.react({ do: 'forward' })
    expect(seen.head.gasLimit).toBe(30_000_000)
    expect(seen).not.toHaveProperty('gasLimitMax')
  },
)

describe('an account', () => {
  test('its nonce, pending nonce and balance are as of the head', async () => {
    await network.chain.broadcast([await signedBy(sender.key, { nonce: 0 })])
    const before = await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true, balance: 'now' }))
    expect(before).toMatchObject({ nonce: 0, pendingNonce: 1, balance: 10_000n * 10n ** 18n })
    await anvil.mine()
    const after = await network.chain.observe(inquiryOf(sender.address, { pendingNonce: true, balance: 'now' }))
    expect(after).toMatchObject({ nonce: 1, pendingNonce: 1 })
    expect(after.head.number).toBe(before.head.number + 1)
    expect(after.head.parentHash).toBe(before.head.hash)
    expect(after.balance).toBeLessThan(before.balance ?? 0n)
    expect(after.balance).toBe(await network.chain.balance(sender.address))
  })

  test('values that are not requested are not read', async () => {
    await network.chain.observe(inquiryOf(sender.address))
    await anvil.mine()
    network.forget()
    const observation = await network.chain.observe(inquiryOf(sender.address))
    expect(observation).not.toHaveProperty('market')
    expect(observation).not.toHaveProperty('balance')
    expect(network.calls.map((call) => call.method)).toEqual(['eth_getBlockByNumber', 'eth_getTransactionCount'])
  })

  test('an account that delegates by EIP-7702 differs from one that does not', async () => {
    const [plain, delegating] = [anvil.accounts[5], anvil.accounts[6]].map(
      (account) => account?.address ?? sender.address,
    )
    if (!plain || !delegating) throw new Error('anvil has ten accounts')
    await anvil.rpc('anvil_setCode', [delegating, `0xef0100${other.address.slice(2)}`])
    expect(await network.chain.observe(inquiryOf(plain, { delegation: true }))).toMatchObject({ delegated: false })
    expect(await network.chain.observe(inquiryOf(delegating, { delegation: true }))).toMatchObject({ delegated: true })
  })

  test('under one head an account is read once, however many readers it has', async () => {
    await anvil.mine()
    const first = await network.chain.observe(inquiryOf(sender.address, { balance: 'now' }))
    network.forget()
    const again = await network.chain.observe(inquiryOf(sender.address, { balance: 'now' }))
    expect({ ...again, headAgeMs: 0, headStandsMs: 0 }).toEqual({ ...first, headAgeMs: 0, headStandsMs: 0 })
    expect(network.count('eth_getTransactionCount')).toBe(0)
    expect(network.count('eth_getBalance')).toBe(0)
  })

  test('relayers that observe at once share the head, the prices and the HTTP request', async () => {
    await network.chain.observe(inquiryOf(sender.address))
    await anvil.mine()
    network.forget()
    proxy.forget()
    const addresses = anvil.accounts.map((account) => account.address)
    await Promise.all(addresses.map((address) => network.chain.observe(inquiryOf(address, { market: true }))))
    expect(network.count('eth_getBlockByNumber')).toBe(1)
    expect(network.count('eth_feeHistory')).toBe(1)
    expect(network.count('eth_getTransactionCount')).toBe(10)
    // Once a network, and then every 50 blocks.
    expect(network.count('eth_maxPriorityFeePerGas')).toBe(1)
    expect(network.calls).toHaveLength(13)
    expect(proxy.requests).toHaveLength(2)
  })
})

describe('a spent nonce', () => {
  test('a mined revert is reported in the contract’s own words', async () => {
    const contract = '0x00000000000000000000000000000000000c0de1'
    await anvil.rpc('anvil_setCode', [contract, revertingWith(errorString('not today'))])
    const reverting = await signedBy(sender.key, { nonce: 0, to: contract, gas: 90_000n })
    await network.chain.broadcast([reverting])
    await anvil.mine()
    const attempts = [{ hash: reverting.hash, kind: 'execute' as const }]
    const { inclusions } = await network.chain.observe(inquiryOf(sender.address, { live: [{ nonce: 0, attempts }] }))
    expect(inclusions.get(0)).toMatchObject({ by: 'attempt', succeeded: false, revertReason: 'not today' })
  })

  test('a receipt names the attempt, its kind and its cost', async () => {
    const original = await signedBy(sender.key, { nonce: 0, to: other.address, value: 5n })
    const noOp = await signedBy(sender.key, {
      nonce: 0,
      maxFeePerGas: 40_000_000_000n,
      maxPriorityFeePerGas: 2n * 10n ** 9n,
    })
    await network.chain.broadcast([original])
    await network.chain.broadcast([noOp])
    await anvil.mine()
    const attempts = [
      { hash: original.hash, kind: 'execute' as const },
      { hash: noOp.hash, kind: 'cancel' as const },
    ]
    const { inclusions, head } = await network.chain.observe(
      inquiryOf(sender.address, { live: [{ nonce: 0, attempts }] }),
    )
    expect(inclusions.get(0)).toMatchObject({
      by: 'attempt',
      hash: noOp.hash,
      kind: 'cancel',
      succeeded: true,
      gasUsed: 21_000,
      block: { number: head.number, hash: head.hash },
    })
  })

  test('no receipts are read for an unspent nonce', async () => {
    const live = [{ nonce: 0, attempts: [{ hash: `0x${'77'.repeat(32)}` as Hex, kind: 'execute' as const }] }]
    const { inclusions } = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(inclusions.size).toBe(0)
    expect(network.count('eth_getTransactionReceipt')).toBe(0)
  })

  test('a foreign transaction is named once the nonce has been spent for some blocks, in the block that holds it', async () => {
    await anvil.mine(20)
    const foreign = await signedBy(sender.key, { nonce: 0, to: other.address, value: 1n })
    await anvil.rpc('eth_sendRawTransaction', [foreign.raw])
    await anvil.mine()
    const live = [{ nonce: 0, attempts: [{ hash: `0x${'77'.repeat(32)}` as Hex, kind: 'execute' as const }] }]
    const spent = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(spent.nonce).toBe(1)
    expect(spent.inclusions.size).toBe(0)

    await anvil.mine(30)
    const proven = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(proven.inclusions.get(0)).toEqual({
      by: 'external',
      hash: foreign.hash,
      block: { number: spent.head.number, hash: spent.head.hash },
    })
  })

  test('several nonces of a foreign transaction, first blocks of the chain included', async () => {
    const foreign = await Promise.all([0, 1, 2].map((nonce) => signedBy(sender.key, { nonce, value: 1n })))
    for (const signed of foreign) await anvil.rpc('eth_sendRawTransaction', [signed.raw])
    await anvil.mine(3)
    const live = [0, 1, 2].map((nonce) => ({
      nonce,
      attempts: [{ hash: `0x${`8${nonce}`.repeat(32)}` as Hex, kind: 'cancel' as const }],
    }))
    const { inclusions } = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect([0, 1, 2].map((nonce) => inclusions.get(nonce)?.hash)).toEqual(foreign.map((signed) => signed.hash))
    expect([...inclusions.values()].every((inclusion) => inclusion.by === 'external')).toBe(true)
  })

  test('a foreign transaction is found by reading blocks where the node keeps no older state', async () => {
    const before = await network.chain.observe(inquiryOf(sender.address))
    const foreign = await signedBy(sender.key, { nonce: 0, value: 1n })
    await anvil.mine(40)
    await anvil.rpc('eth_sendRawTransaction', [foreign.raw])
    await anvil.mine(70)
    const { head } = await network.chain.observe(inquiryOf(sender.address))
    const oldest = head.number - 10
    proxy.react(({ calls }) =>
      calls.some(
        ({ method, params }) => method === 'eth_getTransactionCount' && Number((params as unknown[])[1]) < oldest,
      )
        ? { do: 'answer', each: () => ({ error: { code: -32000, message: 'missing trie node' } }) }
        : { do: 'forward' },
    )
    const attempts = [{ hash: `0x${'33'.repeat(32)}` as Hex, kind: 'execute' as const }]
    const live = [{ nonce: 0, attempts, unspentAt: { block: before.head.number, ms: Date.now() } }]
    const observed = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(observed.nonce).toBe(1)
    let proof = observed.inclusions.get(0)
    for (let heads = 0; heads < 12 && !proof; heads += 1) {
      await anvil.mine()
      proof = (await network.chain.observe(inquiryOf(sender.address, { live }))).inclusions.get(0)
    }
    proxy.react({ do: 'forward' })
    expect(proof).toMatchObject({ by: 'external', hash: foreign.hash, block: { number: before.head.number + 41 } })
  })

  test('a nonce that was said to be unspent long after it was spent is still proven by its block', async () => {
    const foreign = await signedBy(sender.key, { nonce: 0, value: 1n })
    await anvil.rpc('eth_sendRawTransaction', [foreign.raw])
    await anvil.mine(90)
    const { head } = await network.chain.observe(inquiryOf(sender.address))
    const attempts = [{ hash: `0x${'44'.repeat(32)}` as Hex, kind: 'execute' as const }]
    // The word of a node that stood more than any reorganization behind.
    const live = [{ nonce: 0, attempts, unspentAt: { block: head.number, ms: Date.now() } }]
    const observed = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(observed.inclusions.get(0)).toMatchObject({ by: 'external', hash: foreign.hash })
  })

  test('our own payload under a hash that is not on record is ours, with its receipt', async () => {
    const forgotten = await signedBy(sender.key, { nonce: 0, to: other.address, value: 5n })
    await anvil.rpc('eth_sendRawTransaction', [forgotten.raw])
    await anvil.mine(4)
    const attempts = [{ hash: `0x${'44'.repeat(32)}` as Hex, kind: 'execute' as const }]
    const payload = (value: bigint) => [{ to: other.address, value, data: '0x' as const }]
    const proofOf = async (value: bigint) => {
      const live = [{ nonce: 0, attempts, payloads: payload(value) }]
      return (await network.chain.observe(inquiryOf(sender.address, { live }))).inclusions.get(0)
    }
    expect(await proofOf(5n)).toMatchObject({
      by: 'unrecorded',
      hash: forgotten.hash,
      succeeded: true,
      gasUsed: 21_000,
    })
    expect(await proofOf(6n)).toMatchObject({ by: 'external', hash: forgotten.hash })
  })

  test('our own no-op under an unrecorded hash is recognized, with its bytes; an equal payload comes first', async () => {
    const noOp = await signedBy(sender.key, { nonce: 0 })
    await anvil.rpc('eth_sendRawTransaction', [noOp.raw])
    await anvil.mine(4)
    const attempts = [{ hash: `0x${'44'.repeat(32)}` as Hex, kind: 'execute' as const }]
    const found = async (to: Address) => {
      const live = [{ nonce: 0, attempts, payloads: [{ to, value: 0n, data: '0x' as const }] }]
      return network.chain.observe(inquiryOf(sender.address, { live }))
    }
    const canceled = await found(other.address)
    expect(canceled.inclusions.size).toBe(0)
    const reported = canceled.lostNoOps?.get(0)
    expect(reported).toMatchObject({ nonce: 0, hash: noOp.hash, signed: { raw: noOp.raw, gasLimit: 21_000 } })
    const block = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByHash', [reported?.block.hash, false])
    expect(reported?.minedAt).toBe(Number(block.timestamp) * 1000)

    const own = await found(sender.address)
    expect(own.inclusions.get(0)).toMatchObject({ by: 'unrecorded', hash: noOp.hash })
    expect(own.lostNoOps?.size).toBe(0)
  })

  test.each([
    ['value', { value: 1n }],
    ['data', { data: '0x00' as const, gas: 30_000n }],
    ['receiver', { to: other.address }],
  ])('with another %s it is a foreign transaction', async (_, carried) => {
    const foreign = await signedBy(sender.key, { nonce: 0, ...carried })
    await anvil.rpc('eth_sendRawTransaction', [foreign.raw])
    await anvil.mine(4)
    const live = [{ nonce: 0, attempts: [{ hash: `0x${'44'.repeat(32)}` as Hex, kind: 'execute' as const }] }]
    const { inclusions, lostNoOps } = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(inclusions.get(0)).toMatchObject({ by: 'external', hash: foreign.hash })
    expect(lostNoOps?.size).toBe(0)
  })

  test('what announces another access list is not our payload', async () => {
    const storageKeys = [`0x${'0A'.repeat(32)}`] as Hex[]
    const accessList = [{ address: other.address, storageKeys }]
    const carried = { to: other.address, value: 5n, gas: 60_000n, accessList }
    const forgotten = await signedBy(sender.key, { nonce: 0, ...carried })
    await anvil.rpc('eth_sendRawTransaction', [forgotten.raw])
    await anvil.mine(4)
    const attempts = [{ hash: `0x${'55'.repeat(32)}` as Hex, kind: 'execute' as const }]
    const spenderOf = async (list?: AccessList) => {
      const payload = { to: other.address, value: 5n, data: '0x' as const, ...(list && { accessList: list }) }
      const live = [{ nonce: 0, attempts, payloads: [payload] }]
      return (await network.chain.observe(inquiryOf(sender.address, { live }))).inclusions.get(0)
    }
    expect(await spenderOf(accessList)).toMatchObject({ by: 'unrecorded', hash: forgotten.hash })
    for (const another of [
      undefined,
      [],
      [{ address: other.address, storageKeys: [] }],
      [...accessList, ...accessList],
    ])
      expect(await spenderOf(another)).toMatchObject({ by: 'external', hash: forgotten.hash })
  })

  test('an authorization (EIP-7702) that somebody else carried spends the nonce too', async () => {
    const authority = privateKeyToAccount(sender.key)
    const signed = await authority.signAuthorization({ chainId: 31_337, nonce: 0, contractAddress: other.address })
    const raw = await privateKeyToAccount(other.key).signTransaction({
      type: 'eip7702',
      chainId: 31_337,
      nonce: 0,
      to: other.address,
      gas: 100_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1n,
      authorizationList: [signed],
    })
    const hash = await anvil.rpc('eth_sendRawTransaction', [raw])
    await anvil.mine(4)
    const live = [{ nonce: 0, attempts: [{ hash: `0x${'77'.repeat(32)}` as Hex, kind: 'execute' as const }] }]
    const { inclusions, nonce } = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(nonce).toBe(1)
    expect(inclusions.get(0)).toMatchObject({ by: 'external', hash })
  })

  test('a node that has lost its receipts does not turn our own transaction into a foreign transaction', async () => {
    const ours = await signedBy(sender.key, { nonce: 0 })
    await network.chain.broadcast([ours])
    await anvil.mine(5)
    proxy.react(({ calls }) =>
      calls.some((call) => call.method === 'eth_getTransactionReceipt')
        ? { do: 'answer', each: () => ({ result: null }) }
        : { do: 'forward' },
    )
    const live = [{ nonce: 0, attempts: [{ hash: ours.hash, kind: 'execute' as const }] }]
    const blind = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(blind.nonce).toBe(1)
    expect(blind.inclusions.size).toBe(0)
    proxy.react({ do: 'forward' })
    const seeing = await network.chain.observe(inquiryOf(sender.address, { live }))
    expect(seeing.inclusions.get(0)).toMatchObject({ by: 'attempt', hash: ours.hash })
  })

  test('a receipt from a block that is not canonical is no evidence', async () => {
    const ours = await signedBy(sender.key, { nonce: 0 })
    await network.chain.broadcast([ours])
    await anvil.mine()
    const receipt = await anvil.rpc<object>('eth_getTransactionReceipt', [ours.hash])
    proxy.react(({ calls }) =>
      calls.some((call) => call.method === 'eth_getTransactionReceipt')
        ? { do: 'answer', each: () => ({ result: { ...receipt, blockHash: `0x${'55'.repeat(32)}` } }) }
        : { do: 'forward' },
    )
    const live = [{ nonce: 0, attempts: [{ hash: ours.hash, kind: 'execute' as const }] }]
    const { inclusions, nonce } = await network.chain.observe(inquiryOf(sender.address, { live }))
    proxy.react({ do: 'forward' })
    expect(nonce).toBe(1)
    expect(inclusions.size).toBe(0)
  })
})

describe('the canonical chain', () => {
  test('heights are answered from remembered blocks, deeper ones read once, those above the head never', async () => {
    await anvil.mine(5)
    const blocks = inquiryOf(sender.address, { inclusionBlocks: [1, 3, 99_999] })
    const { canonical } = await network.chain.observe(blocks)
    const { hash } = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x3', false])
    expect(canonical.get(3)).toBe(hash)
    expect(canonical.has(99_999)).toBe(false)
    network.forget()
    const again = await network.chain.observe(blocks)
    expect(again.canonical).toEqual(canonical)
    expect(network.count('eth_getBlockByNumber')).toBe(1)
  })
})

describe('estimates', () => {
  const from = sender.address
  const id = (name: string) => name as TransactionId
  const estimate = async (name: string, data: Hex, to?: Hex) => {
    const request = { transactionId: id(name), from, value: 0n, data, ...(to !== undefined && { to }) }
    const { estimates } = await network.chain.observe(inquiryOf(from, { estimates: [request] }))
    return estimates.get(id(name))
  }

  test('a plain transfer costs what it costs, anything else gets a margin', async () => {
    expect(await estimate('transfer', '0x', other.address)).toEqual({ kind: 'gas', gas: 21_000 })
    const plain = Number(await anvil.rpc('eth_estimateGas', [{ from, to: other.address, data: '0x1234' }]))
    const withMargin = { kind: 'gas', gas: Math.ceil(plain * 1.2), bare: plain }
    expect(await estimate('data', '0x1234', other.address)).toEqual(withMargin)
  })

  test('reverts are reported in the contract’s own words', async () => {
    expect(await estimate('words', revertingWith(errorString('not today')))).toEqual({
      kind: 'reverts',
      reason: 'not today',
    })
    const overflow = `0x4e487b71${'11'.padStart(64, '0')}` as const
    expect(await estimate('panic', revertingWith(overflow))).toEqual({
      kind: 'reverts',
      reason: 'panic 0x11: arithmetic overflow or underflow',
    })
    expect(await estimate('custom', revertingWith('0xdeadbeef'))).toEqual({
      kind: 'reverts',
      reason: 'custom error 0xdeadbeef',
    })
    expect(await estimate('silent', '0x60006000fd')).toMatchObject({ kind: 'reverts' })
  })

  test('a node’s own trouble is not the payload’s: the estimate is missing', async () => {
    proxy.react(({ calls }) =>
      calls.some((call) => call.method === 'eth_estimateGas')
        ? {
            do: 'answer',
            each: (call) =>
              call.method === 'eth_estimateGas'
                ? { error: { code: -32000, message: 'header not found' } }
                : { result: '0x0' },
          }
        : { do: 'forward' },
    )
    expect(await estimate('ill', '0x', other.address)).toBeUndefined()
    proxy.react({ do: 'forward' })
  })
})

describe('prices', () => {
  test('the base fee is the next block’s, and no tip is zero', async () => {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', ['0x4a817c800'])
    await anvil.mine()
    const { market, head } = await network.chain.observe(inquiryOf(sender.address, { market: true }))
    expect(head.baseFee).toBe(20_000_000_000n)
    expect(market?.baseFee).toBe(17_500_000_000n)
    expect(market?.tips.safeLow).toBeGreaterThan(0n)
    expect(market?.tips.fastest).toBeGreaterThan(market?.tips.safeLow ?? 0n)
    expect(market?.gasPrice).toBe((market?.baseFee ?? 0n) + (market?.tips.average ?? 0n))
  })

  test('tips follow the paid ones, faster for more', async () => {
    for (const [index, tip] of [1n, 2n, 8n].entries()) {
      const account = devAccount(index)
      const paid = { nonce: 0, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: tip * 1_000_000_000n }
      await network.chain.broadcast([await signedBy(account.key, paid)])
    }
    await anvil.mine()
    const { market } = await network.chain.observe(inquiryOf(sender.address, { market: true }))
    expect(market?.tips).toMatchObject({ safeLow: 1_000_000_000n, average: 2_000_000_000n, fastest: 8_000_000_000n })
  })
})

test('without a node there is no observation, and no secret in its error', async () => {
  const gone = await startRpcServer()
  await gone.stop()
  await using dark = networkOver([`${gone.url}/v3/0123456789abcdef0123456789abcdef?key=topsecretkey`])
  const failure = await dark.chain.observe(inquiryOf(sender.address)).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ChainUnavailable)
  expect(String(failure)).toContain('ECONNREFUSED')
  expect(String(failure)).not.toMatch(/127\.0\.0\.1|0123456789abcdef|topsecretkey/)
  await expect(dark.chain.balance(sender.address)).rejects.toBeInstanceOf(ChainUnavailable)
})

/** Init code that reverts with `data`. */
function revertingWith(data: Hex): Hex {
  const length = (data.length / 2 - 1).toString(16).padStart(2, '0')
  return `0x60${length}600c60003960${length}6000fd${data.slice(2)}`
}

function errorString(words: string): Hex {
  const text = Buffer.from(words).toString('hex').padEnd(64, '0')
  return `0x08c379a0${'20'.padStart(64, '0')}${words.length.toString(16).padStart(64, '0')}${text}`
}

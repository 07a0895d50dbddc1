// Receipts that leave something out, come late or never: which facts are still proven, which stay absent, and the cost.

import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Fees } from '../../../src/domain/fees.ts'
import type { Address, Hash, Hex } from '../../../src/domain/ids.ts'
import type { Inquiry, LiveNonce } from '../../../src/domain/observation.ts'
import type { Inclusion } from '../../../src/domain/transaction.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { movedClock } from '../moved-clock.ts'
import { inquiryOf, type NetworkUnderTest, networkOver, signedBy } from '../network-under-test.ts'

const { key, address } = devAccount(0)
const receiver = devAccount(3).address
const receiptMethod = 'eth_getTransactionReceipt'
const gwei = 1_000_000_000n
type Wire = Readonly<Record<string, unknown>>
/** Blocks of 12 s. */
const clock = movedClock()
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
  proxy.react({ do: 'forward' })
  if (snapshot) await anvil.rpc('evm_revert', [snapshot])
  snapshot = await anvil.rpc('evm_snapshot')
  network = networkOver([proxy.url], { clock })
})
afterAll(async () => {
  await network?.chain.close()
  await proxy?.stop()
  await anvil?.stop()
})

/** What the node's receipts look like from now on; null: it has none. */
function receiptsAre(alter: (receipt: Wire) => unknown, node = proxy): void {
  const each = (receipt: unknown) => (receipt === null ? null : alter(receipt as Wire))
  node.react({ do: 'forwardAltered', method: receiptMethod, alter: each })
}

function without(...members: readonly string[]): (receipt: Wire) => Wire {
  return (receipt) => Object.fromEntries(Object.entries(receipt).filter(([name]) => !members.includes(name)))
}

function look(requested: Partial<Inquiry> = {}) {
  return network.chain.observe(inquiryOf(address, { nonce: 'recent', ...requested }))
}

const fees = { kind: 'eip1559', maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei } as const

interface ToSend {
  readonly nonce?: number
  readonly to?: Address
  readonly data?: Hex
  readonly gasLimit?: number
}

/** As a relayer has it in flight. */
async function send({ nonce = 0, to = receiver, data = '0x', gasLimit = 30_000 }: ToSend = {}): Promise<LiveNonce> {
  const { head } = await look()
  const signed = await signedBy(key, { nonce, to, data, value: 7n, gas: BigInt(gasLimit) })
  await network.chain.broadcast([signed])
  return liveOf(signed.hash, fees, { nonce, to, data, gasLimit, unspentAt: head.number })
}

function liveOf(hash: Hash, paid: Fees, sent: Required<ToSend> & { unspentAt: number }): LiveNonce {
  const { nonce, to, data, gasLimit, unspentAt } = sent
  const attempt = { hash, kind: 'execute', fees: paid, gasLimit } as const
  return {
    nonce,
    unspentAt: { block: unspentAt, ms: Date.now() },
    payloads: [{ to, value: 7n, data }],
    attempts: [attempt],
  }
}

async function receiptOf({ attempts: [attempt] }: LiveNonce) {
  return anvil.rpc<Readonly<Partial<Record<'effectiveGasPrice' | 'blockNumber' | 'blockHash', Hex>>>>(receiptMethod, [
    attempt?.hash,
  ])
}

/** Looks at each of the next blocks until the spender of the nonce is found. */
async function inclusionWithin(blocks: number, live: LiveNonce): Promise<Inclusion | undefined> {
  for (let block = 0; block < blocks; block += 1) {
    await anvil.mine()
    clock.move(12_000)
    const found = (await look({ live: [live] })).inclusions.get(live.nonce)
    if (found) return found
  }
  return undefined
}

describe('a receipt without its price', () => {
  test('costs what the base fee of its block and the attempt say, and is found as soon as any', async () => {
    receiptsAre(without('effectiveGasPrice'))
    const live = await send()
    const included = await inclusionWithin(1, live)
    const real = await receiptOf(live)
    expect(included).toMatchObject({ by: 'attempt', succeeded: true, gasUsed: 21_000 })
    expect(included).toMatchObject({ effectiveGasPrice: BigInt(real.effectiveGasPrice ?? 0) })
  })

  test('the base fee is that of its own block, however deep that lies', async () => {
    receiptsAre(without('effectiveGasPrice'))
    const live = await send()
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(5n * gwei).toString(16)}`])
    await anvil.mine(6)
    const { inclusions } = await look({ live: [live] })
    expect(inclusions.get(0)).toMatchObject({ effectiveGasPrice: 6n * gwei })
  })

  test('never more than the cap', async () => {
    receiptsAre(without('effectiveGasPrice'))
    const live = await send()
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(195n * (gwei / 10n)).toString(16)}`])
    await anvil.mine(3)
    const { inclusions } = await look({ live: [live] })
    expect(inclusions.get(0)).toMatchObject({ effectiveGasPrice: 20n * gwei })
  })

  test('a legacy attempt pays its own price', async () => {
    receiptsAre(without('effectiveGasPrice'))
    const { head } = await look()
    const unsigned = { type: 'legacy', chainId: 31_337, nonce: 0, to: receiver, value: 7n, gas: 21_000n } as const
    const raw = await privateKeyToAccount(key).signTransaction({ ...unsigned, gasPrice: 30n * gwei })
    await network.chain.broadcast([{ hash: keccak256(raw), raw, reach: 'one' }])
    const sent = { nonce: 0, to: receiver, data: '0x', gasLimit: 21_000, unspentAt: head.number } as const
    const live = liveOf(keccak256(raw), { kind: 'legacy', gasPrice: 30n * gwei }, sent)
    expect(await inclusionWithin(1, live)).toMatchObject({ effectiveGasPrice: 30n * gwei })
  })

  test('where the node does not show the block either, it is found later, and not without its price', async () => {
    const live = await send()
    await anvil.mine(2)
    await look()
    const stripped = without('effectiveGasPrice')(await receiptOf(live))
    const { blockNumber } = stripped as { blockNumber: Hex }
    proxy.react(({ calls }) =>
      calls.some(({ method }) => method === receiptMethod)
        ? { do: 'answer', each: ({ method }) => (method === receiptMethod ? { result: stripped } : undefined) }
        : calls.some(({ params }) => params[0] === blockNumber)
          ? { do: 'drop' }
          : { do: 'forward' },
    )
    expect((await look({ live: [live] })).inclusions.size).toBe(0)
    receiptsAre(without('effectiveGasPrice'))
    expect(await inclusionWithin(1, live)).toMatchObject({ effectiveGasPrice: expect.any(BigInt) })
  })
})

describe('a receipt without', () => {
  const included = async (alter: (receipt: Wire) => unknown, sent: ToSend = {}) => {
    receiptsAre(alter)
    return inclusionWithin(1, await send(sent))
  }

  test('the gas used proves the inclusion, at an unknown cost', async () => {
    const inclusion = await included(without('gasUsed', 'effectiveGasPrice'))
    expect(inclusion).toMatchObject({ by: 'attempt', succeeded: true })
    expect(inclusion).not.toHaveProperty('gasUsed')
    expect(inclusion).not.toHaveProperty('effectiveGasPrice')
  })

  test('a status says neither success nor failure', async () => {
    const inclusion = await included(without('status'))
    expect(inclusion).toMatchObject({ by: 'attempt', gasUsed: 21_000 })
    expect(inclusion).not.toHaveProperty('succeeded')
  })

  test('a status, but with a log, succeeded', async () => {
    const logs = [{ address: receiver, topics: [], data: '0x' }]
    expect(await included((receipt) => ({ ...without('status')(receipt), logs }))).toMatchObject({ succeeded: true })
  })

  const root = `0x${'12'.repeat(32)}`
  test('a status, from before Byzantium, succeeded where it gave gas back', async () => {
    const inclusion = await included((receipt) => ({ ...without('status')(receipt), root }))
    expect(inclusion).toMatchObject({ succeeded: true })
  })

  test('a status, from before Byzantium, may have failed where it used all its gas', async () => {
    const inclusion = await included((receipt) => ({ ...without('status')(receipt), root }), { gasLimit: 21_000 })
    expect(inclusion).toMatchObject({ gasUsed: 21_000 })
    expect(inclusion).not.toHaveProperty('succeeded')
  })

  test('a receipt is completed by another node', async () => {
    await using other = await startRpcServer({ forwardTo: anvil.url })
    await network.chain.close()
    network = networkOver([proxy.url, other.url], { clock })
    receiptsAre(without('status', 'gasUsed'))
    receiptsAre(without('effectiveGasPrice'), other)
    const live = await send()
    const inclusion = await inclusionWithin(1, live)
    const { effectiveGasPrice = '0x0' } = await receiptOf(live)
    expect(inclusion).toMatchObject({ succeeded: true, gasUsed: 21_000, effectiveGasPrice: BigInt(effectiveGasPrice) })
  })
})

describe('the fee of a rollup’s L1', () => {
  test('comes with the receipt', async () => {
    receiptsAre((receipt) => ({ ...receipt, l1Fee: '0x2710' }))
    expect(await inclusionWithin(1, await send())).toMatchObject({ l1Fee: 10_000n })
  })

  test('is not counted twice where it was taken as gas', async () => {
    receiptsAre((receipt) => ({ ...receipt, l1Fee: '0x2710', tokenRatio: '0xbb8' }))
    expect(await inclusionWithin(1, await send())).not.toHaveProperty('l1Fee')
  })

  test.each<[string, object, bigint]>([
    ['since Isthmus', {}, 10_000n + (21_000n * 2_000_000n) / 1_000_000n + 7n],
    ['since Jovian, in another unit', { daFootprintGasScalar: '0x190' }, 10_000n + 21_000n * 2_000_000n * 100n + 7n],
    ['on Mantle, which has that unit', { tokenRatio: '0xbb8' }, 10_000n + 21_000n * 2_000_000n * 100n + 7n],
  ])('includes the charge of the operator %s', async (_, members, expected) => {
    const operator = { operatorFeeScalar: '0x1e8480', operatorFeeConstant: '0x7' }
    receiptsAre((receipt) => ({ ...receipt, l1Fee: '0x2710', ...operator, ...members }))
    expect(await inclusionWithin(1, await send())).toMatchObject({ l1Fee: expected })
  })

  test('is taken off the remembered balance', async () => {
    receiptsAre((receipt) => ({ ...receipt, l1Fee: '0x2710' }))
    const before = await look({ balance: 'recent' })
    const live = await send()
    await anvil.mine()
    const { balance, inclusions } = await look({ live: [live], balance: 'recent' })
    const real = await network.chain.balance(address)
    expect(inclusions.size).toBe(1)
    expect(balance).toBe(real - 10_000n)
    expect(balance).toBeLessThan(before.balance ?? 0n)
  })
})

test('a balance reduced by an unknown cost is read anew', async () => {
  receiptsAre(without('gasUsed'))
  await look({ balance: 'recent' })
  const live = await send()
  await anvil.mine()
  const mined = await look({ live: [live], balance: 'recent' })
  expect(mined.inclusions.size).toBe(1)
  expect(mined).not.toHaveProperty('balance')
  const after = await look({ spentBelow: 1, balance: 'recent' })
  expect(after.balance).toBe(await network.chain.balance(address))
})

describe('a receipt that never comes', () => {
  test('is not waited for for ever: the block proves the inclusion', async () => {
    receiptsAre(() => null)
    const live = await send()
    expect(await inclusionWithin(32, live)).toBeUndefined()
    const inclusion = await inclusionWithin(10, live)
    const { blockNumber, blockHash } = await receiptOf(live)
    const [{ hash } = {}] = live.attempts
    expect(inclusion).toEqual({
      ...{ by: 'attempt', kind: 'execute', hash },
      block: { number: Number(blockNumber), hash: blockHash },
    })
  })

  test('that names another block than its header does is proved by the body, with its result', async () => {
    receiptsAre((receipt) => ({ ...receipt, blockHash: `0x${'ee'.repeat(32)}` }))
    const live = await send()
    expect(await inclusionWithin(32, live)).toBeUndefined()
    const inclusion = await inclusionWithin(10, live)
    const { blockNumber } = await receiptOf(live)
    const { hash } = await anvil.rpc<{ hash: Hex }>('eth_getBlockByNumber', [blockNumber, false])
    const block = { number: Number(blockNumber), hash }
    expect(inclusion).toMatchObject({ by: 'attempt', kind: 'execute', block, succeeded: true, gasUsed: 21_000 })
  })

  test('a preconfirmation is no inclusion, and no evidence of the result', async () => {
    receiptsAre((receipt) => ({ ...receipt, blockHash: `0x${'0'.repeat(64)}` }))
    const live = await send()
    expect(await inclusionWithin(32, live)).toBeUndefined()
    const inclusion = await inclusionWithin(10, live)
    expect(inclusion).toMatchObject({ by: 'attempt', kind: 'execute' })
    expect(inclusion).not.toHaveProperty('succeeded')
  })

  test('that names another height is no evidence of the result', async () => {
    await anvil.mine(5)
    receiptsAre((receipt) => ({ ...receipt, blockHash: `0x${'ee'.repeat(32)}`, blockNumber: '0x1' }))
    const live = await send()
    const inclusion = await inclusionWithin(45, live)
    const { blockNumber } = await receiptOf(live)
    expect(inclusion).toMatchObject({ by: 'attempt', block: { number: Number(blockNumber) } })
    expect(inclusion).not.toHaveProperty('succeeded')
  })

  test('a node that does not answer has not said that there is none', async () => {
    const live = await send()
    await anvil.mine(40)
    await look()
    const isReceipt = ({ calls }: { calls: readonly { method: string }[] }) =>
      calls.some(({ method }) => method === receiptMethod)
    proxy.react((request) => (isReceipt(request) ? { do: 'drop' } : { do: 'forward' }))
    expect((await look({ live: [live], nonce: 'now' })).inclusions.size).toBe(0)
    proxy.react({ do: 'forward' })
    expect(await inclusionWithin(9, live)).toMatchObject({ gasUsed: 21_000 })
  })

  test('an answer of a node that was behind does not count for the block that it shows afterwards', async () => {
    await using other = await startRpcServer({ forwardTo: anvil.url })
    await network.chain.close()
    network = networkOver([proxy.url, other.url], { clock })
    const live = await send()
    await anvil.mine(40)
    let requested = 0
    let gone: RpcServer | undefined
    for (const node of [proxy, other]) {
      node.react(({ calls }) => {
        const isReceipt = calls.some(({ method }) => method === receiptMethod)
        if (isReceipt) requested += 1
        // The reporter of the head no longer answers.
        if (requested === 1) gone = node
        if (node === gone) return { do: 'drop' }
        return isReceipt ? { do: 'forwardAltered', method: receiptMethod, alter: () => null } : { do: 'forward' }
      })
    }
    expect((await look({ live: [live], nonce: 'now' })).inclusions.size).toBe(0)
    // Once by each node, and once more by the one that showed the block.
    expect(requested).toBe(3)
    for (const node of [proxy, other]) node.react({ do: 'forward' })
    expect(await inclusionWithin(9, live)).toMatchObject({ gasUsed: 21_000 })
  })
})

describe('a receipt that comes late', () => {
  /** Every call for one transaction but the head, which is read once a block for everybody. */
  const callsOf = async (lateBlocks: number) => {
    let visible = false
    receiptsAre((receipt) => (visible ? receipt : null))
    await look()
    const live = await send()
    network.forget()
    await anvil.mine()
    const { blockNumber } = await receiptOf(live)
    for (let block = 0; block < 40; block += 1) {
      const { head, inclusions } = await look({ live: [live] })
      const calls = network.calls.filter(({ method }) => method !== 'eth_chainId' && method !== 'web3_clientVersion')
      if (inclusions.has(0)) return { calls: calls.length - block - 1, after: head.number - Number(blockNumber) }
      visible = head.number + 1 - Number(blockNumber) >= lateBlocks
      await anvil.mine()
      clock.move(12_000)
    }
    throw new Error('never found')
  }

  test('by a block is found with the next block', async () => {
    expect(await callsOf(0)).toEqual({ calls: 2, after: 1 })
  })

  test('by twenty blocks is found a few blocks after it came, for less than twenty calls', async () => {
    const { calls, after } = await callsOf(20)
    process.stderr.write(`receipts 20 blocks late: ${calls} calls, found after ${after} blocks\n`)
    expect(calls).toBeLessThan(20)
    expect(after).toBeLessThanOrEqual(28)
  })

  test('a reorganization begins the search anew', async () => {
    receiptsAre(() => null)
    const live = await send()
    const mark = await anvil.rpc('evm_snapshot')
    expect(await inclusionWithin(5, live)).toBeUndefined()
    await anvil.rpc('evm_revert', [mark])
    await anvil.rpc('evm_increaseTime', ['0x20'])
    const again = await signedBy(key, { nonce: 0, to: receiver, value: 7n, gas: 30_000n })
    await network.chain.broadcast([again])
    proxy.react({ do: 'forward' })
    await anvil.mine(6)
    const { inclusions, head } = await look({ live: [live] })
    expect(inclusions.get(0)).toMatchObject({ by: 'attempt', hash: again.hash })
    expect(inclusions.get(0)?.block.number).toBeLessThan(head.number)
  })
})

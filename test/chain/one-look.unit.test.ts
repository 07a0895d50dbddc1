// A look at the chain takes one round trip: what a decision needs to know about a head comes in the request that reads the head.
import { beforeEach, describe, expect, test } from 'vitest'
import type { NetworkOptions, openNetwork } from '../../src/chain/network.ts'
import type { HttpAnswer, OpenTransport } from '../../src/chain/nodes/transport.ts'
import type { Hash } from '../../src/domain/ids.ts'
import type { Inquiry, LiveNonce, Observation } from '../../src/domain/observation.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type ManualClock, manualClock } from '../support/manual-clock.ts'
import { inquiryOf, networkOver } from './network-under-test.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

const { address } = devAccount(0)
const hex = (number: number | bigint) => `0x${number.toString(16)}` as const
const gwei = 10n ** 9n
const blocktimeMs = 1_000

let clock: ManualClock
let chain: ReturnType<typeof openNetwork>
let requests: (() => void)[]
/** The calls since the last observation began. */
let called: Call[]
let height: number
let count: number
/** The branch of the blocks above the fork. */
let branch: number
let fork: number
/** The hashes of transactions that the node lists in its blocks. Undefined: it lists none at all. */
let listed: ReadonlyMap<number, readonly Hash[]> | undefined
/** The answer to a call instead of the honest one. */
let odd: (call: Call) => unknown

const hashAt = (number: number, on = branch): Hash =>
  `0x${hex(number > fork ? on : 0)
    .slice(2)
    .padStart(32, '0')}${hex(number).slice(2).padStart(32, '0')}`

function blockAt(number: number, on = branch) {
  const [hash, parentHash] = [hashAt(number, on), hashAt(number - 1, on)]
  const header = { number: hex(number), hash, parentHash, timestamp: hex(1_700_000_000 + number) }
  return { ...header, baseFeePerGas: hex(gwei), ...(listed && { transactions: listed.get(number) ?? [] }) }
}

function historyAt(number: number, baseFee = gwei) {
  const paid = Array.from({ length: 10 })
  return {
    oldestBlock: hex(number - 9),
    baseFeePerGas: [...paid, 0].map(() => hex(baseFee)),
    gasUsedRatio: paid.map(() => 0.5),
    reward: paid.map(() => [1, 2, 3, 4].map(() => hex(gwei))),
  }
}

function answer({ method, params: [first, second] }: Call): unknown {
  const numberOf = (place: unknown) => (place === 'latest' ? height : Number(place))
  switch (method) {
    case 'eth_chainId':
      return hex(31_337)
    case 'eth_getBlockByNumber': {
      if (first === 'finalized') return blockAt(height - 2)
      return numberOf(first) > height ? null : blockAt(numberOf(first))
    }
    case 'eth_getTransactionCount':
      return hex(count)
    case 'eth_feeHistory':
      return historyAt(numberOf(second))
    case 'eth_maxPriorityFeePerGas':
      return hex(gwei)
    case 'eth_getBalance':
      return hex(10n ** 18n)
    default:
      return null
  }
}

const openTransport: OpenTransport = () => ({
  redact: (text) => text,
  close: async () => undefined,
  post: (body) =>
    new Promise((resolve) => {
      const json = JSON.parse(body) as Call | Call[]
      const calls = [json].flat()
      called.push(...calls)
      requests.push(() => {
        const members = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: odd(call) ?? answer(call) }))
        const answered: HttpAnswer = { kind: 'body', status: 200, json: Array.isArray(json) ? members : members[0] }
        resolve(answered)
      })
    }),
})

function networkWith(options: Partial<NetworkOptions> = {}) {
  return networkOver(['http://node'], { averageBlocktimeMs: blocktimeMs, clock, openTransport, ...options }).chain
}

/** Until nothing happens any more without an answer. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** An observation, and the round trips that it took. */
async function look(requested: Partial<Inquiry> = {}): Promise<Observation & { readonly rounds: number }> {
  called = []
  let rounds = 0
  let seen: Observation | undefined
  let failed: unknown
  chain.observe(inquiryOf(address, { nonce: 'recent', ...requested })).then(
    (observation) => {
      seen = observation
    },
    (error: unknown) => {
      failed = error
    },
  )
  for (;;) {
    await rest()
    if (failed) throw failed
    if (seen) return { ...seen, rounds }
    rounds += 1
    const due = requests
    requests = []
    if (due.length === 0) throw new Error('it waits for nothing')
    for (const reply of due) reply()
  }
}

function mine(blocks = 1): void {
  height += blocks
  clock.advance(blocks * blocktimeMs)
}

function inFlight(from: number, through: number): readonly LiveNonce[] {
  return Array.from({ length: through - from + 1 }, (_, index) => ({
    nonce: from + index,
    attempts: [{ hash: hashAt(from + index, 7), kind: 'execute' as const }],
  }))
}

const backlog = { market: true, live: inFlight(5, 9), spentBelow: 5 }

beforeEach(async () => {
  clock = manualClock()
  ;[requests, called, height, count, branch, fork] = [[], [], 100, 5, 1, 1_000]
  odd = () => undefined
  listed = undefined
  chain = networkWith()
  // The pace of blocks is measured by then.
  for (let block = 0; block < 40; block += 1) {
    mine()
    await look(backlog)
  }
  mine()
})

/** The numbers by which facts were read after the head. */
function readByNumber(method: string): readonly Call[] {
  return called.filter((call) => call.method === method && !call.params.includes('latest'))
}

describe('one round', () => {
  test('brings head, count and fees of a backlog', async () => {
    const seen = await look(backlog)
    expect(seen).toMatchObject({ rounds: 1, nonce: 5, head: { number: height }, market: { baseFee: gwei } })
    expect(called).toHaveLength(3)
  })

  test('brings the headers of the blocks that were made meanwhile, too', async () => {
    mine(6)
    const seen = await look(backlog)
    expect(seen).toMatchObject({ rounds: 1, head: { number: height } })
    expect((await look({ inclusionBlocks: [height - 3] })).canonical.get(height - 3)).toBe(hashAt(height - 3))
    expect(called).toHaveLength(1)
  })

  test('brings the balance that sends wait for', async () => {
    await look({ ...backlog, balance: 'now' })
    mine()
    const seen = await look({ ...backlog, balance: 'now' })
    expect(seen).toMatchObject({ rounds: 1, balance: 10n ** 18n, balanceReadAt: height })
    expect(called).toHaveLength(4)
  })

  test('brings the tag', async () => {
    await look({ ...backlog, tag: 'finalized' })
    mine()
    expect(await look({ ...backlog, tag: 'finalized' })).toMatchObject({ rounds: 1, tagged: height - 2 })
  })

  test('brings a new suggestion of a tip', async () => {
    for (let block = 0; block < 60; block += 1) {
      expect(await look(backlog)).toMatchObject({ rounds: 1 })
      mine()
    }
  })

  test('suffices after a pause for an account with nothing in flight', async () => {
    await look({ market: true, live: [], spentBelow: 5, balance: 'recent' })
    await look({ live: [], spentBelow: 5 })
    mine(12)
    expect(await look({ market: true, live: [], spentBelow: 5, balance: 'recent' })).toMatchObject({ rounds: 1 })
  })

  test('brings the balance too, once it is old, with a second one for the link', async () => {
    await look({ market: true, live: [], spentBelow: 5, balance: 'recent' })
    await look({ live: [], spentBelow: 5 })
    mine(130)
    const seen = await look({ market: true, live: [], spentBelow: 5, balance: 'recent' })
    expect(seen).toMatchObject({ rounds: 2, balance: 10n ** 18n, balanceReadAt: height })
    expect(called.filter(({ method }) => method === 'eth_getBalance')).toHaveLength(1)
  })

  test('asks for nothing that the decision before did not need', async () => {
    await look({ ...backlog, market: false, live: [] })
    mine()
    await look({ market: false, live: [], spentBelow: 5 })
    expect(called.map(({ method }) => method)).toEqual(['eth_getBlockByNumber'])
  })
})

describe('the count of another head', () => {
  test.each([4, 11, 300])('beside the head is not taken: %i', async (false_) => {
    odd = ({ method, params }) =>
      method === 'eth_getTransactionCount' && params[1] === 'latest' ? hex(false_) : undefined
    expect(await look(backlog)).toMatchObject({ rounds: 2, nonce: 5 })
  })

  test.each([5, 8, 10])(
    'may be true, as it lies between the known one and the last nonce in flight: %i',
    async (later) => {
      odd = ({ method, params }) =>
        method === 'eth_getTransactionCount' && params[1] === 'latest' ? hex(later) : undefined
      expect(await look(backlog)).toMatchObject({ nonce: later })
    },
  )

  test('is read by number after a reorganization', async () => {
    fork = height - 2
    branch = 2
    odd = ({ method, params }) => (method === 'eth_getTransactionCount' && params[1] === 'latest' ? hex(6) : undefined)
    expect(await look(backlog)).toMatchObject({ nonce: 5, head: { hash: hashAt(height) } })
    expect(readByNumber('eth_getTransactionCount')).toHaveLength(1)
  })

  test.each([{ nonce: 'now' as const }, { secondCount: true as const }, { pendingNonce: true }])(
    'is read by number with %o',
    async (wish) => {
      odd = ({ method, params }) =>
        method === 'eth_getTransactionCount' && params[1] === 'latest' ? hex(6) : undefined
      expect(await look({ ...backlog, ...wish })).toMatchObject({ nonce: 5 })
    },
  )
})

describe('hashes in blocks of 200 ms', () => {
  const [first] = inFlight(5, 5)
  const hash = first?.attempts[0]?.hash ?? '0x'
  let receipt: object | null

  function mineFast(blocks = 1): void {
    height += blocks
    clock.advance(blocks * 200)
  }

  /** The next block takes the first transaction, and the node lists it, unless it leaves it out. */
  function take(isListed = true): void {
    if (isListed) listed = new Map([[height + 1, [hashAt(1), hash]]])
    mineFast()
    count = 6
    const block = { blockHash: hashAt(height), blockNumber: hex(height), transactionIndex: '0x1' }
    receipt = {
      ...block,
      transactionHash: hash,
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: hex(gwei),
      logs: [],
    }
  }

  beforeEach(async () => {
    chain = networkWith({ averageBlocktimeMs: 200 })
    listed = new Map()
    receipt = null
    odd = ({ method, params }) =>
      method === 'eth_getTransactionReceipt' && params[0] === hash ? (receipt ?? undefined) : undefined
    for (let block = 0; block < 60; block += 1) {
      mineFast()
      await look(backlog)
    }
    // The account is counted under this head.
    mineFast(10)
    await look(backlog)
    mineFast()
  })

  test('without ours bring head and fees in one round, and the account is counted again after two seconds', async () => {
    const counts: number[] = []
    for (let block = 0; block < 20; block += 1) {
      expect(await look(backlog)).toMatchObject({ rounds: 1, nonce: 5, market: { baseFee: gwei } })
      counts.push(called.filter(({ method }) => method === 'eth_getTransactionCount').length)
      mineFast()
    }
    expect(counts.reduce((sum, one) => sum + one)).toBe(2)
  })

  test.each([1, 4, 16])('show ours in the first of %i blocks since the head before', async (blocks) => {
    await look(backlog)
    take()
    mineFast(blocks - 1)
    const seen = await look(backlog)
    expect([seen.nonce, ...seen.inclusions.keys()]).toEqual([6, 5])
  })

  test('of a head that only another account has looked at are not missed', async () => {
    await look(backlog)
    take()
    await look({ ...backlog, address: devAccount(1).address })
    mineFast()
    expect(await look(backlog)).toMatchObject({ nonce: 6 })
  })

  test('show a send after a rest without a count, and with one receipt', async () => {
    mineFast(50)
    await look({ ...backlog, live: [] })
    const unspentAt = { block: height, ms: clock.now() }
    const sent = { ...backlog, live: inFlight(5, 5).map((each) => ({ ...each, unspentAt })) }
    mineFast()
    expect(await look(sent)).toMatchObject({ rounds: 1, nonce: 5 })
    take()
    expect(await look(sent)).toMatchObject({ nonce: 6 })
    const ofAccount = called.map(({ method }) => method).filter((each) => /Receipt|Count/.test(each))
    expect(ofAccount).toEqual(['eth_getTransactionReceipt'])
  })

  test('that a node leaves out make ours no later than two seconds', async () => {
    await look(backlog)
    take(false)
    let blocks = 1
    for (; (await look(backlog)).nonce === 5 && blocks < 50; blocks += 1) mineFast()
    expect(blocks).toBeLessThanOrEqual(10)
  })

  test('that a node lists falsely move no nonce', async () => {
    await look(backlog)
    listed = new Map([[height + 1, [hash]]])
    mineFast()
    expect(await look(backlog)).toMatchObject({ nonce: 5, inclusions: new Map() })
  })

  test('show ours before its receipt is there', async () => {
    await look(backlog)
    take()
    receipt = null
    expect(await look(backlog)).toMatchObject({ nonce: 6 })
  })

  test('show that the count of another backend is behind', async () => {
    await look(backlog)
    take()
    mineFast(9)
    odd = ({ method, params }) => (method === 'eth_getTransactionCount' && params[1] === 'latest' ? hex(5) : undefined)
    expect(await look(backlog)).toMatchObject({ nonce: 6 })
  })

  test.each([
    ['a node lists none', () => (listed = undefined)],
    ['a gap is too wide to read its headers', () => mineFast(16)],
  ])('are unknown where %s: the account is counted', async (_, happens) => {
    await look(backlog)
    take()
    happens()
    expect(await look(backlog)).toMatchObject({ nonce: 6 })
  })
})

test('the fees of another head are read by number', async () => {
  odd = ({ method, params }) =>
    method === 'eth_feeHistory' && params[1] === 'latest' ? historyAt(height + 1, 9n * gwei) : undefined
  expect(await look(backlog)).toMatchObject({ rounds: 2, market: { baseFee: gwei } })
})

test('a header that was read beside the head, and is of another branch, is read again', async () => {
  mine(4)
  const between = hex(height - 2)
  let isFirst = true
  odd = ({ params }) => {
    if (params[0] !== between || !isFirst) return undefined
    isFirst = false
    return { ...blockAt(height - 2), hash: hashAt(9_999) }
  }
  expect(await look(backlog)).toMatchObject({ rounds: 2, nonce: 5 })
  expect((await look({ inclusionBlocks: [height - 2] })).canonical.get(height - 2)).toBe(hashAt(height - 2))
})

test('a gap of more than sixteen blocks takes one round more, and no header between', async () => {
  mine(40)
  expect(await look(backlog)).toMatchObject({ rounds: 2, head: { number: height } })
  expect(called.filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(3)
})

test('two readings of the head are never under way at once', async () => {
  const heads: number[] = []
  const stop = new AbortController()
  chain.follow(({ number }) => heads.push(number), stop.signal)
  await rest()
  expect(requests).toHaveLength(1)
  clock.advance(10 * blocktimeMs)
  const observed = chain.observe(inquiryOf(address))
  await rest()
  expect(requests).toHaveLength(1)
  stop.abort()
  for (let round = 0; round < 5; round += 1) {
    const due = requests
    requests = []
    for (const reply of due) reply()
    await rest()
  }
  expect((await observed).head.number).toBe(height)
  expect(heads).toEqual([])
})

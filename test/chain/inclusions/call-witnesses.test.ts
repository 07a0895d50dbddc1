// Which endpoints are called as witnesses, what counts as their word, and what is read only once.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { namingBlocks } from '../../../src/chain/heads/read-tag.ts'
import { callingWitnesses } from '../../../src/chain/inclusions/call-witnesses.ts'
import type { Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import type { Contradiction } from '../../../src/domain/contradiction.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import { noChainMetrics } from '../../../src/ops/metrics.ts'
import { headAt } from '../../domain/some.ts'
import { quiet } from '../../store/open-store.ts'
import { manualClock } from '../../support/manual-clock.ts'

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as Hash
const block = { number: 50, hash: hashOf('b') }
const spender = hashOf('1')
const claim = { hash: spender, block }
const hex = (number: number) => `0x${number.toString(16)}`

/** What a node shows. Undefined: it does not answer. */
interface Shows {
  readonly provider?: string
  listing: readonly Hash[] | undefined
  blockHash?: Hash
  status?: '0x0' | '0x1' | undefined
  gas?: string
  price?: string
  hasReceipts?: boolean
  /** The block that its receipts name. Absent: the one that it shows. */
  receiptsOf?: Hash
  servesBlockReceipts?: boolean
  tag?: number
  /** So many of its next answers are lost. */
  losing?: number
  /** Its answers wait for this. */
  delayed?: Promise<void>
}

function nodeOf(shows: Shows, index: number) {
  const calls: string[] = []
  const receiptOf = (hash: unknown) => ({
    ...{ transactionHash: hash, blockHash: shows.receiptsOf ?? shows.blockHash ?? block.hash },
    blockNumber: hex(block.number),
    ...(shows.status !== undefined && { status: shows.status }),
    ...(shows.gas !== undefined && { gasUsed: shows.gas }),
    ...(shows.price !== undefined && { gasUsed: '0x5208', effectiveGasPrice: shows.price }),
  })
  const answer = ({ method, params }: Call) => {
    calls.push(method)
    shows.losing = (shows.losing ?? 0) - 1
    if (shows.losing >= 0) return { kind: 'unknown', message: 'timed out' }
    if (method === 'eth_getBlockByNumber') {
      const number = typeof params[0] === 'string' && params[0].startsWith('0x') ? block.number : (shows.tag ?? 0)
      if (!shows.listing) return { kind: 'unknown', message: 'timed out' }
      const head = {
        number: hex(number),
        hash: shows.blockHash ?? block.hash,
        parentHash: hashOf('a'),
        timestamp: '0x1',
      }
      return { kind: 'value', value: { ...head, transactions: shows.listing } }
    }
    if (method === 'eth_getBlockReceipts') {
      if (!shows.servesBlockReceipts) return { kind: 'rpcError', code: -32601, message: 'no such method' }
      return { kind: 'value', value: (shows.listing ?? []).map(receiptOf) }
    }
    return { kind: 'value', value: shows.hasReceipts === false ? null : receiptOf(params[0]) }
  }
  const endpoint = {
    ...{ index, provider: shows.provider ?? `provider ${index}`, mayShow: () => true, ready: async () => undefined },
    ...{
      strayed: () => undefined,
      call: async (call: Call) => {
        await shows.delayed
        return answer(call)
      },
    },
  } as unknown as Endpoint
  return { endpoint, calls, shows }
}

function openWitnesses(...shown: readonly Shows[]) {
  return witnessesBy('block_hash', shown)
}

function witnessesBy(witness: 'block_hash' | 'transaction', shown: readonly Shows[]) {
  const nodes = shown.map((shows, index) => nodeOf({ ...shows }, index))
  const clock = manualClock()
  const all = nodes.map(({ endpoint }) => endpoint)
  const contradicted: number[] = []
  const silences: number[] = []
  const noted: Contradiction[] = []
  const witnesses = callingWitnesses({
    namedBlock: namingBlocks(clock, 1_000),
    endpoints: { order: () => all } as unknown as Endpoints,
    providers: new Set(all.map(({ provider }) => provider)).size,
    clock,
    logger: quiet,
    witness,
    note: (contradiction) => noted.push(contradiction),
    metrics: {
      ...noChainMetrics,
      contradicted: (index) => contradicted.push(index),
      witnessSilence: (ms) => silences.push(ms),
    },
  })
  const at = (height = 60) => ({ head: headAt(height), by: all[0] as Endpoint })
  return {
    ...{ nodes, clock, witnesses, contradicted, noted, silences, at: at() },
    call: async (claims: Parameters<typeof witnesses.call>[0] = [claim]) =>
      (await witnesses.call(claims, at())).get(spender),
    tagged: async () => (await witnesses.call([claim], at(), { tag: 'finalized' })).get(spender),
  }
}

const lists = { listing: [hashOf('2'), spender] }
const lacks = { listing: [hashOf('2')] }

test('two that list it are enough, and the third is not called', async () => {
  const { call, nodes } = openWitnesses(lists, lists, lists)
  expect(await call()).toMatchObject({ shownBy: [0, 1], refutedBy: [], providers: 3, silentMs: 0 })
  expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 0])
  await call()
  expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 0])
})

test('endpoints of one provider are one witness, and each stands in for the other', async () => {
  const one = openWitnesses({ ...lists, provider: 'a' }, { ...lists, provider: 'a' }, { ...lists, provider: 'b' })
  expect(await one.call()).toMatchObject({ shownBy: [0, 2], providers: 2 })
  const alone = openWitnesses(
    { ...lists, provider: 'a' },
    { ...lists, provider: 'a' },
    { listing: undefined, provider: 'b' },
  )
  expect(await alone.call()).toMatchObject({ shownBy: [0], providers: 2 })
  const other = openWitnesses({ listing: undefined, provider: 'a' }, { ...lists, provider: 'a' })
  expect(await other.call()).toMatchObject({ shownBy: [1], providers: 1, silentMs: 0 })
})

test('a list without it refutes it, another block does not; what two refuted is believed of nobody', async () => {
  const { call, witnesses, contradicted } = openWitnesses(lists, { ...lacks, blockHash: hashOf('c') }, lacks)
  expect(await call()).toMatchObject({ shownBy: [0], refutedBy: [2], elsewhereBy: [1] })
  expect(witnesses.isRefuted(claim)).toBe(false)
  expect(contradicted).toEqual([0, 2, 1])

  const outvoted = openWitnesses(lists, lacks, lacks)
  expect(await outvoted.call()).toMatchObject({ shownBy: [0], refutedBy: [1, 2] })
  expect(outvoted.witnesses.isRefuted(claim)).toBe(true)
  expect(outvoted.witnesses.isRefuted({ ...claim, hash: hashOf('2') })).toBe(false)
})

test('a contradiction is noted once, with the question and what each endpoint showed', async () => {
  const elsewhere = { ...lacks, blockHash: hashOf('c') }
  const { witnesses, noted, clock, at } = openWitnesses({ ...lists, status: '0x1' }, elsewhere, lacks)
  for (let round = 0; round < 3; round += 1) {
    await witnesses.call([{ ...claim, succeeded: true }], at)
    clock.advance(20_000)
  }
  expect(noted.map(({ condition, question }) => ({ condition, question }))).toEqual([
    { condition: 'witnesses_contradict', question: { block, spender, succeeded: true } },
  ])
  const answers = noted[0]?.answers.map(({ endpoint, answer }) => [endpoint, JSON.parse(answer)])
  const shown = (blockHash: Hash, lists_spender: boolean) => ({ block: 50, block_hash: blockHash, lists_spender })
  expect(answers?.toSorted(([one], [two]) => one - two)).toEqual([
    [0, { ...shown(block.hash, true), succeeded: true, transactions: 2 }],
    [1, { ...shown(hashOf('c'), false), transactions: 1, first: [hashOf('2')] }],
    [2, { ...shown(block.hash, false), transactions: 1, first: [hashOf('2')] }],
  ])
})

test('where clients hash blocks differently, the transaction, its height and its result are compared', async () => {
  const hashed = { ...lists, blockHash: hashOf('c'), status: '0x1' as const }
  const requested = { ...claim, succeeded: true }
  const byTransaction = witnessesBy('transaction', [{ ...lists, status: '0x1' }, hashed])
  expect(await byTransaction.call([requested])).toMatchObject({ shownBy: [0, 1], elsewhereBy: [] })
  const failed = witnessesBy('transaction', [
    { ...lists, status: '0x1' },
    { ...hashed, status: '0x0' },
  ])
  expect(await failed.call([requested])).toMatchObject({ shownBy: [0], refutedBy: [1] })
  const lacking = witnessesBy('transaction', [
    { ...lists, status: '0x1' },
    { ...hashed, ...lacks },
  ])
  expect(await lacking.call([requested])).toMatchObject({ shownBy: [0], refutedBy: [], elsewhereBy: [1] })
  const byHash = openWitnesses({ ...lists, status: '0x1' }, hashed)
  expect(await byHash.call([requested])).toMatchObject({ shownBy: [0], elsewhereBy: [1] })
})

test('another hash of the newest block is no contradiction until a block follows', async () => {
  const { witnesses, nodes, contradicted, noted, clock } = openWitnesses(lists, { ...lists, blockHash: hashOf('c') })
  const [node] = nodes
  if (!node) throw new Error('there is no node')
  const at = (height: number) => ({ head: headAt(height), by: node.endpoint })
  expect((await witnesses.call([claim], at(block.number))).get(spender)).toMatchObject({ elsewhereBy: [1] })
  expect({ contradicted, noted }).toEqual({ contradicted: [], noted: [] })
  clock.advance(20_000)
  await witnesses.call([claim], at(block.number + 1))
  expect(contradicted).toEqual([0, 1])
  expect(noted).toHaveLength(1)
})

test('a block without it refutes it whatever its result is said to be, and another result only that result', async () => {
  const paid = { ...claim, succeeded: true }
  const unlisted = openWitnesses({ ...lists, status: '0x1' }, lacks, lacks)
  await unlisted.call([paid])
  expect([paid, claim].map(unlisted.witnesses.isRefuted)).toEqual([true, true])

  const reverted = { ...lists, status: '0x0' } as const
  const otherwise = openWitnesses({ ...lists, status: '0x1' }, reverted, reverted)
  await otherwise.call([paid])
  expect([paid, claim].map(otherwise.witnesses.isRefuted)).toEqual([true, false])
})

test('where they contradict each other, their lists are read anew', async () => {
  const { call, nodes, clock } = openWitnesses(lists, lacks)
  await call()
  const [, liar] = nodes
  if (liar) liar.shows.listing = lists.listing
  clock.advance(1_000)
  expect(await call()).toMatchObject({ shownBy: [0, 1], refutedBy: [] })
})

test('while they contradict each other, the word of one that is silent now stands for a minute, and a later word replaces it', async () => {
  for (const [first, second] of [
    [lists, lacks],
    [lacks, lists],
  ] as const) {
    const { call, nodes, clock } = openWitnesses({ ...first }, { ...second })
    const silent = nodes[1]
    if (!silent) throw new Error('there is no second node')
    const contradicted = await call()
    expect([...(contradicted?.shownBy ?? []), ...(contradicted?.refutedBy ?? [])].sort()).toEqual([0, 1])
    silent.shows.listing = undefined
    for (let seconds = 0; seconds < 60; seconds += 5) {
      clock.advance(5_000)
      expect(await call()).toMatchObject({ shownBy: contradicted?.shownBy, refutedBy: contradicted?.refutedBy })
    }
    clock.advance(15_000)
    const alone = await call()
    expect([...(alone?.shownBy ?? []), ...(alone?.refutedBy ?? [])]).toEqual([0])
    silent.shows.listing = first.listing
    clock.advance(15_000)
    const agreed = await call()
    expect(first === lists ? agreed?.shownBy : agreed?.refutedBy).toEqual([0, 1])
  }
})

test('a contradiction does not end while the first answers with the tag are under way, and no word for it goes over', async () => {
  const { call, tagged, nodes, clock } = openWitnesses({ ...lists, tag: 50 }, { ...lacks, tag: 50 })
  expect(await call()).toMatchObject({ shownBy: [0], unlistedBy: [1] })
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const { shows } of nodes) shows.delayed = promise
  const early = tagged()
  await turn()
  clock.advance(250)
  expect(await early).toMatchObject({ shownBy: [], unlistedBy: [1] })
  resolve()
  for (let turns = 0; turns < 20; turns += 1) await turn()
  expect(await tagged()).toMatchObject({ shownBy: [0], unlistedBy: [1] })
})

test('once they contradict each other, the results that they gave count no longer', async () => {
  const succeeded = { ...claim, succeeded: true }
  const { call, nodes, clock } = openWitnesses({ ...lists, status: '0x1' }, { ...lists, status: '0x0' })
  const liar = nodes[1]
  if (!liar) throw new Error('there is no second node')
  expect(await call([succeeded])).toMatchObject({ shownBy: [0], refutedBy: [1] })
  liar.shows.status = undefined
  clock.advance(1_000)
  expect(await call([succeeded])).toMatchObject({ shownBy: [0], listedBy: [1], refutedBy: [] })
  liar.shows.status = '0x1'
  clock.advance(2_000)
  expect(await call([succeeded])).toMatchObject({ shownBy: [0, 1], refutedBy: [] })
})

test('a receipt of another block says nothing about this one', async () => {
  const succeeded = { ...claim, succeeded: true }
  for (const status of ['0x0', '0x1'] as const) {
    const strayed = { ...lists, status, receiptsOf: hashOf('c') }
    const { call } = openWitnesses({ ...lists, status: '0x1' }, strayed)
    expect(await call([succeeded])).toMatchObject({ shownBy: [0], listedBy: [1], refutedBy: [] })
  }
})

test('while they contradict each other, they are called again at growing intervals', async () => {
  const { call, nodes, clock } = openWitnesses(lists, lacks)
  const times = 300
  for (let second = 0; second < times; second += 1) {
    await call()
    clock.advance(1_000)
  }
  // After 0, 1, 3, 7 and 15 seconds, and then each 15 seconds.
  expect(nodes.map(({ calls }) => calls.length)).toEqual([23, 23])
})

test('the result of a payload is compared; an endpoint that gave it before is not called for it, and one that says none is no witness', async () => {
  const succeeded = { ...claim, succeeded: true }
  const { call, witnesses, nodes } = openWitnesses(
    { ...lists, status: '0x1' },
    { ...lists, status: undefined },
    { ...lists, status: '0x0' },
    { ...lists, status: '0x1' },
  )
  const [first] = nodes
  if (first) witnesses.reported(first.endpoint, { ...succeeded, by: 'unrecorded' })
  expect(await call([succeeded])).toMatchObject({ shownBy: [0, 3], refutedBy: [2] })
  expect(first?.calls).toEqual(['eth_getBlockByNumber'])
})

const needsReceipts = [
  ['a payload', { ...claim, succeeded: true }],
  ['a no-op with a cost', { ...claim, isPriced: true }],
] as const

test('after a long silence, a list without its receipt has to last as long: the receipt may come a moment later', async () => {
  const succeeded = { ...claim, succeeded: true }
  const shows = { ...lists, status: '0x1', hasReceipts: false } as const
  const { call, nodes, clock } = openWitnesses({ ...shows, hasReceipts: true }, { ...shows, listing: undefined })
  const later = async () => {
    clock.advance(20_000)
    return call([succeeded])
  }
  await call([succeeded])
  expect(await later()).toMatchObject({ listedBy: [], silentMs: 20_000 })
  const [, back] = nodes
  if (back) back.shows.listing = lists.listing
  expect(await later()).toMatchObject({ shownBy: [0], listedBy: [1], silentMs: 0 })
  expect(await later()).toMatchObject({ listedBy: [1], silentMs: 20_000 })
  if (back) back.shows.listing = undefined
  expect(await later(), 'silent again').toMatchObject({ listedBy: [1], silentMs: 40_000 })
})

test.each(needsReceipts)('%s: a receipt that is not there yet is silence, and read again', async (_what, needing) => {
  const shows = { ...lists, status: '0x1', price: '0x7' } as const
  const { call, nodes, clock } = openWitnesses(shows, { ...shows, hasReceipts: false })
  expect(await call([needing])).toMatchObject({ shownBy: [0], listedBy: [1], refutedBy: [] })
  clock.advance(1_000)
  const silent = await call([needing])
  expect(silent).toMatchObject({ shownBy: [0], silentMs: 1_000 })
  expect(silent).not.toHaveProperty('charge')
  const [, late] = nodes
  if (late) late.shows.hasReceipts = true
  clock.advance(2_000)
  const charge = { gasUsed: 21_000, effectiveGasPrice: 7n }
  expect(await call([needing])).toMatchObject({ shownBy: [0, 1], refutedBy: [], silentMs: 0, charge })
})

test('two receipts without a price name no charge', async () => {
  const shows = { ...lists, status: '0x1', gas: '0x5208' } as const
  const { call, noted } = openWitnesses(shows, shows)
  const testimony = await call([{ ...claim, isPriced: true }])
  expect(testimony).toMatchObject({ shownBy: [0, 1] })
  expect(testimony).not.toHaveProperty('charge')
  expect(noted).toHaveLength(1)
})

test('a claim whose cost is known only later is another claim', async () => {
  const { call } = openWitnesses({ ...lists, price: '0x7' }, { ...lists, price: '0x7' })
  expect(await call([claim])).not.toHaveProperty('charge')
  expect(await call([{ ...claim, isPriced: true }])).toHaveProperty('charge')
})

test('a lost answer is requested once more', async () => {
  const { call, nodes } = openWitnesses(lists, { ...lists, losing: 1 })
  expect(await call()).toMatchObject({ shownBy: [0, 1] })
  expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 2])
  expect(await openWitnesses(lists, { ...lists, losing: 2 }).call()).toMatchObject({ shownBy: [0] })
})

test('the receipts of a block come in one call from eight on, where the endpoint serves that', async () => {
  const hashes = ['1', '2', '3', '4', '5', '6', '7', '8'].map(hashOf)
  const claims = hashes.map((hash) => ({ hash, block, succeeded: true }))
  const whole = { listing: hashes, status: '0x1' } as const
  const { call, nodes } = openWitnesses({ ...whole, servesBlockReceipts: true }, whole)
  expect(await call(claims)).toMatchObject({ shownBy: [0, 1] })
  expect(nodes[0]?.calls).toEqual(['eth_getBlockByNumber', 'eth_getBlockReceipts'])
  expect(nodes[1]?.calls).toHaveLength(10)
})

test('a witness whose own tag is below the block is silent', async () => {
  const { tagged } = openWitnesses({ ...lists, tag: 50 }, { ...lists, tag: 49 })
  expect(await tagged()).toMatchObject({ shownBy: [0], refutedBy: [] })
})

test('the tag of an endpoint is read once a head, however many blocks wait for it', async () => {
  const { witnesses, nodes, at } = openWitnesses({ ...lists, tag: 49 }, { ...lists, tag: 49 })
  const others = ['3', '4', '5'].map((digit) => ({ hash: spender, block: { number: 50, hash: hashOf(digit) } }))
  if (nodes[1]) nodes[1].shows.tag = 50
  await witnesses.call([claim, ...others], at, { tag: 'finalized' })
  // Another block at its height shows in the list alone.
  expect(nodes.map(({ calls }) => calls.length)).toEqual([5, 5])
})

test('silence is counted while others are called, and ends with the next that answers', async () => {
  const { call, clock, nodes, witnesses, silences, at } = openWitnesses(lists, { listing: undefined })
  expect(await call()).toMatchObject({ shownBy: [0], silentMs: 0 })
  clock.advance(20_000)
  expect(await call()).toMatchObject({ silentMs: 20_000 })
  // Nobody was called for an hour.
  clock.advance(3_600_000)
  expect(await call()).toMatchObject({ silentMs: 50_000 })
  expect(witnesses.single()).toEqual({ endpoint: 0, silentMs: 50_000 })
  // Another spender need not wait as long again.
  const other = { ...claim, hash: hashOf('2') }
  expect((await witnesses.call([other], at)).get(other.hash)?.silentMs).toBe(50_000)
  const [, silent] = nodes
  if (silent) silent.shows.listing = lists.listing
  clock.advance(15_000)
  expect(await call()).toMatchObject({ shownBy: [0, 1], silentMs: 0 })
  expect(witnesses.single()).toBeUndefined()
  expect(silences.at(-1)).toBe(0)
})

test('a slow endpoint holds no step up for longer than 50 ms, and its answer wakes the relayer', async () => {
  const { witnesses, clock, nodes, at } = openWitnesses(lists, lists)
  const [, slow] = nodes
  const answer = Promise.withResolvers<void>()
  if (slow) slow.shows.delayed = answer.promise
  let changes = 0
  const call = () => witnesses.call([claim], at, { changed: () => (changes += 1) })
  const first = call()
  await turn()
  expect(clock.sleeping).toEqual([50])
  clock.advance(300)
  expect((await first).get(spender)).toMatchObject({ shownBy: [] })
  // The steps after it do not wait at all.
  expect((await call()).get(spender)).toMatchObject({ shownBy: [] })
  answer.resolve()
  await turn()
  expect(changes).toBe(2)
  expect((await call()).get(spender)).toMatchObject({ shownBy: [0, 1] })
  const other = { ...claim, hash: hashOf('2') }
  const next = Promise.withResolvers<void>()
  if (slow) slow.shows.delayed = next.promise
  expect((await witnesses.call([{ ...other, block: { ...block, hash: hashOf('9') } }], at)).size).toBe(1)
  next.resolve()
})

test('of a no-op one receipt more is read, and a charge that two show counts', async () => {
  const priced = { ...claim, isPriced: true } as const
  const noOp = { ...claim, by: 'attempt', kind: 'cancel', gasUsed: 21_000, effectiveGasPrice: 7n } as const
  const open = (price: string) => {
    const opened = openWitnesses(lists, { ...lists, price })
    const [first] = opened.nodes
    if (first) opened.witnesses.reported(first.endpoint, noOp)
    return opened
  }
  const agreed = open('0x7')
  expect(await agreed.call([priced])).toMatchObject({ charge: { gasUsed: 21_000, effectiveGasPrice: 7n } })
  expect(agreed.nodes.map(({ calls }) => calls.length)).toEqual([1, 2])
  const differing = open('0x8')
  expect(await differing.call([priced])).not.toHaveProperty('charge')
  expect(differing.noted.flatMap(({ answers }) => answers.map(({ answer }) => JSON.parse(answer)))).toMatchObject([
    { gas_used: 21_000, effective_gas_price: '7' },
    { gas_used: 21_000, effective_gas_price: '8' },
  ])
})

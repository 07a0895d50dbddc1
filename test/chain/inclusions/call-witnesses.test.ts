// Which endpoints are called as witnesses, what counts as their word, and what is read only once.
import { expect, test } from 'vitest'
import { callingWitnesses } from '../../../src/chain/inclusions/call-witnesses.ts'
import type { Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
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
  hasReceipts?: boolean
  servesBlockReceipts?: boolean
  tag?: number
}

function nodeOf(shows: Shows, index: number) {
  const calls: string[] = []
  const receiptOf = (hash: unknown) => ({
    ...{ transactionHash: hash, blockHash: block.hash, blockNumber: hex(block.number) },
    ...(shows.status !== undefined && { status: shows.status }),
  })
  const answer = ({ method, params }: Call) => {
    calls.push(method)
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
    ...{ index, provider: shows.provider ?? `provider ${index}`, fit: () => true, ready: async () => undefined },
    ...{ strayed: () => undefined, call: async (call: Call) => answer(call) },
  } as unknown as Endpoint
  return { endpoint, calls, shows }
}

function openWitnesses(...shown: readonly Shows[]) {
  const nodes = shown.map(nodeOf)
  const clock = manualClock()
  const all = nodes.map(({ endpoint }) => endpoint)
  const contradicted: number[] = []
  const witnesses = callingWitnesses({
    endpoints: { order: () => all } as unknown as Endpoints,
    providers: new Set(all.map(({ provider }) => provider)).size,
    clock,
    logger: quiet,
    metrics: { ...noChainMetrics, contradicted: (index) => contradicted.push(index) },
  })
  const at = (height = 60) => ({ head: headAt(height), by: all[0] as Endpoint })
  return {
    ...{ nodes, clock, witnesses, contradicted, at: at() },
    call: async (claims: Parameters<typeof witnesses.call>[0] = [claim], height = 60) =>
      (await witnesses.call(claims, at(height))).get(spender),
    tagged: async () => (await witnesses.call([claim], at(), 'finalized')).get(spender),
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

test('where they contradict each other, their lists are read anew', async () => {
  const { call, nodes } = openWitnesses(lists, lacks)
  await call()
  const [, liar] = nodes
  if (liar) liar.shows.listing = lists.listing
  expect(await call()).toMatchObject({ shownBy: [0, 1], refutedBy: [] })
})

test('the result of a payload is compared, unless the endpoint gave it before, or never says one', async () => {
  const succeeded = { ...claim, succeeded: true }
  const { call, witnesses, nodes } = openWitnesses(
    { ...lists, status: '0x1' },
    { ...lists, status: '0x0' },
    { ...lists, status: undefined },
  )
  const [first] = nodes
  if (first) witnesses.reported(first.endpoint, succeeded)
  expect(await call([succeeded])).toMatchObject({ shownBy: [0, 2], refutedBy: [1] })
  expect(first?.calls).toEqual(['eth_getBlockByNumber'])
})

test('a receipt that is not there yet is silence, and from 32 blocks on a node that has none', async () => {
  const succeeded = { ...claim, succeeded: true }
  const { call } = openWitnesses({ ...lists, status: '0x1' }, { ...lists, hasReceipts: false })
  expect(await call([succeeded])).toMatchObject({ shownBy: [0], refutedBy: [] })
  expect(await call([succeeded], 82)).toMatchObject({ shownBy: [0, 1], refutedBy: [] })
})

test('the receipts of a block come in one call from four on, where the endpoint serves that', async () => {
  const hashes = ['1', '2', '3', '4'].map(hashOf)
  const claims = hashes.map((hash) => ({ hash, block, succeeded: true }))
  const whole = { listing: hashes, status: '0x1' } as const
  const { call, nodes } = openWitnesses({ ...whole, servesBlockReceipts: true }, whole)
  expect(await call(claims)).toMatchObject({ shownBy: [0, 1] })
  expect(nodes[0]?.calls).toEqual(['eth_getBlockByNumber', 'eth_getBlockReceipts'])
  expect(nodes[1]?.calls).toHaveLength(6)
})

test('a witness whose own tag is below the block is silent', async () => {
  const { tagged } = openWitnesses({ ...lists, tag: 50 }, { ...lists, tag: 49 })
  expect(await tagged()).toMatchObject({ shownBy: [0], refutedBy: [] })
})

test('silence is counted since two last answered, and ends with the next that answers', async () => {
  const { call, clock, nodes, witnesses, at } = openWitnesses(lists, { listing: undefined })
  expect(await call()).toMatchObject({ shownBy: [0], silentMs: 0 })
  clock.advance(70_000)
  expect(await call()).toMatchObject({ silentMs: 70_000 })
  // Another spender need not wait as long again.
  const other = { ...claim, hash: hashOf('2') }
  expect((await witnesses.call([other], at)).get(other.hash)?.silentMs).toBe(70_000)
  const [, silent] = nodes
  if (silent) silent.shows.listing = lists.listing
  expect(await call()).toMatchObject({ shownBy: [0, 1], silentMs: 0 })
})

// Entries of blocks with members missing or of another type hide nobody: neither from a race nor from the search of a lost history.
import fc from 'fast-check'
import { keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openHistoryCheck } from '../../../src/chain/inclusions/check-history.ts'
import { type FindInclusions, findInclusions } from '../../../src/chain/inclusions/find-inclusions.ts'
import { findingSpenders } from '../../../src/chain/inclusions/find-spender.ts'
import { rememberUnexplained } from '../../../src/chain/inclusions/unexplained.ts'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import { toHex } from '../../../src/chain/nodes/decode.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import { expectedMember } from '../../../src/chain/nodes/expected-answer.ts'
import { readLargeAnswer } from '../../../src/chain/nodes/read-large-answer.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'

const { key, address } = devAccount(0)
const chainId = 31_337
const nonce = 4
/** A search of a wide range takes more than one round. */
const wideRounds = 20

type Entry = Readonly<Record<string, unknown>>

const word = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`
const hashAt = (number: number) => word(0xb10c000 + number)

/** By the OpenRPC document of execution-apis, and by op-geth for a deposit. */
const common = {
  ...{ blockHash: word(1), blockNumber: '0x1', transactionIndex: '0x0', hash: word(2), from: devAccount(1).address },
  ...{ nonce: '0x4', to: devAccount(2).address, gas: '0x5208', value: '0x7', input: '0x', gasPrice: '0x9' },
}
const signature = { chainId: toHex(chainId), r: word(3), s: word(4), v: '0x0', yParity: '0x0' }
const priced = { ...common, ...signature, accessList: [], maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x2' }
const authorization = { ...signature, address: devAccount(2).address, nonce: '0x4' }
const blobs = { maxFeePerBlobGas: '0x1', blobVersionedHashes: [word(5)] }
const shapes: readonly Entry[] = [
  { ...common, ...signature, type: '0x0' },
  { ...common, ...signature, type: '0x1', accessList: [{ address: devAccount(2).address, storageKeys: [word(6)] }] },
  { ...priced, type: '0x2' },
  { ...priced, ...blobs, type: '0x3' },
  { ...priced, type: '0x4', authorizationList: [authorization, { ...authorization, chainId: `0x${'f'.repeat(64)}` }] },
  { ...common, type: '0x7e', sourceHash: word(7), mint: '0x0', isSystemTx: false },
]

const anotherType = fc.constantFrom<unknown>(null, true, 5, 0.5, '', '0x', 'text', '0xzz', [], [null], {}, { hash: 1 })

/** Some of the members are missing, or of another type. */
function damaged(entry: Entry): fc.Arbitrary<unknown> {
  const members = fc.subarray(Object.keys(entry), { minLength: 1 })
  const values = fc.array(fc.oneof(fc.constant(undefined), anotherType), { minLength: 30, maxLength: 30 })
  const some = fc
    .tuple(members, values)
    .map(([names, put]) => ({ ...entry, ...Object.fromEntries(names.map((name, index) => [name, put[index]])) }))
  return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: anotherType })
}

const entries = fc.constantFrom(...shapes).chain((shape) => fc.oneof(fc.constant<unknown>(shape), damaged(shape)))

const raw = await privateKeyToAccount(key).signTransaction({
  ...{ type: 'eip1559', chainId, nonce, to: devAccount(2).address, value: 7n, gas: 21_000n },
  ...{ maxFeePerGas: 9n, maxPriorityFeePerGas: 2n },
})
const spender = keccak256(raw)

/** As a node shows it. */
const { r, s, yParity = 0 } = parseTransaction(raw)
const signed = { r, s, yParity: toHex(yParity), v: toHex(yParity) }
const whole = { ...priced, ...signed, type: '0x2', hash: spender, from: address, nonce: toHex(nonce) }

interface Chain {
  /** The bodies in turn. The spender comes after those of its block. */
  readonly bodies: readonly (readonly unknown[])[]
  readonly at: number
  readonly head: number
  readonly keepsState: boolean
  readonly isLarge: boolean
}

const chains: fc.Arbitrary<Chain> = fc
  .record({
    bodies: fc.array(fc.array(entries, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
    at: fc.integer({ min: 2, max: 80 }),
    above: fc.integer({ min: 4, max: 40 }),
    keepsState: fc.boolean(),
    isLarge: fc.boolean(),
  })
  .map(({ at, above, ...rest }) => ({ ...rest, at, head: at + above }))

function headAt(number: number) {
  return { number, hash: hashAt(number), parentHash: hashAt(number - 1), timestampMs: number * 1_000 }
}

function answerOf({ bodies, at, head, keepsState }: Chain, shownAs: unknown, { method, params }: Call): unknown {
  const number = Number(params[method === 'eth_getTransactionCount' ? 1 : 0])
  if (method === 'eth_getTransactionReceipt') return null
  if (method === 'eth_getTransactionCount') {
    if (!keepsState && number < head - 2) throw new Error('missing trie node')
    // All in block 1, so that block 0 shows that the endpoint heeds the block of a call.
    return toHex(number === 0 ? 0 : number < at ? nonce : nonce + 1)
  }
  const header = {
    hash: hashAt(number),
    parentHash: hashAt(number - 1),
    timestamp: toHex(number),
    number: toHex(number),
  }
  const body = bodies[number % bodies.length] ?? []
  return params[1] === true ? { ...header, transactions: number === at ? [...body, shownAs] : body } : header
}

/** `shownAs`: the spender's entry at this endpoint. */
function endpointOf(chain: Chain, shownAs: unknown, index: number): Endpoint {
  async function call(one: Call): Promise<Answer> {
    try {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: answerOf(chain, shownAs, one) })
      const reading = chain.isLarge ? readLargeAnswer(Buffer.from(text), { calls: [expectedMember(1, one)] }) : { text }
      if (!('text' in reading)) throw new Error(reading.refused)
      return { kind: 'value', value: (JSON.parse(reading.text) as { result: unknown }).result }
    } catch (error) {
      return { kind: 'rpcError', code: -32_000, message: String(error) }
    }
  }
  const partly: Partial<Endpoint> = { index, call, ready: async () => undefined, fit: () => true, strayed: () => {} }
  return partly as Endpoint
}

function opened(chain: Chain, shownAs: readonly unknown[]) {
  const all = shownAs.map((each, index) => endpointOf(chain, each, index))
  const endpoints = { order: () => all } as Partial<Endpoints> as Endpoints
  const readCanonical = async (numbers: Iterable<number>) => new Map([...numbers].map((each) => [each, hashAt(each)]))
  const findSpender = findingSpenders({ endpoints, clock: systemClock, chainId })
  const by = all[0] as Endpoint
  return { endpoints, readCanonical, findSpender, by }
}

/** The hash of the spender, as a race finds it within some heads, once a look for it has found nothing a minute before. */
async function inRace(chain: Chain, shownAs: readonly unknown[], rounds: number): Promise<string | undefined> {
  const { by, ...parts } = opened(chain, shownAs)
  let elapsedMs = 0
  const unexplained = rememberUnexplained(
    () => 0,
    () => elapsedMs,
  )
  unexplained.lookedFor(address, nonce, chain.head, undefined)
  elapsedMs = 60_000
  const whole: Partial<FindInclusions> = {
    ...{ ...parts, searched: new Map(), located: new Map(), unexplained, pace: { measuredMs: () => undefined } },
    witnesses: { reported: () => {}, isRefuted: () => false },
  }
  const live = {
    nonce,
    attempts: [{ hash: word(9), kind: 'execute' as const }],
    unspentAt: { block: chain.at - 1, ms: 0 },
  }
  for (let round = 0; round < rounds; round += 1) {
    const at = { head: headAt(chain.head), by }
    const { inclusions } = await findInclusions(whole as FindInclusions, address, [live], new Map(), at)
    const found = inclusions.get(nonce)
    if (found) return found.hash
  }
  return undefined
}

/** The same, as the search of a lost history finds it. */
async function inHistory(chain: Chain, shownAs: readonly unknown[], rounds: number): Promise<string | undefined> {
  const { by, ...parts } = opened(chain, shownAs)
  const clock = { ...systemClock, now: () => chain.head * 1_000 }
  const pace = { ms: () => 1_000 } as Parameters<typeof openHistoryCheck>[0]['pace']
  const check = openHistoryCheck({ ...parts, pace, clock })
  const inquiry = {
    from: nonce,
    explained: new Set<number>(),
    since: Math.max(0, chain.at - 60) * 1_000,
    confirmations: 3,
  }
  for (let round = 0; round < rounds; round += 1) {
    const seen = await check(address, inquiry, nonce + 1, { head: headAt(chain.head), by })
    const found = seen?.spenders?.find((each) => each.nonce === nonce)
    if (found) return found.hash
  }
  return undefined
}

test.each([
  ['a race', inRace],
  ['the search of a lost history', inHistory],
])('damaged entries beside the spender hide it from %s at no endpoint, not even the only one', async (_, find) => {
  await fc.assert(
    fc.asyncProperty(chains, async (chain) => {
      expect(await find(chain, [whole], wideRounds)).toBe(spender)
    }),
  )
})

test.each([
  ['a race', inRace],
  ['the search of a lost history', inHistory],
])('the damaged entry of the spender itself: %s finds it at a second endpoint, in the same step', async (_, find) => {
  const narrow = chains.map((chain) => ({ ...chain, keepsState: true }))
  await fc.assert(
    fc.asyncProperty(narrow, damaged(whole), async (chain, entry) => {
      expect(await find(chain, [entry, whole], 1)).toBe(spender)
    }),
  )
})

test('an endpoint that can’t read an entry goes on below by itself, and the next one reads that block first', async () => {
  const chain: Chain = { bodies: [[]], at: 90, head: 120, keepsState: false, isLarge: false }
  expect(await inRace(chain, [null, whole], 1)).toBe(spender)
})

test('by the hash of an attempt an entry is ours, whatever it lacks', async () => {
  const chain: Chain = { bodies: [[]], at: 9, head: 60, keepsState: true, isLarge: false }
  for (const isLarge of [false, true])
    for (const entry of [word(9), { hash: word(9) }, { hash: word(9), from: address }, { hash: word(9), nonce: '0x4' }])
      expect(await inRace({ ...chain, isLarge }, [entry], 1)).toBe(word(9))
})

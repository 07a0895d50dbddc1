// The prices of gas that forks change, as nodes show them: read at start, after a fork, and after a reorganization across it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keepGasFigures } from '../../../src/chain/fees/keep-gas-figures.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { GasFigures } from '../../../src/domain/gas-figures.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { amsterdamRules, type GasNode, osakaRules, startGasNode } from '../../../tooling/gas-node.ts'
import { headAt } from '../../domain/some.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { inquiryOf, networkOver } from '../network-under-test.ts'

const { address } = devAccount(0)
let one: GasNode
let other: GasNode

beforeAll(async () => {
  ;[one, other] = await Promise.all([startGasNode(), startGasNode()])
})
afterAll(async () => {
  await Promise.all([one?.stop(), other?.stop()])
})
beforeEach(() => {
  for (const node of [one, other]) node.reset()
})

function ahead() {
  let ms = 0
  const move = (by: number) => {
    ms += by
  }
  return { ...systemClock, elapsed: () => systemClock.elapsed() + ms, move }
}

const open = (nodes: readonly GasNode[], gasRules: GasFigures = {}, clock = ahead()) => {
  const network = networkOver([], {
    // Nodes of one host count as one provider unless they are named.
    endpoints: nodes.map(({ url }, index) => ({ url, weight: 1, provider: `provider ${index}` })),
    ...{ profile: { ...ethereumProfile, gasRules }, clock },
  })
  return { ...network, clock, look: () => network.chain.observe(inquiryOf(address)) }
}

test('each figure is read by its effect, before the fork and after it', async () => {
  await using before = open([one])
  expect((await before.look()).gasFigures).toEqual(osakaRules)
  one.fork(amsterdamRules)
  await using after = open([one])
  expect((await after.look()).gasFigures).toEqual(amsterdamRules)
  expect(after.chain.gasFigures()).toEqual(amsterdamRules)
})

test('each counts for itself: the floor of Amsterdam with the base of before', async () => {
  one.fork({ base: 21_000, floor: 64, newAccount: 0 })
  await using network = open([one])
  expect((await network.look()).gasFigures).toEqual({ base: 21_000, floor: 64, newAccount: 0 })
})

test('no answer, another error and a call that always passes leave a figure unread', async () => {
  one.refuse(['eth_estimateGas'])
  one.answerCalls()
  await using network = open([one])
  expect((await network.look()).gasFigures).toEqual({})
})

test('another price of a new account is read, less the part that an estimate may add', async () => {
  one.fork({ base: 12_000, floor: 64, newAccount: 300_000 })
  await using network = open([one])
  const { newAccount = 0 } = (await network.look()).gasFigures ?? {}
  expect(newAccount).toBeGreaterThan(290_000)
  expect(newAccount).toBeLessThanOrEqual(300_000)
})

test('a profile that names a figure spares its reading, and counts before the chain', async () => {
  one.fork(amsterdamRules)
  await using network = open([one], { base: 21_000, newAccount: 0 })
  expect((await network.look()).gasFigures).toEqual({ base: 21_000, floor: 64, newAccount: 0 })
  expect(network.count('eth_call')).toBe(0)
  expect(network.count('eth_estimateGas')).toBe(1)
})

test('they stand for an hour, and are read anew at once where the head shows a fork, or one undone', async () => {
  await using network = open([one])
  await network.look()
  network.forget()
  one.mine()
  network.clock.move(3_500_000)
  await network.look()
  expect(network.count('eth_estimateGas')).toBe(0)
  one.fork(amsterdamRules)
  one.mine()
  expect((await network.look()).gasFigures).toEqual(amsterdamRules)
  network.clock.move(6_000)
  one.fork(osakaRules)
  one.mine()
  expect((await network.look()).gasFigures).toEqual(osakaRules)
})

test('after a fork they are read again after 15 seconds, and then ever more rarely', async () => {
  await using network = open([one])
  await network.look()
  network.clock.move(6_000)
  one.fork(amsterdamRules)
  one.mine()
  await network.look()
  // A part of the network that is behind changes over.
  network.forget()
  network.clock.move(14_000)
  await network.look()
  expect(network.count('eth_estimateGas')).toBe(0)
  network.clock.move(2_000)
  await network.look()
  expect(network.count('eth_estimateGas')).toBe(2)
  network.clock.move(16_000)
  await network.look()
  expect(network.count('eth_estimateGas')).toBe(2)
  network.clock.move(15_000)
  await network.look()
  expect(network.count('eth_estimateGas')).toBe(4)
})

test('two providers that differ leave a figure unread, until they agree', async () => {
  one.fork(amsterdamRules)
  other.fork({ ...amsterdamRules, floor: 10 })
  await using network = open([one, other])
  expect((await network.look()).gasFigures).toEqual({ base: 12_000, newAccount: 183_600 })
  other.fork(amsterdamRules)
  network.clock.move(16_000)
  expect((await network.look()).gasFigures).toEqual(amsterdamRules)
})

test('where one of two does not answer, a figure that was read before stands', async () => {
  await using network = open([one, other])
  expect((await network.look()).gasFigures).toEqual(osakaRules)
  other.refuse(['eth_estimateGas', 'eth_call'])
  network.clock.move(3_700_000)
  expect((await network.look()).gasFigures).toEqual(osakaRules)
})

test('a step waits a second for a reading, and goes on without it', async () => {
  one.hold('eth_estimateGas', 1_500)
  await using network = open([one])
  expect((await network.look()).gasFigures).toEqual({})
  one.hold('eth_estimateGas', 0)
  await expect.poll(() => network.chain.gasFigures()).toEqual(osakaRules)
})

test('where no step has followed the head lately, a fork may have passed: only the figures of the profile count', async () => {
  await using network = open([one], { floor: 64 })
  await network.look()
  expect(network.chain.gasFigures()).toEqual({ ...osakaRules, floor: 64 })
  network.clock.move(130_000)
  expect(network.chain.gasFigures()).toEqual({ floor: 64 })
  expect((await network.look()).gasFigures).toEqual({ ...osakaRules, floor: 64 })
})

test('a chain with prices of its own is not read', async () => {
  await using network = networkOver([one.url], { profile: { ...ethereumProfile, floorGas: false } })
  expect((await network.chain.observe(inquiryOf(address))).gasFigures).toEqual({})
  expect(network.count('eth_call')).toBe(0)
})

const receiver = (digit: number): Address => `0x${String(digit).repeat(40)}`
const requestOf = (to: Address, gasLimit = 21_000) => ({ to, gasLimit, least: 21_000 })

test('receivers that do not exist are found by one call, where a new account costs gas', async () => {
  one.fork(amsterdamRules)
  one.mine()
  one.create(receiver(1))
  await using network = open([one])
  const receivers = [requestOf(receiver(1)), requestOf(receiver(2)), requestOf(receiver(3), 210_000)]
  await network.look()
  network.forget()
  const seen = await network.chain.observe({ ...inquiryOf(address), receivers })
  expect([...(seen.missingReceivers ?? [])]).toEqual([receiver(2)])
  expect(network.count('eth_call')).toBe(1)
  // The first stands, and no third call is made for it.
  network.forget()
  await network.chain.observe({ ...inquiryOf(address), receivers: [requestOf(receiver(1))] })
  expect(network.count('eth_call')).toBe(0)
  one.fork(osakaRules)
  one.mine()
  network.clock.move(6_000)
  const onOsaka = await network.chain.observe({ ...inquiryOf(address), receivers })
  expect([...(onOsaka.missingReceivers ?? [])]).toEqual([])
})

test('a receiver is missing by the word of two providers only', async () => {
  for (const node of [one, other]) node.fork(amsterdamRules)
  other.create(receiver(2))
  await using network = open([one, other])
  const receivers = [requestOf(receiver(2)), requestOf(receiver(3))]
  const missing = async () => [
    ...((await network.chain.observe({ ...inquiryOf(address), receivers })).missingReceivers ?? []),
  ]
  expect(await missing()).toEqual([receiver(3)])
  other.refuse(['eth_call'])
  expect(await missing()).toEqual([])
})

const request = { transactionId: 't', from: address, to: receiver(2), value: 0n, data: '0xff' } as const

test('a node whose own choice of gas is refused gets the estimate again, with the most that a transaction may have', async () => {
  one.refuseOwnChoice()
  await using network = networkOver([one.url], {
    profile: { ...ethereumProfile, gasRules: osakaRules, maxTransactionGas: 2 ** 24 },
  })
  const estimates = [{ ...request, transactionId: request.transactionId as never }]
  const seen = await network.chain.observe({ ...inquiryOf(address), estimates })
  const bare = Math.ceil(21_040 * 1.0136)
  expect([...seen.estimates.values()]).toEqual([{ kind: 'gas', gas: Math.ceil(bare * 1.2), bare }])
  expect(one.lastGas()).toBe(2 ** 24)
})

test('figures from before a fork count no longer, nor does a reading that began before it', async () => {
  const clock = manualClock()
  const estimates: ((gas: number) => void)[] = []
  const call = () =>
    new Promise((resolve) => {
      estimates.push((gas) => resolve({ kind: 'value', value: `0x${gas.toString(16)}` }))
    })
  const endpoint = { provider: 'one', ready: async () => undefined, call } as unknown as Endpoint
  const named = { base: 21_000, newAccount: 0 } as const
  const profile = { floorGas: true, gasRules: named }
  const logger = { info: () => undefined }
  const keeper = keepGasFigures({ endpoints: [endpoint], providers: 1, profile, clock, logger })
  const follow = (number: number, isAmsterdam: boolean) =>
    keeper.follow(headAt(number, isAmsterdam ? { isAmsterdam } : {}), address)
  const estimate = async (gas: number) => {
    await expect.poll(() => estimates.length).toBeGreaterThan(0)
    estimates.shift()?.(gas)
  }

  const unanswered = follow(100, false)
  await expect.poll(() => estimates.length).toBe(1)
  clock.advance(1_000)
  expect(await unanswered).toEqual(named)
  const across = follow(101, true)
  // A floor of 10, as before the fork.
  await estimate(31_000)
  expect(await across).toEqual(named)
  expect(keeper.known()).toEqual(named)

  clock.advance(2_000)
  const anew = follow(102, true)
  await estimate(85_000)
  expect(await anew).toEqual({ ...named, floor: 64 })
  // A reorganization undoes the fork, and the next reading is not due yet.
  expect(await follow(102, false)).toEqual(named)
})

// A nonce is settled only where it is spent, its end keeps the node's words, and a gap is only below a nonce in flight.
import { expect, test } from 'vitest'
import { decide } from '../../../src/domain/decide/decide.ts'
import { include } from '../../../src/domain/decide/facts/inclusion.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { maxCostOf } from '../../../src/domain/decide/terms/funds.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import {
  blockHash,
  by,
  calledInvalid,
  ether,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  someSituation,
} from '../some.ts'

function plan(work: Partial<Work>, observation: Partial<Observation>) {
  return decide(someSituation(work, observation))
}

test('a block that stands settles no nonce that the account has not spent: another node may show that block', () => {
  const attempt = someAttempt(4)
  const open = [mined(4, by(attempt, height), [attempt])]
  const canonical = new Map([[height, blockHash(height)]])
  const at = (nonce: number) => plan({ open }, { nonce, canonical, head: headAt(height + 100) }).decisions
  expect(at(4)).toEqual([])
  expect(at(5)).toMatchObject([{ do: 'finalize' }])
})

test('a queue with nothing in flight has no gap, so no pool is read for it, and no gap is filled', () => {
  const { decisions, lacks } = plan({ queued: [queued(1)] }, { nonce: 4 })
  expect(lacks).toEqual(new Set())
  expect(decisions).toMatchObject([{ do: 'assignNonce', nonce: 4 }])
})

test('nonces above every one in flight are no gap: they belong to the queue', () => {
  const fills = (nonce: number) =>
    plan({ open: [inFlight(6)] }, { nonce, pendingNonce: nonce }).decisions.filter((each) => each.do === 'fillGap')
  expect(fills(5)).toMatchObject([{ nonce: 5 }])
  expect(fills(6)).toEqual([])
})

test('a payload that was given up keeps the words of the node that called it invalid', () => {
  const attempt = someAttempt(4, { broadcast: calledInvalid(now) })
  const noOp = someNoOp(4)
  const givenUp = inFlight(4, [attempt, noOp], { cancellation: { origin: 'refusal', requestedAt: now } })
  expect(include(givenUp, by(noOp)).statusReason).toBe(
    `no node takes it as it is (intrinsic gas too low): the no-op ${noOp.hash} took its nonce`,
  )
  const requested = { ...givenUp, cancellation: { origin: 'request', requestedAt: now } } as const
  expect(include(requested, by(noOp)).statusReason).toBe(`canceled: the no-op ${noOp.hash} took its nonce`)
})

test('while the receipt of a spent nonce is on its way, nothing is decided about it, and the queue goes on', () => {
  const cancellation = { origin: 'request', requestedAt: now } as const
  const open = [inFlight(4), inFlight(5, [someAttempt(5)], { cancellation })]
  const seen = { nonce: 6, pendingNonce: 6, head: headAt(height + 100) }
  const { decisions } = plan({ open, queued: [queued(1)] }, { ...seen, unread: new Set([4, 5]) })
  expect(decisions).toMatchObject([{ do: 'assignNonce', nonce: 6 }])
  // Without one, the waits are explained, and the race goes on.
  expect(plan({ open }, seen).decisions.map((each) => each.do)).toEqual(['explain', 'explain', 'signNoOp'])
})

test('a spent nonce without a receipt is paid for once: its cost is kept back only where the balance includes it', () => {
  const open = [inFlight(4, [someAttempt(4)]), inFlight(5, [someAttempt(5)])]
  const costs = open.map((each) => maxCostOf(each, someMarket))
  const rest = ether / 100n
  const boundWith = (balance: bigint, seen: Partial<Observation>) =>
    plan({ open, queued: [queued(1)] }, { nonce: 6, pendingNonce: 6, balance, ...seen }).decisions.filter(
      (each) => each.do === 'assignNonce',
    )
  const [first = 0n, second = 0n] = costs
  const needs = (seen: Partial<Observation>) => leastBalance((balance) => boundWith(balance, seen).length > 0)
  const ofHead = { balanceReadAt: height }
  expect(boundWith(rest, ofHead)).toMatchObject([{ nonce: 6 }])
  expect(needs({ balanceReadAt: height - 1 })).toBe(needs(ofHead) + first + second)
})

function leastBalance(suffices: (balance: bigint) => boolean): bigint {
  let [below, enough] = [0n, ether]
  while (enough - below > 1n) {
    const middle = (below + enough) / 2n
    if (suffices(middle)) enough = middle
    else below = middle
  }
  return enough
}

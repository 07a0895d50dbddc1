// A nonce is settled only where it is spent, its end keeps the node's words, and a gap is only below a nonce in flight.
import { expect, test } from 'vitest'
import { decide } from '../../../src/domain/decide/decide.ts'
import { include } from '../../../src/domain/decide/facts/inclusion.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import {
  blockHash,
  by,
  calledInvalid,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
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

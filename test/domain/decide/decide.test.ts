// What a relayer does next, case by case: the prose atop decide.ts and the rules of canceling.

import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/domain/attempt.ts'
import { roughly } from '../../../src/domain/condition.ts'
import { apply } from '../../../src/domain/decide/apply.ts'
import type { Decision } from '../../../src/domain/decide/plan/decision.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { repeatAfter } from '../../../src/domain/decide/race/repeat-after.ts'
import { tipOf } from '../../../src/domain/fees.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  answered,
  blockHash,
  broadcastStates,
  by,
  byForeign,
  canceled,
  eip1559,
  gwei,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someRepeatAfter,
  someSituation,
  someWork,
} from '../some.ts'

function plan(work: Partial<Work>, observation: Partial<Observation> = {}) {
  return decide(someSituation(work, observation))
}

const verbs = (decisions: readonly Decision[]) => decisions.map(({ do: what }) => what)
const verbsFor = (open: Transaction, observation: Partial<Observation> = {}) =>
  verbs(plan({ open: [open] }, observation).decisions)
/** The inclusion's block is canonical, as seen from `blocks` on top of it. */
const canonicalAfter = (blocks: number): Partial<Observation> => ({
  nonce: 1,
  head: headAt(height + blocks),
  canonical: new Map([[height, blockHash(height)]]),
})

describe('a queued transaction', () => {
  test('gets the next nonce as long as there is room, in order', () => {
    const { decisions } = plan({ queued: [1, 2, 3, 4].map((sequence) => queued(sequence)) }, { nonce: 7 })
    expect(decisions).toMatchObject(
      [1, 2, 3, 4].map((sequence, index) => ({
        do: 'assignNonce',
        transaction: { sequence },
        nonce: 7 + index,
        gasLimit: 21_000,
      })),
    )
  })

  test('waits while the relayer is paused, while prices are unknown, and beyond max_in_flight', () => {
    const paused = someRelayer({ paused: true })
    expect(plan({ relayer: paused, queued: [queued(1), queued(2)] }).decisions).toMatchObject([
      {
        do: 'explain',
        transaction: { sequence: 1 },
        reason: 'waits: the relayer is paused; unpause it, or cancel this',
      },
    ])
    const { market: _, ...unpriced } = someObservation()
    expect(
      decide({ work: someWork({ queued: [queued(1)] }), observation: unpriced, policy: somePolicy, now }).decisions,
    ).toMatchObject([{ do: 'explain', condition: 'facts_missing' }])
    const open = [0, 1, 2, 3].map((nonce) => inFlight(nonce))
    expect(plan({ open, queued: [queued(9)] }).decisions).toEqual([])
  })

  test('ends when its valid_until has passed, and the next takes its place', () => {
    const late = queued(1, { validUntil: now })
    const { decisions } = plan({ queued: [late, queued(2)], expiring: [late] })
    expect(decisions).toMatchObject([
      { do: 'expire', transaction: { sequence: 1 } },
      { do: 'assignNonce', transaction: { sequence: 2 }, nonce: 0 },
    ])
  })

  test('that would revert is refused and costs no nonce', () => {
    const { gasLimit: _, ...payload } = queued(1).payload
    const estimates = new Map([[queued(1).id, { kind: 'reverts', reason: 'paused' } as const]])
    const { decisions } = plan({ queued: [queued(1, { payload }), queued(2)] }, { estimates })
    expect(decisions).toMatchObject([
      { do: 'refuse', reason: 'it would revert: paused' },
      { do: 'assignNonce', transaction: { sequence: 2 }, nonce: 0 },
    ])
  })

  test('whose estimate fails in like words for long is refused, and nothing passes it before', () => {
    const { gasLimit: _, ...payload } = queued(1).payload
    const decided = (isLasting: boolean) => {
      const estimates = new Map([[queued(1).id, { kind: 'fails', reason: 'bad jump', isLasting } as const]])
      return plan({ queued: [queued(1, { payload }), queued(2)] }, { estimates }).decisions
    }
    expect(decided(false)).toMatchObject([{ do: 'explain', condition: 'gas_unknown', transaction: { sequence: 1 } }])
    expect(decided(true)).toMatchObject([
      { do: 'refuse', reason: "its gas can't be estimated: bad jump" },
      { do: 'assignNonce', transaction: { sequence: 2 }, nonce: 0 },
    ])
  })

  test('that names more gas than a block holds, or less than it needs, is refused and costs no nonce', () => {
    const naming = (gasLimit: number) => queued(1, { payload: { ...queued(1).payload, gasLimit } })
    const decided = (gasLimit: number, gasLimitMax?: number) =>
      plan({ queued: [naming(gasLimit), queued(2)] }, { ...(gasLimitMax !== undefined && { gasLimitMax }) }).decisions
    expect(decided(30_000_001, 30_000_000)).toMatchObject([
      {
        do: 'refuse',
        reason: 'its gas_limit 30000001 is above the most that a transaction may have on this chain now, 30000000',
      },
      { do: 'assignNonce', transaction: { sequence: 2 }, nonce: 0 },
    ])
    expect(decided(20_999)).toMatchObject([
      { do: 'refuse', reason: 'its gas_limit 20999 is below its intrinsic gas, 21000' },
      { do: 'assignNonce', transaction: { sequence: 2 }, nonce: 0 },
    ])
    for (const most of [30_000_000, undefined]) {
      expect(decided(30_000_000, most)).toMatchObject([{ do: 'assignNonce' }, { do: 'assignNonce' }])
    }
  })

  test('whose estimate fits a block gets no margin beyond it', () => {
    const { gasLimit: _, ...payload } = queued(1).payload
    const estimates = new Map([[queued(1).id, { kind: 'gas', gas: 36_000_000 } as const]])
    expect(plan({ queued: [queued(1, { payload })] }, { estimates, gasLimitMax: 30_000_000 }).decisions).toMatchObject([
      { do: 'assignNonce', gasLimit: 30_000_000 },
    ])
  })

  test('that the balance does not cover beside those in flight and the reserve waits, and holds back the next ones', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: 5n * gwei } })
    const cost = 1n + 21_000n * 22n * gwei
    const waiting = [queued(2), queued(3, { payload: { ...queued(3).payload, value: 0n } })]
    const open = [inFlight(0, [someAttempt(0, { fees: eip1559(22n * gwei, 2n * gwei) })])]
    const enough = 2n * cost + 5n * gwei
    const reported = (balance: bigint) => plan({ relayer, open, queued: waiting }, { balance }).decisions
    expect(reported(enough)).toMatchObject([{ do: 'assignNonce' }, { do: 'explain', transaction: { sequence: 3 } }])
    expect(reported(enough - 1n)).toMatchObject([{ do: 'explain', transaction: { sequence: 2 } }])
  })

  test('that a balance does not cover beside payloads mined above its head waits, too', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: 0n } })
    const cost = 1n + 21_000n * 22n * gwei
    const attempt = someAttempt(0, { fees: eip1559(22n * gwei, 2n * gwei) })
    const open = [mined(0, by(attempt, height + 1), [attempt])]
    const decided = (balance: bigint) => plan({ relayer, open, queued: [queued(2)] }, { balance }).decisions
    expect(decided(2n * cost)).toMatchObject([{ do: 'assignNonce', nonce: 1 }])
    expect(decided(2n * cost - 1n)).toMatchObject([{ do: 'explain', condition: 'balance_short' }])
  })
})

describe('eip1559_pricing', () => {
  const named = { kind: 'eip1559', maxFeePerGas: 30n * gwei, maxPriorityFeePerGas: gwei } as const
  const relayer = someRelayer({ policies: { ...somePolicies, eip1559Pricing: false } })

  test('when off makes sends by speed legacy transactions, and leaves the type to clients that name the fees', () => {
    const typed = queued(2, { payload: { ...somePayload, pricing: named } })
    const { decisions } = plan({ relayer, queued: [queued(1), typed] })
    expect(decisions).toMatchObject([
      { do: 'assignNonce', transaction: { sequence: 1 }, fees: { kind: 'legacy' } },
      { do: 'assignNonce', transaction: { sequence: 2 }, fees: named },
    ])
  })

  test('when off leaves a no-op of the type that it has to replace', () => {
    const typed = inFlight(0, [someAttempt(0, { fees: named })], canceled)
    expect(plan({ relayer, open: [typed] }).decisions).toMatchObject([{ do: 'signNoOp', fees: { kind: 'eip1559' } }])
  })
})

describe('a nonce', () => {
  test('given up below others goes to the first of the queue, and only without one to a no-op of ours', () => {
    const open = [inFlight(1), inFlight(3)]
    const requested = plan({ open, queued: [queued(9)] })
    expect(requested).toMatchObject({ lacks: new Set(['pendingNonce']), decisions: [] })
    const { decisions } = plan({ open, queued: [queued(9)] }, { pendingNonce: 0 })
    expect(decisions).toMatchObject([
      { do: 'assignNonce', nonce: 0 },
      { do: 'fillGap', nonce: 2 },
    ])
  })

  test('that a no-op of ours takes is paid for within cancel_gas_price_cap', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, cancelGasPriceCap: 5n * gwei } })
    const { decisions } = plan({ relayer, open: [inFlight(1)] }, { pendingNonce: 0 })
    expect(decisions).toMatchObject([{ do: 'fillGap', nonce: 0, fees: { maxFeePerGas: 5n * gwei } }])
  })

  test('that a foreign transaction waits for in the pool is left to it', () => {
    const { decisions } = plan({ queued: [queued(1)] }, { nonce: 3, pendingNonce: 5 })
    expect(decisions).toMatchObject([{ do: 'assignNonce', nonce: 5 }])
    expect(plan({ open: [inFlight(6)] }, { nonce: 3, pendingNonce: 6 }).decisions).toMatchObject([
      { do: 'explain', condition: 'nonce_blocked' },
    ])
  })

  test('below the floor is never given out: a node behind, or a reset chain, is reported instead', () => {
    const { decisions } = plan({ floor: { spentBelow: 9, explainedBelow: 9 }, queued: [queued(1)] }, { nonce: 4 })
    expect(verbs(decisions)).toEqual(['explain'])
  })
})

describe('a transaction in flight', () => {
  test('is left alone while it is held by a node and young', () => expect(verbsFor(inFlight(0))).toEqual([]))

  test('is broadcast again at once where it never left or may have died with its process', () => {
    for (const broadcast of [broadcastStates.held, broadcastStates.sending]) {
      expect(verbsFor(inFlight(0, [someAttempt(0, { broadcast })]))).toContain('rebroadcast')
    }
  })

  test('is broadcast again in time: soon where that is in doubt, late where it was taken', () => {
    const once = (ms: number, kind: 'accepted' | 'unknown') => {
      const outcome = kind === 'accepted' ? ({ kind } as const) : ({ kind, message: '' } as const)
      return verbsFor(inFlight(0, [someAttempt(0, { broadcast: answered(outcome, now - ms) })]))
    }
    expect(once(someRepeatAfter.doubtfulMs - 1, 'unknown')).toEqual([])
    expect(once(someRepeatAfter.doubtfulMs, 'unknown')).toEqual(['rebroadcast'])
    expect(once(someRepeatAfter.takenMs - 1, 'accepted')).toEqual([])
    expect(once(someRepeatAfter.takenMs, 'accepted')).toEqual(['rebroadcast'])
  })

  test('is broadcast again by the pace of blocks while it is next, and behind others at most three a second', () => {
    const fast = { ...somePolicy, averageBlocktimeMs: 200, rebroadcastAfter: { blocks: 4, ms: 0 } }
    const repeatedAfter = (ms: number) => {
      const open = Array.from({ length: 50 }, (_, nonce) =>
        inFlight(nonce, [someAttempt(nonce, { broadcast: answered({ kind: 'accepted' }, now - ms) })]),
      )
      const situation = someSituation({ open }, {}, fast)
      const { decisions } = decide(situation)
      return decisions.flatMap((each) => (each.do === 'rebroadcast' ? [each.attempt.nonce] : []))
    }
    const { takenMs } = repeatAfter({}, fast)
    expect(repeatedAfter(takenMs)).toEqual([0])
    expect(repeatedAfter(16_666)).toEqual([0])
    expect(repeatedAfter(16_667)).toHaveLength(50)
  })

  test('is priced anew when it is next in line and has waited, and not behind another', () => {
    const head = headAt(height + somePolicy.bumpAfter.blocks)
    expect(verbsFor(inFlight(0), { head })).toEqual(['bump'])
    expect(verbsFor(inFlight(0), { head: headAt(head.number - 1) })).toEqual([])
    const behind = plan({ open: [inFlight(0), inFlight(1)] }, { head }).decisions
    expect(behind).toMatchObject([{ do: 'bump', transaction: { sequence: 0 } }])
  })

  test('is explained by the cap alone where the cap is too low: no balance is read for that', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, gasPriceCap: 1n } })
    const { balance: _, ...observation } = someObservation({ head: headAt(height + somePolicy.bumpAfter.blocks) })
    const capped = { work: someWork({ relayer, open: [inFlight(0)] }), observation, policy: somePolicy, now }
    const { decisions, lacks } = decide(capped)
    expect(decisions).toMatchObject([{ do: 'explain', condition: 'gas_price_cap' }])
    expect(lacks).toEqual(new Set())
    expect(decide({ ...capped, work: someWork({ open: [inFlight(0)] }) }).lacks).toEqual(new Set(['balance']))
  })

  test('at fees that its client named is never priced anew', () => {
    const payload = { ...queued(0).payload, pricing: { kind: 'legacy', gasPrice: 1n } } as const
    const open = inFlight(0, [someAttempt(0)], { payload })
    expect(verbsFor(open, { head: headAt(height + 99) })).toEqual(['explain'])
  })

  test('whose time is over is canceled by that', () => {
    expect(verbsFor(inFlight(0, [someAttempt(0)], { validUntil: now }))).toEqual(['expire'])
  })
})

describe('a canceled transaction', () => {
  test.each(['request', 'expiry', 'refusal'] as const)('by %s is raced by no-ops, never by its payload', (origin) => {
    const cancellation = { cancellation: { origin, requestedAt: now } } as const
    const head = headAt(height + somePolicy.bumpAfter.blocks)
    const first = inFlight(0, [someAttempt(0)], cancellation)
    const next = inFlight(0, [someAttempt(0), someNoOp(0)], cancellation)
    const acts = (open: typeof first) => verbsFor(open, { head }).filter((what) => what !== 'explain')
    expect([first, next].map(acts)).toEqual([['signNoOp'], ['signNoOp']])
  })

  test('that certainly never reached a node is dropped', () => {
    expect(verbsFor(inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })], canceled))).toEqual(['drop'])
  })

  test('is taken over where a node may have it: accepted, in doubt, or cut off', () => {
    for (const broadcast of [
      broadcastStates.accepted,
      broadcastStates.unknown,
      broadcastStates.sending,
      broadcastStates.underpriced,
    ]) {
      expect(verbsFor(inFlight(0, [someAttempt(0, { broadcast })], canceled))).toEqual(['signNoOp'])
    }
  })

  test('is never broadcast again: only its no-op is, and that is priced anew while it waits', () => {
    const original = someAttempt(0, { broadcast: broadcastStates.unknown })
    const noOp = someNoOp(0, { broadcast: answered({ kind: 'unknown', message: '' }, now - 1_000) })
    const open = inFlight(0, [original, noOp], canceled)
    expect(plan({ open: [open] }).decisions).toMatchObject([{ do: 'rebroadcast', attempt: { hash: noOp.hash } }])
    expect(verbsFor(open, { head: headAt(height + somePolicy.cancelBumpAfter.blocks) })).toEqual(['signNoOp'])
  })

  test('whose no-op costs more than its cap says why, and still broadcasts the last one again', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, cancelGasPriceCap: 41n * gwei } })
    const noOp = someNoOp(0, { broadcast: answered({ kind: 'unknown', message: '' }, now - 1_000) })
    const open = [inFlight(0, [someAttempt(0), noOp], canceled)]
    const { decisions } = plan({ relayer, open }, { head: headAt(height + 9) })
    expect(decisions).toMatchObject([
      { do: 'explain', reason: expect.stringContaining('cancel_gas_price_cap') },
      { do: 'rebroadcast', attempt: { hash: noOp.hash } },
    ])
  })

  test('whose no-op a node refuses over a foreign transaction doubles its tip, up to a quarter above the base fee', () => {
    const raised = (tip: bigint) => {
      const noOp = someNoOp(0, { fees: eip1559(30n * gwei, tip), broadcast: broadcastStates.underpriced })
      const open = [inFlight(0, [someAttempt(0), noOp], canceled)]
      const [decision] = plan({ open }, { head: headAt(height + 1) }).decisions
      return decision?.do === 'signNoOp' ? tipOf(decision.fees) : undefined
    }
    const { baseFee = 0n } = someMarket
    expect(raised(5n * gwei)).toBe(10n * gwei)
    expect(raised(10n * gwei)).toBe((baseFee * 125n) / 100n)
    expect(raised(20n * gwei)).toBeLessThan(24n * gwei)
  })

  test('after many tries is tried again at another order of price only, in the race as before it', () => {
    const ladder = (most: bigint) =>
      Array.from({ length: 64 }, (_, index) => ({ fees: eip1559((most * BigInt(index + 1)) / 64n, most / 128n) }))
    const head = headAt(height + 9)
    const tried = (most: bigint) => {
      const sends = ladder(most).map((price) => someAttempt(0, price)) as [Attempt, ...Attempt[]]
      const noOps = ladder(most).map((price) => someNoOp(0, price))
      return [inFlight(0, sends), inFlight(0, [someAttempt(0, { fees: eip1559(2n, 1n) }), ...noOps], canceled)]
    }
    const verbsOf = (most: bigint) => tried(most).map((open) => verbs(plan({ open: [open] }, { head }).decisions)[0])
    expect(verbsOf(gwei)).toEqual(['bump', 'signNoOp'])
    expect(verbsOf(5_000n * gwei)).toEqual(['explain', 'explain'])
  })

  test('is not held to the cap of sends', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, gasPriceCap: 1n } })
    expect(verbs(plan({ relayer, open: [inFlight(0, [someAttempt(0)], canceled)] }).decisions)).toEqual(['signNoOp'])
  })
})

test('what fills a gap is held to the cap of no-ops, not to that of sends: canceled ones may wait behind it', () => {
  const gapFiller = inFlight(0, [someAttempt(0)], { origin: 'gap' })
  const stuck = { head: headAt(height + somePolicy.bumpAfter.blocks) }
  const capped = (policies: Partial<Policies>) =>
    plan({ relayer: someRelayer({ policies: { ...somePolicies, ...policies } }), open: [gapFiller] }, stuck).decisions
  expect(capped({ gasPriceCap: 1n })).toMatchObject([{ do: 'bump' }])
  expect(capped({ cancelGasPriceCap: 1n })).toMatchObject([
    { do: 'explain', reason: expect.stringContaining('waits at cancel_gas_price_cap (0.000000001 gwei)') },
  ])
})

describe('a spent nonce', () => {
  test('is an inclusion, and final at once where it is deep enough', () => {
    const attempt = someAttempt(0)
    const inclusions = new Map([[0, by(attempt)]])
    expect(verbsFor(inFlight(0, [attempt]), { nonce: 1, inclusions })).toEqual(['include'])
    expect(verbsFor(inFlight(0, [attempt]), { ...canonicalAfter(2), inclusions })).toEqual(['include', 'finalize'])
  })

  test('that nobody can explain is waited for', () => expect(verbsFor(inFlight(0), { nonce: 1 })).toEqual([]))

  test('settles at the required confirmations and not one before', () => {
    const attempt = someAttempt(0)
    const open = mined(0, by(attempt), [attempt])
    expect(verbsFor(open, canonicalAfter(1))).toEqual([])
    expect(verbsFor(open, canonicalAfter(2))).toEqual(['finalize'])
  })

  test('is open again when another block stands at that height, and only then', () => {
    const attempt = someAttempt(0)
    const open = mined(0, by(attempt), [attempt])
    const canonical = new Map([[height, blockHash(999)]])
    expect(verbsFor(open, { nonce: 1, head: headAt(height + 9), canonical })).toEqual(['reopen'])
    expect(verbsFor(open, { nonce: 1, head: headAt(height + 9) })).toEqual([])
    expect(verbsFor(open, { nonce: 1, head: headAt(height - 1), canonical })).toEqual([])
  })

  test('that went to a foreign transaction frees the payload at finality, unless it was canceled', () => {
    const attempts = [someAttempt(0)] as const
    expect(verbsFor(mined(0, byForeign(), attempts), canonicalAfter(1))).toEqual([])
    expect(verbsFor(mined(0, byForeign(), attempts), canonicalAfter(2))).toEqual(['requeue'])
    expect(verbsFor(mined(0, byForeign(), attempts, canceled), canonicalAfter(2))).toEqual(['finalize'])
  })
})

describe('decisions that must not wait for a block, nor cost without end', () => {
  test('an expiry in flight is raced in the next look, not at the next block', () => {
    const late = inFlight(0, [someAttempt(0)], { validUntil: now })
    expect(plan({ open: [late] })).toMatchObject({ decisions: [{ do: 'expire' }], observeAgainAtOnce: true })
  })

  test('a no-op that the balance does not cover is reported and broadcast again, never made dearer', () => {
    const poor = answered({ kind: 'rejected', code: 'insufficientFunds', message: 'insufficient funds' }, now - 60_000)
    const noOp = someNoOp(0, { broadcast: poor, recordedAtBlock: height - 50 })
    const { decisions } = plan({ open: [inFlight(0, [someAttempt(0), noOp], canceled)] })
    expect(decisions).toMatchObject([
      {
        do: 'explain',
        condition: 'cancel_unfunded',
        facts: { cost: roughly(21_000n * 40n * gwei) },
      },
      { do: 'rebroadcast', attempt: noOp },
    ])
  })

  test('a clock that was set back does not keep bytes from being broadcast again', () => {
    const ahead = someAttempt(0, { broadcast: answered({ kind: 'unknown', message: 'timed out' }, now + 3_600_000) })
    expect(plan({ open: [inFlight(0, [ahead])] }).decisions).toMatchObject([{ do: 'rebroadcast', attempt: ahead }])
  })

  test('a payload that would revert waits for those ahead of it, and is refused once it stands alone', () => {
    const { gasLimit: _, ...open } = somePayload
    const swap = queued(5, { payload: open })
    const estimates = new Map([[swap.id, { kind: 'reverts' as const, reason: 'no allowance' }]])
    expect(plan({ open: [inFlight(0)], queued: [swap] }, { estimates }).decisions).toMatchObject([
      { do: 'explain', condition: 'would_revert' },
    ])
    expect(plan({ queued: [swap] }, { estimates }).decisions).toMatchObject([{ do: 'refuse' }])
  })

  test('a reason with U+0000 in it, which no row keeps, is reported once like any other', () => {
    const { gasLimit: _, ...open } = somePayload
    const swap = queued(5, { payload: open })
    const estimates = new Map([[swap.id, { kind: 'reverts' as const, reason: 'no\0 allowance' }]])
    const [reported] = plan({ open: [inFlight(0)], queued: [swap] }, { estimates }).decisions
    if (reported?.do !== 'explain') throw new Error('not explained')
    const explained = apply(reported, swap, undefined, now)
    expect(plan({ open: [inFlight(0)], queued: [explained] }, { estimates }).decisions).toEqual([])
  })

  test('a gap filler that a foreign transaction filled is settled, not queued', () => {
    const attempt = someAttempt(0)
    const gapFiller = mined(0, byForeign(height - 5), [attempt], { origin: 'gap' })
    const canonical = new Map([[height - 5, blockHash(height - 5)]])
    expect(plan({ open: [gapFiller] }, { nonce: 1, canonical }).decisions).toMatchObject([{ do: 'finalize' }])
  })
})

test('a nonce that a foreign transaction finally used is never free again, whatever a node behind says', () => {
  const canonical = new Map([[height - 5, blockHash(height - 5)]])
  const displaced = plan({ open: [mined(6, byForeign(height - 5), [someAttempt(6)])] }, { nonce: 7, canonical })
  expect(verbs(displaced.decisions)).toEqual(['requeue'])
  expect(displaced.floor).toEqual({ spentBelow: 7, explainedBelow: 7 })
})

test('a foreign transaction that waits in the pool below ours keeps its nonce for a while, and not for ever', () => {
  const behind = (blocks: number) => inFlight(5, [someAttempt(5, { recordedAtBlock: height - blocks })])
  const look = (blocks: number) => {
    const poolCounts = [{ below: 6, block: height - blocks, ms: now - 24_000, isBeyond: false }]
    return verbs(plan({ open: [behind(blocks)], poolCounts }, { nonce: 4, pendingNonce: 6 }).decisions)
  }
  expect(look(3)).not.toContain('fillGap')
  expect(look(12)).toContain('fillGap')
})

test('a remembered balance that does not suffice is read anew before anything is said of it', () => {
  const remembered = { balance: 1n, balanceReadAt: height - 1 }
  expect(plan({ queued: [queued(1)] }, remembered)).toMatchObject({ lacks: new Set(['balance']), decisions: [] })
  const read = plan({ queued: [queued(1)] }, { balance: 1n, balanceReadAt: height })
  expect(read).toMatchObject({ lacks: new Set(), decisions: [{ do: 'explain', condition: 'balance_short' }] })
  expect(plan({ queued: [queued(1)] }, { ...remembered, balance: 10n ** 18n })).toMatchObject({
    lacks: new Set(),
    decisions: [{ do: 'assignNonce' }],
  })
})

describe('while a broadcast is under way', () => {
  const payload = someAttempt(0, { broadcast: broadcastStates.sending })
  const underWay = new Set([payload.hash])

  test('payloads wait, old and new, and so do the gap fillers', () => {
    const lost = inFlight(2, [someAttempt(2, { broadcast: broadcastStates.sending })])
    const { decisions } = plan({ open: [inFlight(0, [payload]), lost], queued: [queued(9)], underWay })
    expect(decisions).toEqual([])
  })

  test('races begin and go on, also for the very nonce, but no bytes are sent twice', () => {
    const race = inFlight(0, [payload], canceled)
    expect(plan({ open: [race], underWay }).decisions).toMatchObject([{ do: 'signNoOp' }])
    const noOp = someNoOp(0, { broadcast: broadcastStates.sending })
    const begun = inFlight(0, [payload, noOp], canceled)
    expect(plan({ open: [begun], underWay }).decisions).toMatchObject([{ do: 'rebroadcast', attempt: noOp }])
    expect(plan({ open: [begun], underWay: new Set([payload.hash, noOp.hash]) }).decisions).toEqual([])
  })

  test('of a no-op alone, payloads go their way', () => {
    const noOp = someNoOp(0, { broadcast: broadcastStates.sending })
    const open = [inFlight(0, [someAttempt(0), noOp], canceled)]
    const { decisions } = plan({ open, queued: [queued(9)], underWay: new Set([noOp.hash]) })
    expect(decisions).toMatchObject([{ do: 'assignNonce', nonce: 1 }])
  })

  test('what the chain says is taken in', () => {
    const before = someAttempt(0)
    const late = someAttempt(1, { broadcast: broadcastStates.sending })
    const open = [inFlight(0, [before]), inFlight(1, [late])]
    const inclusions = new Map([[0, by(before)]])
    const { decisions } = plan({ open, underWay: new Set([late.hash]) }, { nonce: 1, inclusions })
    expect(decisions).toMatchObject([{ do: 'include' }])
  })
})

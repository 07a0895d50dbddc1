// Refusals that prove little: bytes that nodes call invalid, and words that no table has.

import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  afterBroadcast,
  type BroadcastOutcome,
  beforeBroadcast,
  newest,
} from '../../../src/domain/attempt.ts'
import { verdictOn } from '../../../src/domain/cancel.ts'
import { apply } from '../../../src/domain/decide/apply.ts'
import { confirm, finalize, include, reopen } from '../../../src/domain/decide/facts/inclusion.ts'
import { inquire } from '../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import { refusedPauseMaxMs } from '../../../src/domain/decide/race/repeat-after.ts'
import { costOf } from '../../../src/domain/decide/terms/funds.ts'
import { attemptsMax } from '../../../src/domain/decide/terms/rivals.ts'
import { escalationMultiple, feeCap, marketFees, tipOf } from '../../../src/domain/fees.ts'
import { isNonEmpty, type NonEmpty } from '../../../src/domain/ids.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import { type InPhase, isInPhase, statusOf, type Transaction } from '../../../src/domain/transaction.ts'
import { statusReasonOf } from '../../../src/domain/wait.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  answered,
  broadcastStates,
  by,
  byForeign,
  calledInvalid,
  canceled,
  eip1559,
  ether,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePayload,
  somePolicy,
  someRepeatAfter,
  someSituation,
  someWork,
} from '../some.ts'

const invalid: BroadcastOutcome = { kind: 'rejected', code: 'invalid', message: 'intrinsic gas too low' }
const odd = { kind: 'unknown', code: 'unrecognized', message: 'compliance hold (-32099)' } as const
const minuteMs = 60_000

function decisionsOn(
  transaction: Transaction,
  { after = 0, blocks = 0, ...observed }: Partial<Observation> & { after?: number; blocks?: number } = {},
) {
  return decide(
    someSituation(
      { open: [transaction] },
      { head: headAt(height + blocks), balance: ether, ...observed },
      {},
      now + after,
    ),
  ).decisions
}

const verbs = (decisions: ReturnType<typeof decisionsOn>) => decisions.map(({ do: what }) => what)
const late = { blocks: somePolicy.bumpAfter.blocks, after: minuteMs } as const

describe('a payload that nodes call invalid', () => {
  const unheard = answered({ kind: 'unknown', message: 'timed out' })
  const byAll = (attempt: Attempt) => ({ refusedByAll: new Map([[attempt.hash, 'intrinsic gas too low']]) })

  test('is given up once every endpoint refuses it, at whatever nonce, also where one gave no answer', () => {
    for (const broadcast of [calledInvalid(now), unheard]) {
      const attempt = someAttempt(4, { broadcast })
      expect(verbs(decisionsOn(inFlight(4, [attempt]), { nonce: 2, pendingNonce: 4, ...byAll(attempt) }))).toEqual([
        'giveUp',
      ])
      expect(verbs(decisionsOn(inFlight(4, [attempt]), late))).not.toContain('giveUp')
      const another = byAll(someAttempt(4))
      expect(verbs(decisionsOn(inFlight(4, [attempt]), { ...late, ...another }))).not.toContain('giveUp')
    }
  })

  test('that is given up has a condition of its own until a no-op is mined, and has failed once that is confirmed', () => {
    const attempt = someAttempt(0, { broadcast: calledInvalid(now) })
    const [decision] = decisionsOn(inFlight(0, [attempt]), byAll(attempt))
    if (decision?.do !== 'giveUp') throw new Error('it is not given up')
    const given = apply(decision, decision.transaction, undefined, now) as InPhase<'inFlight'>
    expect(given).toMatchObject({ cancellation: { origin: 'refusal' }, wait: { condition: 'refused_by_all' } })
    expect(statusReasonOf(given)).toBe(
      'waits for a no-op with its nonce 0, as every node that answers refuses it: once that is confirmed, it has failed; intrinsic gas too low',
    )
    const plan = decide(someSituation({ open: [given] }))
    expect([verbs(plan.decisions), plan.conditions]).toEqual([['signNoOp'], ['refused_by_all']])

    const noOp = someNoOp(0)
    const ended = include({ ...given, lifecycle: { ...given.lifecycle, attempts: [attempt, noOp] } }, by(noOp))
    if (!isInPhase(ended, 'mined')) throw new Error('it is not mined')
    expect(ended).not.toHaveProperty('wait')
    expect([statusOf(ended), verdictOn(ended).safeToRetry]).toEqual(['submitted', false])
    const confirmed = confirm(ended, now)
    expect([statusOf(confirmed), verdictOn(confirmed).safeToRetry]).toEqual(['failed', false])
    expect(verdictOn(finalize(ended, { ...ended.lifecycle, witnesses: 1 }, now)).safeToRetry).toBe(true)
    expect(statusOf(reopen(confirmed as InPhase<'mined'>, 'reorganized'))).toBe('submitted')
    // Its own hash after all.
    expect(statusOf(include(given, by(attempt)))).toBe('mined')
    expect(statusOf(confirm(include(given, byForeign()) as InPhase<'mined'>, now))).toBe('submitted')
  })

  test('that is given up sets no floor, unless a node took it, or a pool prefers another transaction', () => {
    const dear = eip1559(300n * gwei, 50n * gwei)
    const givenUp = { cancellation: { origin: 'refusal', requestedAt: now } } as const
    const bidAbove = (attempts: NonEmpty<Attempt>, changes: Partial<Transaction> = givenUp) =>
      decisionsOn(inFlight(0, attempts, changes), late).flatMap((each) =>
        each.do === 'signNoOp' ? [each.fees] : [],
      )[0]
    const market = marketFees(someMarket, 'fastest', true)
    const silent = someAttempt(0, { fees: dear, broadcast: unheard })
    expect(bidAbove([silent])).toEqual(market)
    expect(tipOf(bidAbove([silent], canceled) ?? market), 'canceled by its client').toBeGreaterThan(50n * gwei)
    const taken = someAttempt(0, { fees: dear, broadcast: { ...calledInvalid(now), takenAt: now - 20 * minuteMs } })
    expect(tipOf(bidAbove([{ ...taken, broadcast: withoutRejections(taken.broadcast) }]) ?? market)).toBeGreaterThan(
      50n * gwei,
    )
    const beaten = someNoOp(0, { fees: market, broadcast: broadcastStates.underpriced })
    expect(tipOf(bidAbove([silent, beaten]) ?? market)).toBeGreaterThan(50n * gwei)
  })

  test('is looked for in the pools where every endpoint may have refused it, and not otherwise', () => {
    const requested = (...changes: Parameters<typeof inFlight>) =>
      inquire(someWork({ open: [inFlight(...changes)] }), lacksNothing).refused
    const [taken, refused] = [someAttempt(0), someAttempt(0, { broadcast: calledInvalid(now) })]
    expect(requested(0, [taken, refused])).toEqual([{ newest: refused.hash, live: [taken.hash, refused.hash] }])
    const silent = someAttempt(0, { broadcast: unheard })
    expect(requested(0, [silent])).toEqual([{ newest: silent.hash, live: [silent.hash] }])
    for (const broadcast of [broadcastStates.accepted, broadcastStates.held, broadcastStates.sending, answered(odd)]) {
      expect(requested(0, [someAttempt(0, { broadcast })])).toBeUndefined()
    }
    expect(requested(0, [refused], canceled)).toBeUndefined()
    expect(requested(0, [refused], { origin: 'gap' })).toBeUndefined()
  })

  test('never ends by their word alone: canceled, it is raced', () => {
    const transaction = inFlight(0, [someAttempt(0, { broadcast: broadcastStates.refused })], canceled)
    expect(verbs(decisionsOn(transaction))).toEqual(['signNoOp'])
  })

  test('is not given up while a node had it in the last ten minutes, in this attempt or another', () => {
    const refused = calledInvalid(now + 2_000, now)
    const { rejections: _, ...doubted } = refused
    const again = (takenAt: number) => inFlight(0, [someAttempt(0, { broadcast: { ...doubted, takenAt } })])
    const dearer = (at: number) =>
      inFlight(0, [
        someAttempt(0, { broadcast: answered({ kind: 'alreadyKnown' }, at) }),
        someAttempt(0, { broadcast: refused }),
      ])
    const decided = (transaction: ReturnType<typeof again>) =>
      verbs(decisionsOn(transaction, { ...late, ...byAll(newest(transaction.lifecycle.attempts)) }))
    for (const taken of [again, dearer]) {
      expect(decided(taken(now + minuteMs - 600_000 + 1))).not.toContain('giveUp')
      expect(decided(taken(now + minuteMs - 600_000))).toEqual(['giveUp'])
    }
  })

  test('is repeated after pauses that double, and says why', () => {
    const repeated = (refusedMs: number, pausedMs: number) => {
      const attempt = someAttempt(0, { broadcast: calledInvalid(now + refusedMs, now) })
      const decisions = decisionsOn(inFlight(0, [attempt]), { after: refusedMs + pausedMs })
      expect(decisions).toContainEqual(
        expect.objectContaining({
          condition: 'node_refuses',
          reason: expect.stringContaining('intrinsic gas too low'),
        }),
      )
      return verbs(decisions).includes('rebroadcast')
    }
    for (const ms of [someRepeatAfter.doubtfulMs, 4_000, 64_000]) {
      expect([repeated(ms, ms - 1), repeated(ms, ms)]).toEqual([false, true])
    }
  })
})

function withoutRejections(broadcast: Attempt['broadcast']): Attempt['broadcast'] {
  if (broadcast.state !== 'handed') return broadcast
  const { rejections: _, ...rest } = broadcast
  return rest
}

describe('an acceptance on record', () => {
  test('survives refusals, unknown answers and broadcasts that never left', () => {
    const taken = someAttempt(0, { broadcast: broadcastStates.accepted })
    const answers: BroadcastOutcome[] = [invalid, odd, { kind: 'unknown', message: 'timed out' }, invalid]
    const last = answers.reduce<Attempt>(
      (attempt, outcome, index) => afterBroadcast(beforeBroadcast(attempt), outcome, now + index + 1),
      taken,
    )
    expect(last.broadcast).toEqual({
      state: 'handed',
      outcome: invalid,
      at: now + 4,
      takenAt: now,
      refusedSince: now + 4,
    })
    const back = afterBroadcast(beforeBroadcast(last), { kind: 'alreadyKnown' }, now + 9)
    expect(back.broadcast).toEqual({ state: 'handed', outcome: { kind: 'alreadyKnown' }, at: now + 9 })
  })

  test('a run of refusals begins with the first of the same kind', () => {
    const first = afterBroadcast(someAttempt(0, { broadcast: broadcastStates.sending }), odd, now)
    const second = afterBroadcast(beforeBroadcast(first), { ...odd, message: 'other words' }, now + 5)
    expect(second.broadcast).toMatchObject({ at: now + 5, refusedSince: now })
    const third = afterBroadcast(beforeBroadcast(second), invalid, now + 9)
    expect(third.broadcast).toMatchObject({ at: now + 9, refusedSince: now + 9 })
  })
})

/** The attempts after an hour in which every node answers each broadcast with `outcome`. */
function hourOf(outcome: BroadcastOutcome, first: Transaction & { lifecycle: { attempts: NonEmpty<Attempt> } }) {
  let attempts = first.lifecycle.attempts
  const repeats: number[] = []
  const [blockMs, blocks] = [12_000, 300]
  for (let block = 1; block <= blocks; block += 1) {
    const at = now + block * blockMs
    const market = { ...someMarket, blocks: { areUsed: false, haveRoom: true } }
    const transaction = inFlight(0, attempts, first)
    for (const decision of decisionsOn(transaction, {
      after: block * blockMs,
      blocks: block,
      market,
      blocktimeMs: blockMs,
    })) {
      if (decision.do === 'signNoOp' || decision.do === 'bump') {
        const signed = {
          fees: decision.fees,
          recordedAt: at,
          recordedAtBlock: height + block,
          broadcast: broadcastStates.sending,
        }
        const made = decision.do === 'signNoOp' ? someNoOp(0, signed) : someAttempt(0, signed)
        attempts = [...attempts, afterBroadcast(made, outcome, at)]
      } else if (decision.do === 'rebroadcast') {
        repeats.push(block)
        const next = attempts.map((each) =>
          each.hash === decision.attempt.hash ? afterBroadcast(beforeBroadcast(each), outcome, at) : each,
        )
        if (isNonEmpty(next)) attempts = next
      }
    }
  }
  return { attempts, repeats }
}

describe('words that no table has', () => {
  const late50 = { blocks: 50, after: minuteMs }

  test('are reported at once', () => {
    const send = inFlight(0, [someAttempt(0, { broadcast: answered(odd) })])
    const race = inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: answered(odd) })], canceled)
    for (const open of [send, race]) {
      expect(decisionsOn(open)).toMatchObject([
        { do: 'explain', condition: 'node_refuses', reason: expect.stringContaining('compliance hold (-32099)') },
      ])
    }
  })

  test('about a repeat of accepted bytes switch no repricing off', () => {
    const repeated = { ...answered(odd, now + minuteMs), takenAt: now } as const
    const accepted = answered({ kind: 'accepted' })
    for (const broadcast of [accepted, repeated]) {
      expect(verbs(decisionsOn(inFlight(0, [someAttempt(0, { broadcast })]), late50))).toEqual(['bump'])
      const race = inFlight(0, [someAttempt(0), someNoOp(0, { broadcast })], canceled)
      expect(verbs(decisionsOn(race, late50))).toEqual(['signNoOp'])
    }
  })

  test('in empty blocks: a race bids again up to its limit, and a payload does not', () => {
    const race = hourOf(odd, inFlight(0, [someAttempt(0)], canceled))
    const caps = race.attempts.filter(({ kind }) => kind === 'cancel').map(({ fees }) => feeCap(fees))
    expect(caps.length).toBeGreaterThan(3)
    expect(caps.length).toBeLessThan(attemptsMax)
    const [first = 0n] = caps
    expect(caps.at(-1)).toBeLessThanOrEqual(escalationMultiple * first)
    const payload = hourOf(odd, inFlight(0, [someAttempt(0, { broadcast: answered(odd) })]))
    // The tip of a nonce that waited for long is raised once, whatever nodes say.
    expect(payload.attempts.length).toBeLessThanOrEqual(2)
  })

  test('make repeats rare: in an hour of blocks of 12 s, about one a minute', () => {
    const { repeats } = hourOf(odd, inFlight(0, [someAttempt(0, { broadcast: answered(odd) })]))
    expect(repeats.length).toBeLessThanOrEqual(3_600_000 / refusedPauseMaxMs + 10)
    expect((300 - (repeats.at(-1) ?? 0)) * 12_000).toBeLessThanOrEqual(2 * refusedPauseMaxMs)
  })

  const unshownFor = (forMs: number, otherAcceptedMsAgo?: number) => (attempt: Attempt) => ({
    unshown: new Map([[attempt.hash, { forMs, ...(otherAcceptedMsAgo !== undefined && { otherAcceptedMsAgo }) }]]),
  })
  const longMs = 2 * minuteMs
  const held = (since = now) =>
    someAttempt(0, { broadcast: { state: 'handed', outcome: odd, at: now, refusedSince: since } })
  const isGivenUp = (
    attempt: Attempt,
    unshown: (attempt: Attempt) => Partial<Observation>,
    observed: Parameters<typeof decisionsOn>[1] = {},
  ) =>
    verbs(
      decisionsOn(inFlight(0, [attempt]), { blocks: 50, after: longMs, ...unshown(attempt), ...observed }),
    ).includes('giveUp')

  test('that last two minutes and twenty blocks end it for now, unless it is an outage, or an endpoint shows it', () => {
    const long = unshownFor(longMs, minuteMs)
    expect(isGivenUp(held(), long)).toBe(true)
    expect(isGivenUp(held(now + 1), long), 'refused for less').toBe(false)
    expect(isGivenUp(held(), unshownFor(longMs - 1, minuteMs)), 'unseen for less').toBe(false)
    expect(isGivenUp(held(), long, { blocktimeMs: 6_001 }), 'fewer blocks').toBe(false)
    expect(isGivenUp(held(), unshownFor(longMs)), 'nothing was accepted').toBe(false)
    expect(isGivenUp(held(), unshownFor(longMs, longMs)), 'nothing was accepted since').toBe(false)
    expect(
      isGivenUp(held(), () => ({})),
      'an endpoint shows it',
    ).toBe(false)
    const taken = {
      ...held(),
      broadcast: { state: 'handed', outcome: odd, at: now, refusedSince: now, takenAt: now },
    } as Attempt
    expect(isGivenUp(taken, long), 'a node had it').toBe(false)
    const behind = someAttempt(1, { broadcast: { state: 'handed', outcome: odd, at: now, refusedSince: now } })
    const late = { blocks: 50, after: longMs, ...long(behind) }
    expect(verbs(decisionsOn(inFlight(1, [behind]), late)), 'not the next nonce').not.toContain('giveUp')
  })

  test('end nothing while the balance does not cover it: one endpoint’s words hide that others lack money', () => {
    const long = unshownFor(longMs, minuteMs)
    const attempt = held()
    const open = [inFlight(0, [attempt])]
    const cost = costOf(inFlight(0, [attempt]), attempt, {})
    expect(isGivenUp(attempt, long, { balance: cost - 1n })).toBe(false)
    expect(isGivenUp(attempt, long, { balance: cost })).toBe(true)
    const head = headAt(height + 50)
    const read = (observed: Partial<Observation>) =>
      decide(someSituation({ open }, { head, ...long(attempt), ...observed }, {}, now + longMs))
    const { lacks, decisions } = read({ balance: ether, balanceReadAt: height })
    expect([lacks, verbs(decisions)]).toEqual([new Set(['balance']), expect.not.arrayContaining(['giveUp', 'bump'])])
    expect(verbs(read({ balance: ether, balanceReadAt: height + 50 }).decisions)).toContain('giveUp')
  })

  test('that lasted at an earlier nonce end it at once, unless it is shown, or not the next nonce', () => {
    const again = (refusedBeforeMs: number) => (attempt: Attempt) => ({
      unshown: new Map([[attempt.hash, { forMs: 0, otherAcceptedMsAgo: 9_000, refusedBeforeMs }]]),
    })
    expect(isGivenUp(held(now + longMs), again(longMs))).toBe(true)
    expect(isGivenUp(held(now + longMs), again(longMs - 1)), 'for less').toBe(false)
    expect(isGivenUp(held(now + longMs), again(longMs), { blocktimeMs: 6_001 }), 'fewer blocks').toBe(false)
    expect(isGivenUp(held(now + longMs), again(longMs), { nonce: 1 }), 'not the next nonce').toBe(false)
    const taken = { ...held().broadcast, takenAt: now } as Attempt['broadcast']
    expect(isGivenUp({ ...held(), broadcast: taken }, again(longMs)), 'a node had it').toBe(false)
  })

  test('that last send it back into the queue at finality of the no-op, and the third time it fails', () => {
    let transaction: InPhase<'inFlight'> = inFlight(0, [held()])
    for (const [index, end] of ['queued', 'queued', 'final'].entries()) {
      const [decision] = decisionsOn(transaction, {
        ...{ blocks: 50, after: longMs },
        ...unshownFor(longMs, minuteMs)(transaction.lifecycle.attempts[0]),
      })
      if (decision?.do !== 'giveUp') throw new Error('it is not given up')
      const given = apply(decision, transaction, undefined, now) as InPhase<'inFlight'>
      expect(given).toMatchObject({ giveUps: index + 1, wait: { facts: { returns: end === 'queued' } } })
      const noOp = someNoOp(0)
      const attempts = [...given.lifecycle.attempts, noOp] as const
      const inclusion = by(noOp)
      const ended = {
        ...given,
        lifecycle: { phase: 'mined', nonce: 0, attempts, inclusion, confirmedAt: now },
      } as const
      expect(statusOf(ended)).toBe(end === 'queued' ? 'submitted' : 'failed')
      const { block } = inclusion
      const plan = decide({
        ...{ work: someWork({ open: [ended] }), policy: somePolicy, now },
        observation: someObservation({
          ...{ nonce: 1, head: headAt(block.number + 10), canonical: new Map([[block.number, block.hash]]) },
        }),
      })
      expect(verbs(plan.decisions)).toEqual([end === 'queued' ? 'requeue' : 'finalize'])
      const [last] = plan.decisions
      if (!last || last.do === 'fillGap') throw new Error('nothing is decided')
      const after = apply(last, ended, undefined, now)
      expect([after.lifecycle.phase, statusOf(after)]).toEqual(
        end === 'queued' ? ['queued', 'pending'] : ['final', 'failed'],
      )
      if (end === 'queued') expect(after).not.toHaveProperty('cancellation')
      transaction = { ...after, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [held()] } }
    }
  })

  test('are looked for in the pools, of the next nonce alone', () => {
    const requested = (...open: Transaction[]) => inquire(someWork({ open }), lacksNothing).unknownWords
    const first = held()
    expect(requested(inFlight(0, [first]), inFlight(1, [held()]))).toEqual({
      ...{ newest: first.hash, live: [first.hash], nonce: 0, payload: somePayload },
    })
    expect(requested(inFlight(0), inFlight(1, [held()]))).toBeUndefined()
    expect(requested(inFlight(0, [held()], canceled))).toBeUndefined()
  })

  test('a node’s own limit on prices is no reason for a higher one', () => {
    const limited: BroadcastOutcome = {
      kind: 'rejected',
      code: 'nodeLimit',
      message: 'tx fee exceeds the configured cap',
    }
    const race = hourOf(
      limited,
      inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: broadcastStates.sending })], canceled),
    )
    expect(race.attempts.filter(({ kind }) => kind === 'cancel').length).toBeLessThanOrEqual(2)
  })
})

test('a replaced payload is never broadcast again, whatever the balance covers', () => {
  const payload = { ...somePayload, value: 2n }
  const short = { kind: 'rejected', code: 'insufficientFunds', message: 'insufficient funds' } as const
  const replacedCheap = someAttempt(0, { fees: eip1559(20n * gwei, gwei), broadcast: broadcastStates.accepted })
  const dear = someAttempt(0, {
    ...{ kind: 'replace', revision: 1, fees: eip1559(40n * gwei, 4n * gwei) },
    broadcast: { state: 'handed', outcome: short, at: now - minuteMs, rejections: 'all' },
  })
  const replaced = inFlight(0, [replacedCheap, dear], { payload, earlier: [somePayload] })
  const decisions = decisionsOn(replaced, { balance: 21_000n * 25n * gwei, after: minuteMs })
  expect(decisions).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: dear }))
  expect(decisions).not.toContainEqual(expect.objectContaining({ attempt: replacedCheap }))
})

test('while the newest attempt pays less than pools accept and a higher price has to wait, a dearer one is broadcast again', () => {
  const tooLow = { kind: 'rejected', code: 'feeTooLow', message: 'minimum needed 25000000000' } as const
  const lost = { kind: 'rejected', code: 'insufficientFunds', message: 'insufficient funds' } as const
  const dear = someNoOp(0, {
    fees: eip1559(58n * gwei, 57n * gwei),
    broadcast: { state: 'handed', outcome: lost, at: now },
  })
  const cheap = someNoOp(0, {
    fees: eip1559(3n * gwei, 3n * gwei),
    broadcast: { state: 'handed', outcome: tooLow, at: now, rejections: 'all' },
  })
  const tips = { safeLow: 25n * gwei, average: 25n * gwei, fast: 25n * gwei, fastest: 25n * gwei }
  const market = {
    ...someMarket,
    baseFee: 7n,
    gasPrice: 25n * gwei,
    tips,
    paidTips: someMarket.tips,
    minimumTip: 25n * gwei,
  }
  const open = inFlight(0, [someAttempt(0), dear, cheap], canceled)
  const decisions = decisionsOn(open, { market, ...late })
  expect(decisions).toContainEqual(expect.objectContaining({ condition: 'price_ceiling' }))
  expect(decisions).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: dear }))
  const refusedAgain = { ...dear, broadcast: { ...dear.broadcast, at: now + 1 } } as Attempt
  const turn = decisionsOn(inFlight(0, [someAttempt(0), refusedAgain, cheap], canceled), { market, ...late })
  expect(turn).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: cheap }))
  // The answer to an earlier broadcast of it was lost.
  const unclear = { ...cheap, broadcast: { state: 'handed', outcome: tooLow, at: now } } as Attempt
  const after = decisionsOn(inFlight(0, [someAttempt(0), dear, unclear], canceled), { market, ...late })
  expect(after).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: dear }))
})

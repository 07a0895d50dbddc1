// A new payload: where it takes the old one's place, where it races it, and how the answer shows the mined one.

import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import { apply } from '../../src/domain/decide/apply.ts'
import { inquire } from '../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../src/domain/decide/plan/lacks.ts'
import { RescindError } from '../../src/domain/errors.ts'
import { feeCap } from '../../src/domain/fees.ts'
import type { NetworkPolicy } from '../../src/domain/relayer.ts'
import { replace } from '../../src/domain/replace.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import { executedPayload, isInPhase, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { decideInWords as decide } from './in-words.ts'
import {
  broadcastStates,
  by,
  canceled,
  eip1559,
  ether,
  frozen,
  gwei,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  receiver,
  someAttempt,
  someNoOp,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
  someWork,
} from './some.ts'

const request: SendRequest = {
  to: receiver,
  value: 7n,
  data: '0x',
  gasLimit: 30_000,
  pricing: { kind: 'speed', speed: 'fast' },
}

function decisionsOn(transaction: Transaction, estimates = new Map()) {
  return decide(someSituation({ open: [transaction] }, { estimates })).decisions
}

describe('what a PUT does', () => {
  test('a gap filler is the service’s own: no client’s payload takes its caps, its reserve and its place in a bulk cancel', () => {
    const gap = inFlight(3, [someNoOp(3)], { origin: 'gap' })
    expect(() => replace(frozen(gap), request, 'public')).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_IS_GAP_FILLER' }),
    )
  })

  test('in the queue the payload is the new one, and the old one is kept beside it', () => {
    const replaced = replace(frozen(queued(3)), request, 'public')
    expect(replaced.payload).toEqual({ ...request, from: somePayload.from })
    expect(replaced.earlier).toEqual([somePayload])
    expect(replaced.lifecycle).toEqual({ phase: 'queued' })
  })

  test('a nonce whose attempts no node ever had goes back', () => {
    const held = inFlight(3, [someAttempt(3, { broadcast: broadcastStates.held })])
    expect(replace(frozen(held), request, 'public').lifecycle).toEqual({ phase: 'queued' })
  })

  test.each(['sending', 'accepted', 'unknown'] as const)('an attempt that is %s stays in the race', (state) => {
    const racing = inFlight(3, [someAttempt(3, { broadcast: broadcastStates[state] })])
    const replaced = replace(frozen(racing), request, 'public')
    expect(replaced.lifecycle).toBe(racing.lifecycle)
    expect(statusOf(replaced)).toBe(statusOf(racing))
  })

  test('a valid_until belongs to its payload', () => {
    expect(replace(queued(3, { validUntil: now + 1 }), request, 'public')).not.toHaveProperty('validUntil')
    expect(replace(queued(3), { ...request, validUntil: now + 2 }, 'public')).toMatchObject({ validUntil: now + 2 })
  })

  test('a canceled transaction, or one that the chain has, is refused by its status', () => {
    const attempt = someAttempt(3)
    const refusals = [
      [inFlight(3, [attempt], canceled), 'TRANSACTION_ALREADY_CANCELED'],
      [mined(3, by(attempt), [attempt]), 'TRANSACTION_ALREADY_MINED'],
    ] as const
    for (const [transaction, code] of refusals) {
      expect(() => replace(transaction, request, 'public')).toThrow(expect.objectContaining({ code }))
    }
  })
})

describe('what a step makes of it', () => {
  const original = someAttempt(0)
  const replaced = replace(inFlight(0, [original]), request, 'public')

  test('the new payload is signed over every attempt, at its own gas', () => {
    const [decision, ...more] = decisionsOn(replaced)
    expect(more).toEqual([])
    expect(decision).toMatchObject({ do: 'replace', gasLimit: 30_000 })
    if (decision?.do !== 'replace' || decision.fees.kind !== 'eip1559') throw new Error('not a replacement')
    expect(decision.fees.maxFeePerGas).toBeGreaterThan(22n * gwei - 1n)
  })

  test('nothing of the old payload is broadcast again, however doubtful', () => {
    const doubtful = someAttempt(0, { broadcast: broadcastStates.unknown })
    const waiting = replace(
      inFlight(0, [doubtful]),
      { ...request, pricing: { kind: 'legacy', gasPrice: 1n } },
      'public',
    )
    const later = { ...somePolicy, averageBlocktimeMs: 0 }
    const { decisions } = decide(someSituation({ open: [waiting] }, {}, later, now + 60_000))
    expect(decisions).toMatchObject([
      { do: 'explain', transaction: waiting, condition: 'own_price', reason: expect.stringContaining('it needs') },
    ])
  })

  test('fees of its own are taken where they suffice', () => {
    const fees = eip1559(200n * gwei, 100n * gwei)
    const [decision] = decisionsOn(replace(inFlight(0, [original]), { ...request, pricing: fees as never }, 'public'))
    expect(decision).toMatchObject({ do: 'replace', fees })
  })

  test('fees of its own wait where gas_price_cap was lowered below them since', () => {
    const fees = eip1559(200n * gwei, 100n * gwei)
    const relayer = someRelayer({ policies: { ...somePolicies, gasPriceCap: 199n * gwei } })
    const open = [replace(inFlight(0, [original]), { ...request, pricing: fees as never }, 'public')]
    const { decisions } = decide(someSituation({ relayer, open }))
    expect(decisions).toMatchObject([{ do: 'explain', condition: 'gas_price_cap' }])
  })

  test('when the answers show that no node had the old payload, its nonce goes back, and nobody gets it out of turn', () => {
    const held = replace(inFlight(0, [someAttempt(0, { broadcast: broadcastStates.sending })]), request, 'public')
    if (!isInPhase(held, 'inFlight')) throw new Error('not in flight')
    const answered = {
      ...held,
      lifecycle: { ...held.lifecycle, attempts: [someAttempt(0, { broadcast: broadcastStates.held })] as const },
    }
    const plan = decide(someSituation({ open: [answered], queued: [queued(9)] }))
    expect(plan).toMatchObject({ decisions: [{ do: 'unbind' }], observeAgainAtOnce: true })
    expect(apply({ do: 'unbind', transaction: answered }, answered, undefined, now).lifecycle).toEqual({
      phase: 'queued',
    })
  })

  test('gas that is left out is estimated first, and a revert is reported', () => {
    const { gasLimit: _, ...open } = request
    const waiting = replace(inFlight(0, [original]), open, 'public')
    expect(inquire(someWork({ open: [waiting] }), lacksNothing).estimates).toMatchObject([
      { transactionId: waiting.id },
    ])
    expect(decisionsOn(waiting)).toEqual([])
    expect(decisionsOn(waiting, new Map([[waiting.id, { kind: 'gas', gas: 44_000 }]]))).toMatchObject([
      { do: 'replace', gasLimit: 44_000 },
    ])
    expect(decisionsOn(waiting, new Map([[waiting.id, { kind: 'reverts', reason: 'no' }]]))).toMatchObject([
      { do: 'explain', reason: 'waits: the replacement would revert: no; replace it again, or cancel' },
    ])
    const failing = { kind: 'fails', reason: 'bad jump', isLasting: true } as const
    expect(decisionsOn(waiting, new Map([[waiting.id, failing]]))).toMatchObject([
      { do: 'explain', condition: 'gas_unknown', reason: expect.stringContaining('(bad jump)') },
    ])
  })

  test('where its nonce has waited for long, it offers the tip that every miner of the network takes', () => {
    const waited = inFlight(0, [someAttempt(0, { recordedAtBlock: height - 12 })])
    const { decisions } = decide(
      someSituation({ open: [replace(waited, request, 'public')] }, {}, { ...somePolicy, raisedTip: 30n * gwei }),
    )
    expect(decisions).toMatchObject([{ do: 'replace', fees: { maxPriorityFeePerGas: 30n * gwei } }])
  })

  test('once signed it is pursued like any other', () => {
    const signed = someAttempt(0, { kind: 'replace', revision: 1, fees: eip1559(40n * gwei, 4n * gwei) })
    if (!isInPhase(replaced, 'inFlight')) throw new Error('not in flight')
    const both = { ...replaced, lifecycle: { ...replaced.lifecycle, attempts: [original, signed] as const } }
    expect(decisionsOn(both)).toEqual([])
  })
})

describe('what it may cost', () => {
  const original = someAttempt(0)
  const cheap = { ...request, value: 1n, gasLimit: 21_000 }
  const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: ether } })
  const decided = (changes: Partial<SendRequest>, balance: bigint | undefined) => {
    const { balance: _, ...unread } = someObservation()
    return decide({
      work: someWork({ relayer, open: [replace(inFlight(0, [original]), { ...cheap, ...changes }, 'public')] }),
      observation: { ...unread, ...(balance !== undefined && { balance }) },
      policy: somePolicy,
      now,
    })
  }

  test('its value and gas leave the reserve for a cancellation', () => {
    expect(decided({ value: 2n * ether }, 4n * ether).decisions).toMatchObject([{ do: 'replace' }])
    expect(decided({ value: 3n * ether }, 4n * ether).decisions).toMatchObject([
      { do: 'explain', condition: 'balance_short' },
    ])
    const named = eip1559(200n * gwei, 100n * gwei) as never
    expect(decided({ pricing: named, value: 3n * ether }, 4n * ether).decisions).toMatchObject([
      { do: 'explain', condition: 'balance_short' },
    ])
    expect(decided({ pricing: named }, ether + 21_000n * 200n * gwei).decisions).toMatchObject([
      { do: 'explain', condition: 'balance_short' },
    ])
    expect(decided({ pricing: named }, ether + 21_000n * 200n * gwei + 1n).decisions).toMatchObject([{ do: 'replace' }])
  })

  test('the balance is read before it is signed', () => {
    expect(decided({}, undefined)).toMatchObject({ decisions: [], lacks: new Set(['balance']) })
  })
})

describe('where a sequencer orders transactions as they come', () => {
  const policy: NetworkPolicy = {
    ...somePolicy,
    bumpAfter: { blocks: 3, ms: 3_000 },
    profile: { ...somePolicy.profile, pool: 'fcfs', keepsFutureNonceMs: 1_000 },
  }
  const dear = eip1559(90n * gwei, 9n * gwei)
  const old = (broadcast: Attempt['broadcast']) => inFlight(0, [someAttempt(0, { broadcast, fees: dear })])
  const decided = (transaction: Transaction, observation = someObservation(), at = now) =>
    decide({ work: someWork({ open: [transaction] }), observation, policy, now: at }).decisions

  const ordered = { state: 'handed', outcome: { kind: 'accepted', code: 'ordered' }, at: now } as const

  test('a payload that was ordered, or whose nonce is spent, is not replaced, nor one behind another with an unknown outcome', () => {
    for (const state of [ordered, broadcastStates.spent]) {
      expect(() => replace(old(state), request, 'fcfs')).toThrow(
        expect.objectContaining({ code: 'TRANSACTION_ALREADY_ORDERED' }),
      )
    }
    const first = someAttempt(0, { broadcast: ordered })
    const twice = inFlight(0, [first, someAttempt(0, { broadcast: broadcastStates.unknown })])
    expect(() => replace(twice, request, 'fcfs')).toThrow(RescindError)
    expect(replace(queued(0), request, 'fcfs').payload).toMatchObject({ value: 7n })
  })

  test('one of which only the hash was answered may be lost yet: it is replaced', () => {
    for (const state of ['accepted', 'known'] as const) {
      const replaced = replace(old(broadcastStates[state]), request, 'fcfs')
      expect(decided(replaced)).toMatchObject([{ do: 'replace', gasLimit: 30_000 }])
    }
  })

  test('another is replaced under the same nonce at the price of the market, and outbids nothing', () => {
    const [decision] = decided(replace(old(broadcastStates.unknown), request, 'fcfs'))
    expect(decision).toMatchObject({ do: 'replace', gasLimit: 30_000 })
    if (decision?.do !== 'replace') throw new Error('not a replacement')
    expect(feeCap(decision.fees)).toBeLessThan(feeCap(dear))
    const named = eip1559(11n * gwei, gwei)
    const own = replace(old(broadcastStates.unknown), { ...request, pricing: named as never }, 'fcfs')
    expect(decided(own)).toMatchObject([{ do: 'replace', fees: named }])
  })

  test('if it was ordered after the PUT, the new payload waits for its block', () => {
    const late = replace(old(ordered), request, 'public')
    expect(decided(late)).toMatchObject([{ do: 'explain', condition: 'already_ordered' }])
    const repeated = replace(old(broadcastStates.spent), request, 'public')
    expect(decided(repeated)).toMatchObject([{ do: 'explain', condition: 'already_ordered' }])
    const later = someObservation({ head: headAt(height + 9, { timestampMs: now + 60_000 }) })
    expect(decided(late, later, now + 60_000)).toMatchObject([{ do: 'replace' }])
  })
})

describe('which was mined', () => {
  const original = someAttempt(0)
  const signed = someAttempt(0, { kind: 'replace', revision: 1 })
  const replaced = replace(inFlight(0, [original, signed]), request, 'public')

  test('the payload that is shown is the one that the chain executed', () => {
    const asMined = (winner: typeof original): Transaction => ({
      ...mined(0, by(winner), [original, signed]),
      payload: replaced.payload,
      ...(replaced.earlier && { earlier: replaced.earlier }),
    })
    expect(executedPayload(asMined(original))).toEqual(somePayload)
    expect(executedPayload(asMined(signed))).toEqual(replaced.payload)
    expect(executedPayload(replaced)).toEqual(replaced.payload)
  })
})

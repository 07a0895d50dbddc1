// Which changes of a transaction are events while its status stays: decided by conditions and facts, never by texts.
import { describe, expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { afterAnswers, apply } from '../../src/domain/decide/apply.ts'
import { include, reopen } from '../../src/domain/decide/facts/inclusion.ts'
import { restoreCancellation } from '../../src/domain/decide/lost-history/lost-cancellation.ts'
import { type Decision, explain } from '../../src/domain/decide/plan/decision.ts'
import { explainIdle } from '../../src/domain/decide/race/explain-contender.ts'
import { payloadContender } from '../../src/domain/decide/terms/contender.ts'
import { explainUnreachable } from '../../src/domain/decide/waits/explain-waits.ts'
import { type EventKind, eventsOf } from '../../src/domain/event.ts'
import type { NetworkName } from '../../src/domain/ids.ts'
import type { LostNoOp } from '../../src/domain/observation.ts'
import { replace } from '../../src/domain/replace.ts'
import { type InPhase, spenderKind, type Transaction } from '../../src/domain/transaction.ts'
import {
  answered,
  blockHash,
  by,
  byForeign,
  canceled,
  hashOf,
  inFlight,
  now,
  queued,
  someAttempt,
  someNoOp,
  somePayload,
  someSituation,
  someWork,
} from './some.ts'

function eventOf(before: Transaction, after: Transaction): EventKind | undefined {
  return eventsOf(before, after)[0]
}

/** As they are stored, one after the other. */
function reported(transaction: Transaction, ...decisions: readonly (readonly Decision[])[]): Transaction {
  return decisions.flat().reduce((latest, each) => {
    if (each.do !== 'explain' && each.do !== 'clearWait') throw new Error(`${each.do} has no condition`)
    return apply(each, latest, undefined, now)
  }, transaction)
}

const unreachable = (why: string, transaction: Transaction = queued(1)) =>
  explainUnreachable(someWork({ queued: [transaction] }), why)
const refused = (message: string) => {
  const broadcast = answered({ kind: 'rejected', code: 'poolFull', message })
  const transaction = inFlight(0, [someAttempt(0, { broadcast })])
  const situation = someSituation({ open: [transaction] })
  return explainIdle(payloadContender(transaction, situation), situation)
}
const lost: LostNoOp = {
  ...{ nonce: 0, hash: hashOf(0xf00), block: { number: 5, hash: blockHash(5) }, minedAt: now },
  signed: { ...someNoOp(0), value: 0n, data: '0x' },
}

const paused = { condition: 'paused', facts: { by: 'relayer', network: 'localhost' as NetworkName } } as const
const refusedNoOp = {
  condition: 'node_refuses',
  facts: { of: 'noOp', refusal: { kind: 'error', words: 'no' } },
} as const

describe('a wait', () => {
  test('is an event when it begins, when its condition changes, and when it begins again', () => {
    const first = reported(queued(1), unreachable('endpoint 0: refused'))
    expect(eventOf(queued(1), first)).toBe('attention')
    const other = reported(first, explain(first, paused))
    expect(eventOf(first, other)).toBe('attention')
    const over = reported(other, [{ do: 'clearWait', transaction: other }])
    expect(eventOf(over, reported(over, explain(over, paused)))).toBe('attention')
  })

  test('is none as long as its condition stands, whatever its figures and the words of a node are', () => {
    const first = reported(queued(1), unreachable('endpoint 0: the connection failed (ECONNRESET)'))
    expect(eventOf(first, reported(first, unreachable('endpoint 0: HTTP 429', first)))).toBeUndefined()
    const full = reported(inFlight(0), refused('txpool is full'))
    expect(eventOf(full, reported(full, refused('Spammer: spammer')))).toBeUndefined()
  })

  test('that is over is an event of a race, which goes on, and of nothing else', () => {
    const over = (transaction: Transaction) => {
      const waiting = reported(transaction, explain(transaction, refusedNoOp))
      return eventOf(waiting, reported(waiting, [{ do: 'clearWait', transaction: waiting }]))
    }
    expect(over(inFlight(0))).toBeUndefined()
    expect(over(inFlight(0, undefined, canceled))).toBe('attention')
  })
})

test('a replacement is no event, also for a waiting transaction', () => {
  const waiting = reported(inFlight(0), refused('txpool is full'))
  expect(eventOf(waiting, replace(waiting, { ...somePayload, value: 7n }, 'public'))).toBeUndefined()
})

describe('where the status stands', () => {
  const racing = { ...inFlight(0, [someAttempt(0), someNoOp(0)]), ...canceled }

  test('a nonce that went to a foreign transaction is an event, and a no-op that was mined is none until it is final', () => {
    expect(eventOf(racing, include(racing, byForeign()))).toBe('attention')
    expect(eventOf(racing, include(racing, by(someNoOp(0))))).toBeUndefined()
  })

  test('a block that a reorganization took back is an event', () => {
    const mined = include(racing, by(someNoOp(0))) as InPhase<'mined'>
    expect(spenderKind(mined.lifecycle.inclusion)).toBe('noOp')
    expect(eventOf(mined, reopen(mined, 'reorganized'))).toBe('attention')
  })

  test('a payload that is given up is an event', () => {
    const flying = inFlight(0)
    const given = apply(
      { do: 'giveUp', transaction: flying, refused: { as: 'invalid', words: 'no' } },
      flying,
      undefined,
      now,
    )
    expect(given).toMatchObject({
      ...cancel(flying, now, 'refusal'),
      statusReason: 'every node that answers refuses it: no',
      wait: { condition: 'refused_by_all', since: now },
    })
    expect(eventOf(flying, given)).toBe('attention')
  })

  test('a no-op that a lost history had signed is an event', () => {
    expect(eventOf(racing, restoreCancellation({ transaction: racing, noOp: lost }, now))).toBe('attention')
  })
})

test('an attempt that was recovered stays so through a reorganization and another broadcast', () => {
  const restored = restoreCancellation({ transaction: inFlight(0), noOp: lost }, now) as InPhase<'inFlight'>
  const noOp = { ...someNoOp(0), hash: lost.hash }
  const reopened = reopen(include(restored, by(noOp)) as InPhase<'mined'>, 'reorganized')
  const again = afterAnswers(reopened, new Map([[lost.hash, { kind: 'accepted' }]]), now) as InPhase<'inFlight'>
  expect(include(again, by(noOp)).statusReason).toMatch(/took its nonce; restored from the chain/)
})

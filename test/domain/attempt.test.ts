// Attempts that have the same bytes: signatures are deterministic, and a PUT may repeat the payload.
import { expect, test } from 'vitest'
import { type Attempt, afterBroadcast, attemptWith } from '../../src/domain/attempt.ts'
import { afterAnswers } from '../../src/domain/decide/apply.ts'
import { include, reopen } from '../../src/domain/decide/facts/inclusion.ts'
import { executedPayload, isInPhase } from '../../src/domain/transaction.ts'
import { broadcastStates, by, inFlight, now, someAttempt } from './some.ts'

const withdrawn = someAttempt(0, { broadcast: { state: 'withdrawn' } })
const again: Attempt = { ...withdrawn, kind: 'replace', revision: 1, broadcast: broadcastStates.unknown }
const boundTwice = inFlight(0, [withdrawn, again])

test('the newest of them counts', () => {
  expect(again.hash).toBe(withdrawn.hash)
  expect(attemptWith([withdrawn, again], again.hash)).toBe(again)
  expect(attemptWith([withdrawn, again], '0x00')).toBeUndefined()
})

test('an answer is about the one that is not withdrawn', () => {
  expect(afterBroadcast(withdrawn, { kind: 'unsent', message: 'no connection' }, now)).toBe(withdrawn)
  const outcomes = new Map([[again.hash, { kind: 'accepted' } as const]])
  expect(afterAnswers(boundTwice, outcomes, now).lifecycle).toMatchObject({
    attempts: [
      { broadcast: { state: 'withdrawn' } },
      { broadcast: { state: 'handed', outcome: { kind: 'accepted' } } },
    ],
  })
})

test('a block that holds them, and its removal, leave the withdrawn one alone', () => {
  const payload = { ...boundTwice.payload, value: 7n }
  const replaced = { ...boundTwice, payload, earlier: [boundTwice.payload] } as const
  const included = include(replaced, by(again))
  expect(executedPayload(included)).toBe(payload)
  if (!isInPhase(included, 'mined')) throw new Error('a block holds it')
  for (const { lifecycle } of [included, reopen(included, 'reorganized')]) {
    expect(lifecycle).toMatchObject({
      attempts: [{ broadcast: { state: 'withdrawn' } }, { broadcast: { state: 'handed' } }],
    })
  }
})

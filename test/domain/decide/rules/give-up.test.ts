// Giving up: what nodes' refusals mean for a payload, and that nothing is given up without them.
import { expect, test } from 'vitest'
import {
  explainGivenUp,
  judgeRefusals,
  payloadInUnknownWords,
  refusedPayloads,
} from '../../../../src/domain/decide/rules/give-up.ts'
import { noOpContender, payloadContender } from '../../../../src/domain/decide/terms/contender.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import { calledInvalid, canceled, inFlight, now, someAttempt, someSituation } from '../../some.ts'

const invalid = someAttempt(0, { broadcast: calledInvalid(now - 1_000) })
const accepted = someAttempt(0)
const byAll: Partial<Observation> = { refusedByAll: new Map([[invalid.hash, 'intrinsic gas too low']]) }

test.each([
  ['a node calls it invalid: no price helps', invalid, {}, { mayBid: false }],
  ['all do: it is given up', invalid, byAll, { givenUp: [{ do: 'giveUp', refused: { as: 'invalid' } }] }],
  ['no node refuses it: it may bid', accepted, {}, { mayBid: true }],
])('%s', (_, attempt, observed, judged) => {
  const transaction = inFlight(0, [attempt])
  const situation = someSituation({ open: [transaction] }, observed)
  expect(judgeRefusals(payloadContender(transaction, situation), situation)).toMatchObject(judged)
  // The no-op of a cancellation is never given up: the nonce has to end.
  expect(judgeRefusals(noOpContender(transaction, situation), situation)).toEqual({ mayBid: true })
})

test('without a refusal nothing is read or explained', () => {
  const open = [inFlight(0, [accepted]), inFlight(1, [someAttempt(1)], canceled)]
  expect(refusedPayloads(open)).toEqual([])
  expect(payloadInUnknownWords(open)).toBeUndefined()
  expect(open.flatMap(explainGivenUp)).toEqual([])
})

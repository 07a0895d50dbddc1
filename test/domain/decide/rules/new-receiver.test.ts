// A value to an account that does not exist: refused before its gas is paid in vain, and nothing else changes.
import { expect, test } from 'vitest'
import { decide } from '../../../../src/domain/decide/decide.ts'
import { inquire } from '../../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../../src/domain/decide/plan/lacks.ts'
import type { Work } from '../../../../src/domain/decide/plan/work.ts'
import type { GasFigures } from '../../../../src/domain/gas-figures.ts'
import { osakaRules } from '../../../../src/domain/gas-figures.ts'
import { lowerHex } from '../../../../src/domain/ids.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import type { Payload } from '../../../../src/domain/transaction.ts'
import { inFlight, queued, receiver, someAttempt, someHead, somePayload, someSituation, someWork } from '../../some.ts'

const amsterdam: GasFigures = { base: 12_000, floor: 64, newAccount: 183_600 }
const missing = { gasFigures: amsterdam, missingReceivers: new Set([lowerHex(receiver)]) }

function decided(payload: Partial<Payload>, seen: Partial<Observation>, open: Work['open'] = []) {
  const nonce = open.length
  return decide(
    someSituation(
      { open, queued: [queued(9, { payload: { ...somePayload, ...payload } })] },
      { nonce, balance: 10n ** 20n, ...seen },
    ),
  ).decisions
}

test('ends without a nonce, with both figures and the block', () => {
  expect(decided({}, missing)).toMatchObject([
    {
      do: 'refuse',
      reason: expect.stringMatching(
        new RegExp(
          `did not exist at block ${someHead.number}, and its gas_limit 21000 does not pay for a new account: about 204600 is expected, 183600 of it`,
        ),
      ),
    },
  ])
})
test.each<[string, Partial<Payload>, Partial<Observation>]>([
  ['a limit that pays for it', { gasLimit: 204_600 }, missing],
  ['the word of its client', { allowOutOfGas: true }, missing],
  ['no value', { value: 0n }, missing],
  ['rules that charge nothing for it', {}, { ...missing, gasFigures: osakaRules }],
  ['a receiver that exists', {}, { gasFigures: amsterdam, missingReceivers: new Set() }],
  ['no answer', {}, { gasFigures: amsterdam }],
])('is sent with %s', (_, payload, seen) => {
  expect(decided(payload, seen)).toMatchObject([{ do: 'assignNonce' }])
})
test('is sent behind a payload that creates the account', () => {
  const ahead = inFlight(0, [someAttempt(0)], { payload: { ...somePayload, gasLimit: 210_000 } })
  expect(decided({}, missing, [ahead])).toContainEqual(expect.objectContaining({ do: 'assignNonce' }))
})
test('is inquired about only where its limit is named and its client does not insist', () => {
  const receivers = (payload: Partial<Payload>) =>
    inquire(someWork({ queued: [queued(1, { payload: { ...somePayload, ...payload } })] }), lacksNothing).receivers
  const { gasLimit: _, ...estimated } = somePayload
  expect(receivers({})).toEqual([{ to: receiver, gasLimit: 21_000, least: 21_000 }])
  expect(receivers({ value: 0n })).toBeUndefined()
  expect(receivers({ allowOutOfGas: true })).toBeUndefined()
  expect(inquire(someWork({ queued: [queued(1, { payload: estimated })] }), lacksNothing).receivers).toBeUndefined()
})

// Attempts that were recorded at a head far above the present one: that head was false, or the chain was reset.
import { expect, test } from 'vitest'
import { recordedAtBlockOf } from '../../../src/domain/attempt.ts'
import { foreignNonceUsableFrom, foreignPatience } from '../../../src/domain/decide/rules/foreign-nonces.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  canceled,
  eip1559,
  gwei,
  height,
  inFlight,
  now,
  someAttempt,
  someNoOp,
  somePolicy,
  someSituation,
} from '../some.ts'

const far = height + 100_000

test('a no-op that was priced there gets another bid at once', () => {
  const payload = someAttempt(0, { recordedAtBlock: height - 3, recordedAt: now - 90_000 })
  const cheap = { fees: eip1559(2n * gwei, 1n * gwei), recordedAt: now - 60_000 }
  const verbsAt = (recordedAtBlock: number) => {
    const open = [inFlight(0, [payload, someNoOp(0, { ...cheap, recordedAtBlock })], canceled)]
    const situation = someSituation({ open })
    return decide(situation).decisions.map(({ do: verb }) => verb)
  }
  expect(verbsAt(far)).toContain('signNoOp')
  expect(verbsAt(height)).not.toContain('signNoOp')
})

test('a nonce below ours does not wait for a foreign transaction until the chain is as high', () => {
  const situation = someSituation({ open: [inFlight(3, [someAttempt(3, { recordedAtBlock: far })])] })
  expect(foreignNonceUsableFrom(0, situation)).toMatchObject({
    block: foreignPatience(somePolicy).blocks,
  })
})

test('a head that falls a little stands still until the chain is as high again', () => {
  expect(recordedAtBlockOf({ recordedAtBlock: height + 64 }, height)).toBe(height + 64)
  expect(recordedAtBlockOf({ recordedAtBlock: height + 65 }, height)).toBe(0)
})

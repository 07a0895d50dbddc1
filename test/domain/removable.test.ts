// Which ended transactions nothing needs any more.
import { expect, test } from 'vitest'
import { isRemovable } from '../../src/domain/removable.ts'

const ended = { sequence: 5, nonce: 5, hasDelivery: false }
const context = { explainedBelow: 9, highestNonce: 8 }

test.each([
  ['one that ended long ago', ended, context, true],
  ['one with a delivery', { ...ended, hasDelivery: true }, context, false],
  ['one whose nonce is not explained', { ...ended, nonce: 9 }, { ...context, highestNonce: 10 }, false],
  ['the newest nonce', { ...ended, nonce: 8 }, context, false],
  ['one with a nonce during a history check', ended, { ...context, doubtedThrough: 7 }, true],
  ['one without a nonce', { sequence: 5, hasDelivery: false }, context, true],
  [
    'one without, that a history check may need',
    { sequence: 5, hasDelivery: false },
    { ...context, doubtedThrough: 5 },
    false,
  ],
  ['one without, after the check', { sequence: 6, hasDelivery: false }, { ...context, doubtedThrough: 5 }, true],
])('%s', (_, given, of, removable) => {
  expect(isRemovable(given, of)).toBe(removable)
})

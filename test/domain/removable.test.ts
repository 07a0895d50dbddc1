// Which ended transactions nothing needs any more.
import { expect, test } from 'vitest'
import { isRemovable, type RemovalCandidate, type RemovalContext } from '../../src/domain/removable.ts'

const ended = { nonce: 5, hasDelivery: false }
const withoutNonce = { hasDelivery: false }
const context = { explainedBelow: 9, highestNonce: 8, isChecked: true }
const checking = { ...context, isChecked: false }

test.each<[string, RemovalCandidate, RemovalContext, boolean]>([
  ['one that ended long ago', ended, context, true],
  ['one with a delivery', { ...ended, hasDelivery: true }, context, false],
  ['one whose nonce is not explained', { ...ended, nonce: 9 }, { ...context, highestNonce: 10 }, false],
  ['the newest nonce', { ...ended, nonce: 8 }, context, false],
  ['one with an explained nonce, during a history check', ended, checking, true],
  ['one without a nonce', withoutNonce, context, true],
  ['one without a nonce, during a history check', withoutNonce, checking, false],
])('%s', (_, given, of, removable) => {
  expect(isRemovable(given, of)).toBe(removable)
})

// What a step reads of the chain for its work.

import { expect, test } from 'vitest'
import { inquire } from '../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import { height, inFlight, queued, someAttempt, someNoOp, somePayload, someWork } from '../some.ts'

test('what took a nonce is looked for from its first attempt on: any later one may have been too late', () => {
  const first = someAttempt(4, { recordedAtBlock: height - 9 })
  const later = someAttempt(4, { recordedAtBlock: height - 2 })
  expect(inquire(someWork({ open: [inFlight(4, [first, later])] }), lacksNothing).live).toMatchObject([
    { nonce: 4, unspentAt: { block: height - 9, ms: first.recordedAt } },
  ])
})

test('the receipt of a canceled transaction is read as well as that of its no-op: either may be mined', () => {
  const payload = someAttempt(4)
  const noOp = someNoOp(4)
  expect(inquire(someWork({ open: [inFlight(4, [payload, noOp])] }), lacksNothing).live).toMatchObject([
    { nonce: 4, attempts: [{ hash: payload.hash }, { hash: noOp.hash }] },
  ])
})

test('the most gas is that of the whole queue: receipts of this look may make room for more of it', () => {
  const open = Array.from({ length: 16 }, (_, nonce) => inFlight(nonce, [someAttempt(nonce)]))
  const payload = { ...somePayload, gasLimit: 30_000 }
  expect(inquire(someWork({ open, queued: [queued(17, { payload })] }), lacksNothing).mostGas).toBe(30_000)
})

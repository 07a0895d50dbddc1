// Whether the count of an account is read for one transaction in flight, or what the last look knew still holds.
import { expect, test } from 'vitest'
import { sourceOfNonce } from '../../../src/chain/accounts/account-memory.ts'
import type { NewHashes } from '../../../src/chain/heads/new-hashes.ts'
import { address, hashOf } from '../../domain/some.ts'
import { inquiryOf } from '../network-under-test.ts'

/** Three seconds after the signature, at a head that is so many blocks above the one at which it was signed. */
function sourceAt(above: number, newHashes?: NewHashes) {
  const [signedAt, ms] = [1_000, 3_000]
  const attempts = [{ hash: hashOf(1), kind: 'execute' as const }]
  const live = [{ nonce: 0, attempts, unspentAt: { block: signedAt, ms: 0 } }]
  const count = { nonce: 0, readAt: { block: signedAt + above - 10, ms: 0 }, reorgs: 1 }
  const at = { block: signedAt + above, ms, begunAt: ms, newHashes, reorgs: 1, isDue: () => false }
  return sourceOfNonce(inquiryOf(address, { nonce: 'recent', live }), { shared: false, count }, at)
}

test('at the head at which it was signed it is not mined, and just above it its receipt would show that', () => {
  expect([sourceAt(0), sourceAt(1), sourceAt(15)]).toEqual(['known', 'receipts', 'receipts'])
})

test('a sequencer that takes back a minute may have mined it far below the head at which it was signed', () => {
  expect([sourceAt(-1), sourceAt(-300)]).toEqual(['count', 'count'])
  // One of the blocks below these may hold the transaction, though this one does not list it.
  expect(sourceAt(-300, { above: 699, blocks: [new Set()] })).toBe('count')
})

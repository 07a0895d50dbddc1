// What the answer about a bulk cancellation says of its counts.
import { expect, test } from 'vitest'
import type { BulkCancellation, BulkCounts } from '../../../src/domain/bulk-cancellation.ts'
import { noCounts } from '../../../src/domain/bulk-counts.ts'
import type { RelayerId } from '../../../src/domain/ids.ts'
import { explainBulk } from '../../../src/http/bulk-cancellations/present-bulk.ts'
import { now, someBulk } from '../../domain/some.ts'

function explained(counts: Partial<BulkCounts>): string | undefined {
  const part = { number: 1, relayerId: 'one' as RelayerId, state: 'written', already: 0, refused: [] } as const
  const bulk: BulkCancellation = {
    ...{ ...someBulk(), origin: 'request', filter: {}, pause: false, everyRelayer: false, requestedAt: now },
    parts: [{ ...part, counts: { ...noCounts, ...counts } }],
  }
  return explainBulk(bulk)[0]
}

test('one transaction stands in the singular, several in the plural', () => {
  expect(explained({ dropped: 1 })).toBe(
    '1 transaction is canceled: 1 was never sent, and 0 compete, or competed, for their nonces.',
  )
  expect(explained({ racing: 1 })).toBe(
    '1 transaction is canceled: 0 were never sent, and 1 competes, or competed, for its nonce.',
  )
  expect(explained({ dropped: 2, won: 3 })).toBe(
    '5 transactions are canceled: 2 were never sent, and 3 compete, or competed, for their nonces.',
  )
})

// The matches that a preview shows, over any rows: a bulk cancellation takes these, and nothing that was sent since.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { previewBulk } from '../../src/commands/bulk-cancellations/preview.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import type { BulkTerms } from '../../src/domain/bulk-cancellation.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { systemClock } from '../../src/ops/clock.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { now, someAttempt, someBulk, somePolicy, someReckoning } from '../domain/some.ts'
import { freshId, type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'
import { withValue } from './contract-bulk-objects.ts'

const keyId = 'key' as ApiKeyId
const requester = { keyId, operation: 'createBulkCancellation', requestId: 'r', address: '::1' }
const limit = 5n

function preview(store: Store, relayerId: RelayerId, terms: BulkTerms) {
  const context = { store, clock: { ...systemClock, now: () => now } } as unknown as CommandContext
  const market = someReckoning.priceOf()?.market
  const costingOf = () => ({ id: relayerId, symbol: 'ETH', profile: somePolicy.profile, market })
  return previewBulk(context, { reckoning: someReckoning, costingOf }, { terms, relayers: [relayerId] })
}

async function take(store: Store, relayerId: RelayerId, terms: BulkTerms): Promise<readonly TransactionId[]> {
  const { id } = someBulk()
  const head = { ...terms, id, origin: 'request', everyRelayer: false, requestedAt: now, requestedBy: keyId } as const
  const claim = { owner: keyId, key: id, digest: 'd' }
  await store.commit((session) => session.recordBulk({ head, relayers: [relayerId], requester, claim }))
  const stop = await store.commit(
    // A second later.
    (session) => session.takeBulk({ bulkId: id, relayerId }, now + 1_000, someReckoning),
    relayerId,
  )
  return stop?.taken.canceled ?? []
}

async function bind(session: Session, row: Transaction, nonce: number, isSent: boolean): Promise<Transaction> {
  const attempt = someAttempt(nonce, {
    transactionId: row.id,
    ...(!isSent && { broadcast: { state: 'held', reason: 'no connection' } as const }),
  })
  return session.saveTransaction(row, { ...row, lifecycle: { phase: 'inFlight', nonce, attempts: [attempt] } }, now)
}

const anyRow = fc.record({
  value: fc.bigInt(0n, 2n * limit),
  age: fc.constantFrom(-500, 0, 1_500, 60_000),
  shape: fc.constantFrom('queued', 'queued', 'sent', 'submitted'),
})

const anyTerms = fc.record({
  filter: fc.constantFrom<BulkTerms['filter']>(
    ...[{}, { valueTo: limit }, { olderThanMs: 1_000 }, { newerThanMs: 1_000 }],
    ...([{ statuses: ['pending', 'submitted'] }, { createdTo: now - 1_000 }, { nonceFrom: 1 }] as const),
  ),
  only: fc.option(fc.constant('free' as const), { nil: undefined, freq: 5 }),
})

export function bulkPreviewContract(open: OpenStore): void {
  test('whatever the rows: what a preview shows is canceled by its instant, and nothing that was sent since', async () => {
    await using under = await open()
    const { store } = under
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 9 }), anyTerms, async (rows, { filter, only }) => {
        const { id: relayerId } = await storedRelayer(store)
        await store.commit(async (session) => {
          for (const [nonce, { value, shape, age }] of rows.entries()) {
            const wanted = { ...withValue(value), id: freshId(), createdAt: now - age }
            const row = await sendWithin(session, relayerId, wanted)
            if (shape !== 'queued') await bind(session, row, nonce, shape === 'submitted')
          }
        }, relayerId)
        const terms: BulkTerms = { filter, pause: false, ...(only && { only }) }
        const shown = await preview(store, relayerId, terms)
        expect(shown.instant).toBe(now)
        const [part = expect.fail()] = shown.parts
        // A later send in the queue takes a nonce that else needs a gap filler: its cancellation is free then.
        if (!only) await send(store, relayerId, { ...withValue(0n), createdAt: now + 1 })
        const asOf = { createdTo: shown.instant, ...filter }
        const taken = await take(store, relayerId, { ...terms, filter: asOf })
        expect(taken).toHaveLength(part.matches)
        expect(part.free + part.noOps).toBe(part.matches)
        expect(part.sample).toHaveLength(Math.min(5, taken.length))
        for (const { id } of part.sample) expect(taken).toContain(id)
      }),
      { numRuns: 80 },
    )
  })
}

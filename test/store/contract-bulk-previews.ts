// Bulk cancellations that a preview bounds, over any rows and any changes since; and how long a preview stays.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOfOrder, previewIdOf, readParts } from '../../src/commands/bulk-cancellations/preview.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import type { BulkTerms } from '../../src/domain/bulk-cancellation.ts'
import { endedOf } from '../../src/domain/bulk-counts.ts'
import { matches } from '../../src/domain/bulk-filter.ts'
import type { BulkPreview, ShownPart } from '../../src/domain/bulk-preview.ts'
import { cancel } from '../../src/domain/cancel.ts'
import type { ApiKeyId, BulkId, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { isTakenByBulk } from '../../src/domain/refusals.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { systemClock } from '../../src/ops/clock.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { now, someAttempt, someBulk, somePolicy, someReckoning } from '../domain/some.ts'
import { freshId, type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'
import { withValue } from './contract-bulk-objects.ts'

const keyId = 'key' as ApiKeyId
const requester = { keyId, operation: 'createBulkCancellation', requestId: 'r', address: '::1' }
const limit = 5n

async function previewed(store: Store, relayerId: RelayerId, terms: BulkTerms, share: number): Promise<BulkPreview> {
  const clock = { ...systemClock, now: () => now }
  const context = { store, clock, bulks: { portion: share } } as unknown as CommandContext
  const costingOf = () => ({ id: relayerId, symbol: 'ETH', profile: somePolicy.profile, market: price?.market })
  const price = someReckoning.priceOf()
  const order = { terms, relayers: [relayerId] }
  const parts = await readParts(context, { reckoning: someReckoning, costingOf }, order)
  const preview = { id: previewIdOf(freshId()), keyId, digest: digestOfOrder(order), expiresAt: now + 1, parts }
  await store.commit((session) => session.recordPreview(preview))
  return preview
}

async function record(store: Store, relayerId: RelayerId, terms: BulkTerms, preview: string): Promise<BulkId> {
  const { id } = someBulk()
  const head = { ...terms, id, preview, origin: 'request', everyRelayer: false, requestedAt: now } as const
  const claim = { owner: keyId, key: id, digest: 'd' }
  await store.commit(async (session) => {
    await session.recordBulk({ head: { ...head, requestedBy: keyId }, relayers: [relayerId], requester, claim })
    expect(await session.claimPreview(preview, id, now)).toBe(true)
  })
  return id
}

async function takeAll(store: Store, bulkId: BulkId, relayerId: RelayerId, share: number): Promise<TransactionId[]> {
  const stop = await store.commit(
    (session) => session.takeBulk({ bulkId, relayerId }, now, someReckoning, share),
    relayerId,
  )
  const taken = [...(stop?.taken.canceled ?? [])]
  for (let isLast = !stop?.taken.isUnderWay; !isLast; ) {
    const next = await store.commit((session) => session.cancelPortion(relayerId, share), relayerId)
    taken.push(...next.canceled)
    isLast = next.isLast
  }
  return taken
}

type Change = 'none' | 'canceled' | 'matching' | 'not matching' | 'sent' | 'submitted' | 'queued'
const changes: readonly Change[] = [
  ...(['none', 'none', 'canceled', 'matching', 'not matching', 'sent', 'submitted', 'queued'] as const),
]
const anyRow = fc.record({
  value: fc.bigInt(0n, 2n * limit),
  shape: fc.constantFrom('queued', 'queued', 'sent', 'submitted'),
  change: fc.constantFrom(...changes),
})

async function bind(session: Session, row: Transaction, nonce: number, isSent: boolean): Promise<Transaction> {
  const attempt = someAttempt(nonce, {
    transactionId: row.id,
    ...(!isSent && { broadcast: { state: 'held', reason: 'no connection' } as const }),
  })
  return session.saveTransaction(row, { ...row, lifecycle: { phase: 'inFlight', nonce, attempts: [attempt] } }, now)
}

async function changed(session: Session, row: Transaction, change: Change, nonce: number): Promise<Transaction> {
  const save = (after: Transaction) => session.saveTransaction(row, after, now)
  const isQueued = row.lifecycle.phase === 'queued'
  const isUnsent = isQueued || row.lifecycle.phase === 'inFlight'
  if (change === 'canceled') return save(cancel(row, now))
  if (change === 'matching' || change === 'not matching')
    return save({
      ...row,
      payload: { ...row.payload, value: change === 'matching' ? 0n : 2n * limit },
      earlier: [...(row.earlier ?? []), row.payload],
    })
  if ((change === 'sent' || change === 'submitted') && isQueued)
    return bind(session, row, nonce, change === 'submitted')
  if (change === 'queued' && isUnsent) return save({ ...row, lifecycle: { phase: 'queued' } })
  return row
}

export function bulkPreviewContract(open: OpenStore): void {
  test('whatever the rows, and whatever changes: nothing is taken beyond the preview, at once or in portions', async () => {
    await using under = await open()
    const { store } = under
    const anyShare = fc.integer({ min: 1, max: 4 })
    const anyTerms = fc.record({
      filter: fc.constantFrom({}, { valueTo: limit }, { statuses: ['pending', 'submitted'] as const }),
      only: fc.option(fc.constant('free' as const), { nil: undefined, freq: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { maxLength: 9 }),
        anyTerms,
        anyShare,
        async (rows, { filter, only }, share) => {
          const { id: relayerId } = await storedRelayer(store)
          const terms: BulkTerms = { filter: filter as BulkTerms['filter'], pause: false, ...(only && { only }) }
          const before = await store.commit(async (session) => {
            const made: Transaction[] = []
            for (const [nonce, { value, shape }] of rows.entries()) {
              const row = await sendWithin(session, relayerId, { ...withValue(value), id: freshId() })
              made.push(shape === 'queued' ? row : await bind(session, row, nonce, shape === 'submitted'))
            }
            return made
          }, relayerId)
          const preview = await previewed(store, relayerId, terms, share)
          const [part] = preview.parts as readonly [ShownPart]
          const after = await store.commit(async (session) => {
            const made: Transaction[] = []
            for (const [index, row] of before.entries())
              made.push(await changed(session, row, rows[index]?.change ?? 'none', rows.length + index))
            return made
          }, relayerId)
          const later = await send(store, relayerId, withValue(0n))
          const bulkId = await record(store, relayerId, terms, preview.id)
          const taken = await takeAll(store, bulkId, relayerId, share)

          const couldMatch = before.filter((row) => isTakenByBulk(row) && matches(terms.filter, row, now, []))
          expect(couldMatch.length).toBeGreaterThanOrEqual(part.matches)
          for (const id of taken) expect(couldMatch.map((row) => row.id)).toContain(id)
          expect(taken).not.toContain(later.id)
          const made = (await store.reads.bulk(bulkId))?.parts[0] ?? expect.fail()
          const { counts } = made
          expect(counts.racing).toBeLessThanOrEqual(part.noOps)
          expect(counts.dropped + counts.racing).toBe(taken.length)
          const shares = await Promise.all(
            taken.map(async (id) => (await store.reads.transaction(relayerId, id))?.cancellation?.costMax ?? 0n),
          )
          expect(shares.reduce((sum, each) => sum + each, 0n)).toBeLessThanOrEqual(part.costMax ?? -1n)
          if (only === 'free') expect(counts.racing).toBe(0)
          const isUnchanged = after.every(({ version }, index) => version === before[index]?.version)
          if (isUnchanged) expect([taken.length, endedOf(made)]).toEqual([part.matches, 0])
          expect(made.shown).toMatchObject({ matches: part.matches, noOps: part.noOps })
        },
      ),
      { numRuns: 80 },
    )
  })

  test('a preview is used once, in time, and goes with its time or with its object', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    await send(store, relayerId)
    const terms = { filter: {}, pause: false }
    const [used, unused] = [await previewed(store, relayerId, terms, 9), await previewed(store, relayerId, terms, 9)]
    expect(await store.reads.bulkPreview(used.id)).toEqual({
      ...used,
      parts: used.parts.map(({ relayerId, sequences, matches, noOps, cost, costMax }) => ({
        ...{ relayerId, sequences, matches, noOps, cost, costMax },
      })),
    })
    const bulkId = await record(store, relayerId, terms, used.id)
    const claim = (id: string, at: number) => store.commit((session) => session.claimPreview(id, someBulk().id, at))
    expect(await claim(used.id, now)).toBe(false)
    expect(await claim(unused.id, now + 1)).toBe(false)
    await store.commit((session) => session.prunePreviews(now, 10))
    expect(await store.reads.bulkPreview(unused.id)).toBeDefined()
    await store.commit((session) => session.prunePreviews(now + 1, 10))
    expect(await store.reads.bulkPreview(unused.id)).toBe(undefined)
    expect(await takeAll(store, bulkId, relayerId, 9)).toHaveLength(1)
    // The sequences have served.
    expect((await store.reads.bulkPreview(used.id))?.parts[0]).toMatchObject({ sequences: [], matches: 1 })
    await record(store, relayerId, terms, (await previewed(store, relayerId, terms, 9)).id)
    await store.commit((session) => session.announceBulk(bulkId, now))
    await store.commit((session) => session.pruneBulks({ entriesMax: 9, since: now + 1 }, 10))
    expect(await store.reads.bulk(bulkId)).toBe(undefined)
    expect(await store.reads.bulkPreview(used.id)).toBe(undefined)
    const rows = await under.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM bulk_preview_parts WHERE preview_id = '${used.id}'`,
    )
    expect(Number(rows[0]?.count)).toBe(0)
  })
}

// Bulk cancellations as objects: what a filter takes, the counts beside the rows, and what a crash between the commits leaves.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BulkHead, BulkPart } from '../../src/domain/bulk-cancellation.ts'
import { countsOf, noCounts, sumOf } from '../../src/domain/bulk-counts.ts'
import { type BulkFilter, matches } from '../../src/domain/bulk-filter.ts'
import type { Hold } from '../../src/domain/hold.ts'
import type { Address, ApiKeyId, BulkId, Hex, NonEmpty, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { isTakenByBulk } from '../../src/domain/refusals.ts'
import { pendingStatuses, type Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { address, by, now, receiver, someAttempt, someBulk, someNoOp, someReckoning } from '../domain/some.ts'
import { freshId, type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'

const requester = { keyId: 'key' as ApiKeyId, operation: 'createBulkCancellation', requestId: 'r', address: '::1' }

/** Records an object over relayers, as the first commit of a request does. */
export async function record(
  store: Store,
  relayers: readonly RelayerId[],
  filter: BulkFilter,
  requestedAt = now,
): Promise<BulkId> {
  const { id } = someBulk()
  const head: BulkHead = {
    ...{ id, origin: 'request', filter, pause: false, everyRelayer: false, requestedAt },
    requestedBy: requester.keyId,
  }
  const claim = { owner: requester.keyId, key: id, digest: 'd' }
  expect(await store.commit((session) => session.recordBulk({ head, relayers, requester, claim }))).toBe(undefined)
  return id
}

export async function takeAll(store: Store, bulkId: BulkId, relayerId: RelayerId): Promise<readonly TransactionId[]> {
  const stop = await store.commit((session) => session.takeBulk({ bulkId, relayerId }, now, someReckoning), relayerId)
  return stop?.taken.canceled ?? []
}

async function partOf(store: Store, id: BulkId): Promise<BulkPart> {
  const part = (await store.reads.bulk(id))?.parts[0]
  if (!part) throw new Error('no part')
  return part
}

const minute = 60_000
const values = [0n, 9n, 10n, 99n, 10n ** 18n, 2n ** 255n]
const creation = '0x600160005500' as Hex
const datas: readonly Hex[] = ['0x', '0xa9059cbb', '0xa9059cbb00', '0xA9059c', '0xffffffff01'].map(
  (data) => data.toLowerCase() as Hex,
)

const anyRow = fc.record({
  to: fc.constantFrom<Address | undefined>(receiver, address, undefined),
  data: fc.constantFrom(...datas),
  value: fc.constantFrom(...values),
  age: fc.constantFrom(0, 1, minute - 1, minute, minute + 1, 10 * minute),
  tags: fc.subarray(['red', 'blue', 'b"l,u%e']),
  shape: fc.constantFrom('queued', 'queued', 'held', 'scheduled', 'sent', 'submitted', 'mined', 'racing'),
})

const anyFilter = fc.record(
  {
    to: fc.constantFrom(receiver, address),
    selector: fc.constantFrom<Hex>('0x', '0xa9059cbb', '0x60016000'),
    tags: fc.subarray(['red', 'b"l,u%e', 'green'], { minLength: 1 }).map((some) => some as unknown as NonEmpty<string>),
    statuses: fc.subarray([...pendingStatuses], { minLength: 1 }).map((some) => some as unknown as NonEmpty<'pending'>),
    createdTo: fc.constantFrom(now - minute, now - 1, now, now + minute),
    olderThanMs: fc.constantFrom(1, minute, 10 * minute),
    newerThanMs: fc.constantFrom(1, minute, 20 * minute),
    valueFrom: fc.constantFrom(...values),
    valueTo: fc.constantFrom(...values),
    nonceFrom: fc.integer({ min: 0, max: 4 }),
    nonceTo: fc.integer({ min: 0, max: 8 }),
    firstIds: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: [] },
)

export function bulkObjectContract(open: OpenStore): void {
  test('takes exactly what the filter of the domain matches, and counts it', async () => {
    await using under = await open()
    const { store } = under
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 9 }), anyFilter, async (rows, given) => {
        const { firstIds, ...rest } = given
        const { id: relayerId } = await storedRelayer(store)
        const before = await store.commit(async (session) => {
          const made: Transaction[] = []
          for (const [nonce, row] of rows.entries()) made.push(await stored(session, relayerId, row, nonce))
          return made
        }, relayerId)
        const ids = before.slice(0, firstIds).map((each) => each.id)
        const [first, ...others] = ids
        const filter: BulkFilter = { ...rest, ...(firstIds !== undefined && first && { ids: [first, ...others] }) }
        const bulkId = await record(store, [relayerId], filter)
        const taken = await takeAll(store, bulkId, relayerId)

        const isMatch = (each: Transaction, index: number) => matches(filter, each, now, rows[index]?.tags ?? [])
        const wanted = before.filter((each, index) => isTakenByBulk(each) && isMatch(each, index))
        expect([...taken].sort()).toEqual(wanted.map(({ id }) => id).sort())
        const after = await Promise.all(before.map(({ id }) => store.reads.transaction(relayerId, id)))
        const left = after.filter((each, index) => each?.version === before[index]?.version)
        expect(left).toHaveLength(before.length - wanted.length)
        const part = await partOf(store, bulkId)
        const members = after.filter((each) => each?.bulkPart === part.number).filter((each) => each !== undefined)
        expect(members.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort())
        expect(part).toMatchObject({ state: 'written', instant: now, counts: sumOf(members.map(countsOf)) })
        expect(part.already).toBe(
          before.filter((each, index) => rows[index]?.shape === 'racing' && isMatch(each, index)).length,
        )
        expect(part.finalAt).toBe(part.counts.unsettled === 0 ? now : undefined)
        const listed = await store.reads.bulkTransactions([part.number], { page: 1, perPage: 100 })
        expect(listed.total).toBe(wanted.length)
        const shown = await Promise.all(listed.items.map((item) => item.read()))
        expect(shown.map((each) => each?.id)).toEqual(
          wanted.toSorted((one, other) => one.sequence - other.sequence).map(({ id }) => id),
        )
      }),
      { numRuns: 80 },
    )
  })

  test('a part that stops later than the request judges ages at its own instant', async () => {
    await using under = await open()
    const { store } = under
    const takenBy = async (filter: BulkFilter) => {
      const { id: relayerId } = await storedRelayer(store)
      const ages = [minute / 2, minute, 2 * minute]
      const sent = await Promise.all(ages.map((age) => send(store, relayerId, { createdAt: now - age })))
      const taken = await takeAll(store, await record(store, [relayerId], filter, now - minute), relayerId)
      return sent.map(({ id }) => taken.includes(id))
    }
    expect(await takenBy({ olderThanMs: minute })).toEqual([false, true, true])
    expect(await takenBy({ newerThanMs: minute })).toEqual([true, false, false])
    expect(await takenBy({})).toEqual([true, true, true])
  })

  test('a part that waits is found by the next process, and is stopped once', async () => {
    await using under = await open()
    const { store } = under
    const [one, two] = [await storedRelayer(store), await storedRelayer(store)]
    await send(store, one.id)
    const bulkId = await record(store, [one.id, two.id], {})
    const waiting = [
      { bulkId, relayerId: one.id, pause: false },
      { bulkId, relayerId: two.id, pause: false },
    ]
    expect(await store.reads.waitingBulkParts(10)).toMatchObject(waiting)
    expect(await takeAll(store, bulkId, one.id)).toHaveLength(1)
    expect(await store.reads.waitingBulkParts(10)).toMatchObject(waiting.slice(1))
    const after = await send(store, one.id)
    expect(await takeAll(store, bulkId, one.id)).toEqual([])
    expect((await store.reads.transaction(one.id, after.id))?.cancellation).toBe(undefined)
    await store.commit((session) => session.removeRelayer(two.id, now))
    expect(await takeAll(store, bulkId, two.id)).toEqual([])
    expect(await store.reads.waitingBulkParts(10)).toEqual([])
    expect((await store.reads.bulk(bulkId))?.parts.map(({ state, instant }) => [state, instant])).toEqual([
      ['written', now],
      ['written', undefined],
    ])
  })

  test('the counts follow each verdict, also through a reorganization, and outlast the rows', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    const id = freshId()
    const sent = someAttempt(0, { transactionId: id })
    const noOp = someNoOp(0, { transactionId: id })
    const racing = { phase: 'inFlight', nonce: 0, attempts: [sent, noOp] } as const
    const save = (change: Partial<Transaction>, at = now) =>
      store.commit(async (session) => {
        const before = await session.transaction(relayerId, id)
        if (!before) throw new Error('it is gone')
        await session.saveTransaction(before, { ...before, ...change }, at)
      }, relayerId)
    await send(store, relayerId, { id })
    await send(store, relayerId)
    await save({ lifecycle: { phase: 'inFlight', nonce: 0, attempts: [sent] } })
    const bulkId = await record(store, [relayerId], {})
    await takeAll(store, bulkId, relayerId)
    const counts = async () => (await partOf(store, bulkId)).counts
    const beforeEnd = { ...noCounts, dropped: 1, safe: 1, unsettled: 1 }
    expect(await counts()).toEqual({ ...beforeEnd, racing: 1 })
    await save({ lifecycle: { ...racing, phase: 'mined', inclusion: by(sent) } })
    expect(await counts()).toEqual({ ...beforeEnd, lost: 1 })
    await save({ lifecycle: racing })
    expect(await counts()).toEqual({ ...beforeEnd, racing: 1 })
    const inclusion = { ...by(noOp), gasUsed: 21_000, effectiveGasPrice: 5_000_000_001n }
    await save({ lifecycle: { ...racing, phase: 'mined', inclusion } })
    const cost = 21_000n * 5_000_000_001n
    expect(await counts()).toEqual({ ...beforeEnd, won: 1, cost })
    expect((await partOf(store, bulkId)).finalAt).toBe(undefined)
    await save({ lifecycle: { ...racing, phase: 'final', inclusion, finalAt: now + 7, witnesses: 1 } }, now + 7)
    const final = { ...noCounts, dropped: 1, won: 1, safe: 2, cost }
    expect(await partOf(store, bulkId)).toMatchObject({ counts: final, finalAt: now + 7 })
    expect((await store.reads.bulks({ page: 1, perPage: 10 }, [relayerId])).items).toHaveLength(1)
    expect((await store.reads.bulks({ page: 1, perPage: 10 }, ['nobody' as RelayerId])).total).toBe(0)
    expect(await store.reads.bulk(bulkId, ['nobody' as RelayerId])).toBe(undefined)
    const rows = await store.reads.bulkTransactions([(await partOf(store, bulkId)).number], { page: 1, perPage: 10 })
    const ended = (await Promise.all(rows.items.map((item) => item.read()))).flatMap((each) => each?.id ?? [])
    expect(await store.commit((session) => session.removeEnded(relayerId, ended), relayerId)).not.toEqual([])
    expect((await partOf(store, bulkId)).counts).toEqual(final)
  })

  test('an old one is removed once it is final and beyond a limit, and one that waits stays', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    const ended = await record(store, [relayerId], {})
    await takeAll(store, ended, relayerId)
    const waiting = await record(store, [relayerId], {})
    const isThere = async (id: BulkId) => (await store.reads.bulk(id)) !== undefined
    const prune = (keep: { entriesMax: number; since: number }) =>
      store.commit((session) => session.pruneBulks({ ...keep, emptySince: 0 }, 100))
    await prune({ entriesMax: 100_000, since: now })
    expect([await isThere(ended), await isThere(waiting)]).toEqual([true, true])
    await prune({ entriesMax: 100_000, since: now + 1 })
    // Its last event is to come.
    expect([await isThere(ended), await isThere(waiting)]).toEqual([true, true])
    await store.commit((session) => session.announceBulk(ended, now))
    await prune({ entriesMax: 100_000, since: now + 1 })
    expect([await isThere(ended), await isThere(waiting)]).toEqual([false, true])
  })

  test('an idempotency key is claimed by one of two objects', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    const claim = { owner: requester.keyId, key: freshId(), digest: 'd' }
    const one = (id: BulkId) => {
      const terms = { filter: {}, pause: false, everyRelayer: false, requestedAt: now, requestedBy: requester.keyId }
      const head = { ...terms, id, origin: 'request' } as const
      return store.commit((session) => session.recordBulk({ head, relayers: [relayerId], requester, claim }))
    }
    const ids = [someBulk().id, someBulk().id]
    const results = await Promise.all(ids.map(one))
    const [winner] = ids.filter((_, index) => results[index] === undefined)
    expect(results.filter((result) => result !== undefined)).toEqual([{ id: winner, digest: 'd' }])
    expect(await store.reads.bulkOfKey(claim.owner, claim.key)).toEqual({ id: winner, digest: 'd' })
    const parts = await under.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM bulk_parts WHERE relayer_id = '${relayerId}'`,
    )
    expect(Number(parts[0]?.count)).toBe(1)
  })
}

export const withValue = (value: bigint): Partial<Transaction> => ({
  payload: { from: address, to: receiver, value, data: '0x', pricing: { kind: 'speed', speed: 'fast' } },
})

interface Row {
  readonly to: Address | undefined
  readonly data: Hex
  readonly value: bigint
  readonly age: number
  readonly tags: readonly string[]
  readonly shape: 'queued' | 'held' | 'scheduled' | 'sent' | 'submitted' | 'mined' | 'racing'
}

async function stored(
  session: Parameters<typeof sendWithin>[0],
  relayerId: RelayerId,
  { to, data, value, age, tags, shape }: Row,
  nonce: number,
): Promise<Transaction> {
  const id = freshId()
  const payload = {
    ...{ from: address, value, data: to ? data : creation, pricing: { kind: 'speed', speed: 'fast' } as const },
    ...(to && { to }),
  }
  const hold: Hold =
    shape === 'scheduled' ? { rule: 'not_before', since: now - age, until: now + minute } : { rule: 'hold', since: now }
  const isHeld = shape === 'held' || shape === 'scheduled'
  const sending = { id, payload, createdAt: now - age, ...(isHeld && { lifecycle: { phase: 'held', hold } as const }) }
  const queued = await sendWithin(session, relayerId, sending)
  const [tag, ...others] = tags
  if (tag !== undefined) await session.insertLabels(queued, { tags: [tag, ...others] })
  if (shape === 'queued' || isHeld) return queued
  const attempt = someAttempt(nonce, {
    transactionId: id,
    ...(shape === 'sent' && { broadcast: { state: 'held', reason: 'no connection' } as const }),
  })
  const flying = { phase: 'inFlight', nonce, attempts: [attempt] } as const
  const sent = await session.saveTransaction(queued, { ...queued, lifecycle: flying }, now)
  if (shape === 'racing') {
    const cancellation = { origin: 'request', requestedAt: now - 1 } as const
    return session.saveTransaction(sent, { ...sent, cancellation }, now)
  }
  if (shape !== 'mined') return sent
  return session.saveTransaction(
    sent,
    { ...sent, lifecycle: { ...flying, phase: 'mined', inclusion: by(attempt) } },
    now,
  )
}

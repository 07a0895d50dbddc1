// Bulk cancellation equals canceling each one alone: the same rows, counts and events, but for the order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withHold } from '../../src/domain/begin-hold.ts'
import type { TakenInBulk } from '../../src/domain/bulk-cancellation.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { fillGap } from '../../src/domain/decide/apply.ts'
import { suspect } from '../../src/domain/decide/lost-history/lost-cancellation.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { LostNoOp } from '../../src/domain/observation.ts'
import { type cancelRefusals, isTakenByBulk, refusalOfCancel } from '../../src/domain/refusals.ts'
import { statusOf, type Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import {
  address,
  blockHash,
  broadcastStates,
  by,
  byForeign,
  canceled,
  hashOf,
  now,
  someAttempt,
  someBulk,
  someHold,
  someNoOp,
} from '../domain/some.ts'
import { freshId, type OpenStore, type StoreUnderTest, send, sendWithin, storedRelayer } from './contract.ts'

/** Shapes that a relayer's work has when a bulk cancellation meets it. */
const shapes = [
  'queued',
  'onHold',
  'requeued',
  'suspected',
  'sending',
  'held',
  'refused',
  'accepted',
  'bumped',
  'racing',
  'minedByUs',
  'minedByForeign',
  'minedByNoOp',
  'confirmed',
  'dropped',
  'expired',
] as const
type Shape = (typeof shapes)[number]

/** For each status that a cancel refuses, a transaction that has it. */
const refusedShapes: Readonly<Record<keyof typeof cancelRefusals, Shape>> = {
  mined: 'minedByUs',
  confirmed: 'confirmed',
  failed: 'dropped',
  expired: 'expired',
}

export function bulkContract(open: OpenStore): void {
  test('of any mix of states', async () => {
    await using under = await open()
    const { store } = under
    const anyMix = fc.array(fc.constantFrom(...shapes), { maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(anyMix, async (mix) => {
        const [bulk, single] = [await storedRelayer(store), await storedRelayer(store)]
        const ids = await fill(under, bulk.id, mix)
        const twins = await fill(under, single.id, mix)
        const result = await cancelAll(store, bulk.id)
        for (const id of twins) {
          await store.commit(async (session) => {
            const before = await session.transaction(single.id, id)
            if (before && isTakenByBulk(before)) {
              await session.saveTransaction(before, cancel(before, now), now)
            }
          })
        }
        expect(await reported(under, bulk.id, ids)).toEqual(await reported(under, single.id, twins))
        expect(await store.reads.counts(bulk.id)).toEqual(await store.reads.counts(single.id))
        const pending = ids.filter((_, index) => isPending(mix[index]))
        expect([...result.canceled].sort()).toEqual([...pending].sort())
        expect(result.failed).toEqual([])
        const racing = mix.filter((shape) =>
          ['sending', 'refused', 'accepted', 'bumped', 'minedByForeign'].includes(shape),
        )
        expect(result.racing).toBe(racing.length)
      }),
      { numRuns: 60 },
    )
  })

  for (const [status, shape] of Object.entries(refusedShapes)) {
    test(`what a cancel refuses as ${status} is taken by no bulk`, async () => {
      await using under = await open()
      const { store } = under
      const { id: relayerId } = await storedRelayer(store)
      const [refused, ...others] = await fill(under, relayerId, [shape, 'queued', 'accepted'])
      if (!refused) throw new Error('nothing was filled')
      const before = await store.reads.transaction(relayerId, refused)
      expect(before && statusOf(before)).toBe(status)
      expect(before && refusalOfCancel(before)).toBeDefined()
      const result = await cancelAll(store, relayerId)
      expect(result.failed).toEqual([])
      expect([...result.canceled].sort()).toEqual([...others].sort())
      expect(await store.reads.transaction(relayerId, refused)).toEqual(before)
    })
  }

  test('takes exactly the transactions that isTakenByBulk names, whatever their shape', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    const ids = await fill(under, relayerId, shapes)
    const rows = await Promise.all(ids.map((id) => store.reads.transaction(relayerId, id)))
    const taken = rows.flatMap((row) => (row && isTakenByBulk(row) ? [row.id] : []))
    const { canceled: took, failed } = await cancelAll(store, relayerId)
    expect(failed).toEqual([])
    expect([...took].sort()).toEqual(taken.toSorted())
    expect(taken.length).toBeGreaterThan(5)
  })

  test('lowest nonce first, then the queue in its order', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const ids = await fill(under, relayer.id, ['queued', 'accepted', 'queued', 'held', 'accepted', 'queued'])
    const { canceled: inOrder } = await store.commit((session) => session.cancelPending(relayer.id, now, someBulk()))
    expect(inOrder.map((id) => ids.indexOf(id))).toEqual([1, 3, 4, 0, 2, 5])
  })

  test('a queue of more rows than a statement takes is canceled whole, and in its order', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const count = 2_001
    const sent = await store.commit(async (session) => {
      const ids: TransactionId[] = []
      for (let each = 0; each < count; each += 1) ids.push((await sendWithin(session, id)).id)
      return ids
    }, id)
    const { canceled } = await store.commit((session) => session.cancelPending(id, now, someBulk()), id)
    expect(canceled).toEqual(sent)
    expect(await store.reads.counts(id)).toMatchObject({ pending: 0, canceled: count })
    const events = await under.query<{ id: string }>('SELECT transaction_id AS id FROM outbox ORDER BY outbox.id')
    expect(events.map((event) => event.id)).toEqual(sent)
  })

  test('as of one instant: sends before it in the same commit are covered, later ones are not', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const before = [send(store, relayer.id), send(store, relayer.id)]
    const bulk = store.commit((session) => session.cancelPending(relayer.id, now, someBulk()), relayer.id)
    const after = [send(store, relayer.id), send(store, relayer.id)]
    const covered = (await Promise.all(before)).map(({ id }) => id)
    const spared = (await Promise.all(after)).map(({ id }) => id)
    expect((await bulk).canceled).toEqual(covered)
    const left = await store.reads.transactions(relayer.id, { status: 'pending' }, { page: 1, perPage: 10 })
    expect(left.items.map(({ id }) => id).reverse()).toEqual(spared)
  })

  test('the relayer’s own gap filler is not taken back: no client sent it', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const [before] = await fill(under, relayer.id, ['accepted'])
    const attempt = someAttempt(1, { transactionId: freshId() })
    await store.commit(async (session) => {
      const next = await session.reserveSequence(relayer.id)
      if (!next) throw new Error('no relayer')
      const at = { id: attempt.transactionId, sequence: next.sequence, nonce: 1, now }
      await session.insertTransaction(fillGap(next.relayer, at, attempt))
    })
    const result = await store.commit((session) => session.cancelPending(relayer.id, now, someBulk()))
    expect(result).toEqual({ bulkId: expect.any(String), canceled: [before], failed: [], racing: 1 })
    expect(await store.reads.transaction(relayer.id, attempt.transactionId)).not.toHaveProperty('cancellation')
  })

  test('one that races within a bound loses the bound, and is no part of the result', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const [racing, other] = await fill(under, relayer.id, ['accepted', 'accepted'])
    const bound = (id: TransactionId | undefined, costMax: bigint) =>
      store.commit(async (session) => {
        const before = id && (await session.transaction(relayer.id, id))
        if (!before) throw new Error('it is gone')
        await session.saveTransaction(before, cancel(before, now, 'request', costMax), now)
      })
    const stored = async () =>
      (await Promise.all([racing, other].map((id) => id && store.reads.transaction(relayer.id, id)))).map(
        (each) => each?.cancellation,
      )
    // Beyond 64 bits.
    await bound(racing, 10n ** 30n)
    expect(await stored()).toEqual([{ origin: 'request', requestedAt: now, costMax: 10n ** 30n }, undefined])
    await bound(racing, 7n)
    expect(await stored()).toEqual([{ origin: 'request', requestedAt: now, costMax: 7n }, undefined])
    const counts = await store.reads.counts(relayer.id)
    const events = () => under.query(`SELECT id FROM outbox WHERE transaction_id = '${racing}'`)
    const before = await events()
    const result = await store.commit((session) => session.cancelPending(relayer.id, now + 1, someBulk()))
    expect(result).toMatchObject({ canceled: [other], failed: [], racing: 1, rebounded: 1 })
    expect(await stored()).toEqual([
      { origin: 'request', requestedAt: now },
      { origin: 'request', requestedAt: now + 1 },
    ])
    expect(await events()).toEqual(before)
    expect((await store.reads.counts(relayer.id)).canceled).toBe(counts.canceled + 1)
    // Nothing is left to lift.
    expect(await store.commit((session) => session.cancelPending(relayer.id, now + 2, someBulk()))).toEqual({
      ...{ canceled: [], failed: [], racing: 0 },
    })
  })

  test('a neighbour’s transactions stay, and a second time there is nothing left', async () => {
    await using under = await open()
    const { store } = under
    const [relayer, other] = [await storedRelayer(store), await storedRelayer(store)]
    await fill(under, relayer.id, ['queued', 'accepted'])
    await fill(under, other.id, ['queued', 'accepted'])
    const rows = await under.query(`SELECT * FROM transactions WHERE relayer_id = '${other.id}'`)
    const bulk = () => store.commit((session) => session.cancelPending(relayer.id, now, someBulk()))
    expect((await bulk()).canceled).toHaveLength(2)
    expect(await bulk()).toEqual({ canceled: [], failed: [], racing: 0 })
    expect(await under.query(`SELECT * FROM transactions WHERE relayer_id = '${other.id}'`)).toEqual(rows)
  })
}

function cancelAll(store: Store, relayerId: RelayerId): Promise<TakenInBulk> {
  return store.commit((session) => session.cancelPending(relayerId, now, someBulk()))
}

function isPending(shape: Shape | undefined): boolean {
  return (
    shape !== undefined && !['racing', 'minedByUs', 'minedByNoOp', 'confirmed', 'dropped', 'expired'].includes(shape)
  )
}

/** Nonces follow the order of the list. */
async function fill(under: StoreUnderTest, relayerId: RelayerId, mix: readonly Shape[]): Promise<TransactionId[]> {
  return under.store.commit(async (session) => {
    const ids: TransactionId[] = []
    for (const [nonce, shape] of mix.entries()) {
      const id = freshId()
      ids.push(id)
      let latest = await sendWithin(session, relayerId, { id })
      for (const after of steps(latest, shape, nonce)) {
        latest = await session.saveTransaction(latest, { ...after, version: latest.version }, now - 1)
      }
    }
    return ids
  })
}

function steps(transaction: Transaction, shape: Shape, nonce: number): Transaction[] {
  const transactionId = transaction.id
  const own = (changes: Parameters<typeof someAttempt>[1] = {}) => someAttempt(nonce, { transactionId, ...changes })
  const accepted = own()
  const flying: Transaction = { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts: [accepted] } }
  const alone = (broadcast: (typeof broadcastStates)['held' | 'refused' | 'sending']): Transaction[] => [
    { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts: [own({ broadcast })] } },
  ]
  const foreign: Transaction = {
    ...transaction,
    lifecycle: { phase: 'mined', nonce, attempts: [accepted], inclusion: byForeign() },
  }
  const mined: Transaction = {
    ...transaction,
    lifecycle: { phase: 'mined', nonce, attempts: [accepted], inclusion: by(accepted) },
  }
  const noOp = someNoOp(nonce, { transactionId })
  const raced = { phase: 'inFlight', nonce, attempts: [accepted, noOp] } as const
  switch (shape) {
    case 'queued':
      return []
    case 'onHold':
      return [withHold(transaction, someHold, now)]
    case 'requeued':
      return [flying, foreign, { ...transaction, lifecycle: { phase: 'queued' } }]
    case 'suspected':
      return [suspect({ transaction, noOp: lostNoOp(nonce) }, now)]
    case 'sending':
    case 'held':
    case 'refused':
      return alone(broadcastStates[shape])
    case 'accepted':
      return [flying]
    case 'bumped': {
      const held = own({ broadcast: broadcastStates.held })
      return [flying, { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts: [accepted, held] } }]
    }
    case 'racing':
      return [flying, { ...transaction, ...canceled, lifecycle: raced }]
    case 'minedByUs':
      return [flying, mined]
    case 'minedByForeign':
      return [flying, foreign]
    case 'minedByNoOp':
      return [
        flying,
        { ...transaction, ...canceled, lifecycle: raced },
        { ...transaction, ...canceled, lifecycle: { ...raced, phase: 'mined', inclusion: by(noOp) } },
      ]
    case 'confirmed':
      return [
        flying,
        mined,
        {
          ...transaction,
          lifecycle: {
            phase: 'final',
            nonce,
            attempts: [accepted],
            inclusion: by(accepted),
            finalAt: now,
            witnesses: 1,
          },
        },
      ]
    case 'dropped':
      return [{ ...transaction, lifecycle: { phase: 'dropped', reason: 'refused', droppedAt: now } }]
    case 'expired':
      return [
        {
          ...transaction,
          cancellation: { origin: 'expiry', requestedAt: now },
          lifecycle: { phase: 'dropped', reason: 'expired', droppedAt: now },
        },
      ]
  }
}

function lostNoOp(nonce: number): LostNoOp {
  const { hash, raw, signature, fees } = someNoOp(nonce, { hash: hashOf(0xf00 + nonce) })
  const signed = { to: address, value: 0n, data: '0x' as const, gasLimit: 21_000, raw, signature, fees }
  return { nonce, hash, block: { number: 1, hash: blockHash(1) }, minedAt: now, signed }
}

/** Rows, attempts and events of each, without its own ids, hashes and raw bytes. */
async function reported(under: StoreUnderTest, relayerId: RelayerId, ids: readonly TransactionId[]) {
  const columns = `sequence, version, phase, open, status, status_reason, wait_condition, wait_facts, nonce, canceled_at, cancel_origin, cancel_cost_max, verdict, ended_at, hold, held_until,
    drop_reason, included_kind`
  return Promise.all(
    ids.map(async (id) => ({
      row: await under.query(`SELECT ${columns} FROM transactions WHERE id = '${id}' AND relayer_id = '${relayerId}'`),
      attempts: (await under.store.reads.attempts(id)).map(({ nonce, kind, broadcast }) => ({
        nonce,
        kind,
        broadcast,
      })),
      events: await under.query(
        `SELECT status, status_reason, terminal, occurred_at FROM outbox WHERE transaction_id = '${id}' ORDER BY id`,
      ),
    })),
  )
}

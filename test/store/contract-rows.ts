// Written rows are read unchanged, no write goes over a newer one, and no attempt is ever overwritten or lost.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import { StaleWrite } from '../../src/domain/errors.ts'
import { isTerminal, type Transaction } from '../../src/domain/transaction.ts'
import { withWait } from '../../src/domain/wait.ts'
import { presentEvent } from '../../src/http/events/present-event.ts'
import { presentTime } from '../../src/http/response/present-values.ts'
import { anyLifecycle, anyTransaction } from '../domain/any.ts'
import { answered, broadcastStates, by, byForeign, now, someAttempt, transactionEvents } from '../domain/some.ts'
import { someReasons } from '../domain/some-reasons.ts'
import { freshId, type OpenStore, send, storedRelayer } from './contract.ts'

export function rowContract(open: OpenStore): void {
  test('any transaction in any phase is read as it was inserted', async () => {
    await using under = await open()
    const { store } = under
    const anyOne = fc.constant(0).chain(() => anyTransaction('r' as never, freshId(), 1))
    await fc.assert(
      fc.asyncProperty(anyOne, async (drawn) => {
        const relayer = await storedRelayer(store)
        const transaction = withIds(drawn, { id: freshId(), relayerId: relayer.id })
        await store.commit((session) => session.insertTransaction(transaction))
        expect(await store.reads.transaction(relayer.id, transaction.id)).toStrictEqual(transaction)
        if ('nonce' in transaction.lifecycle) {
          const byNonce = await store.reads.transactionByNonce(relayer.id, transaction.lifecycle.nonce)
          expect(byNonce).toStrictEqual(transaction)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('any progress is read as it was saved, one version on', async () => {
    await using under = await open()
    const { store } = under
    const id = freshId()
    await fc.assert(
      fc.asyncProperty(anyTransaction('r' as never, id, 1), anyLifecycle(id), async (drawn, lifecycle) => {
        const relayer = await storedRelayer(store)
        const ids = { id: freshId(), relayerId: relayer.id }
        const before = withIds({ ...drawn, lifecycle: { phase: 'queued' } }, ids)
        await store.commit((session) => session.insertTransaction(before))
        const { cancellation: _, statusReason: __, wait, ...rest } = before
        // What ends in the queue was on its way to no node by that.
        const sent = lifecycle.phase === 'dropped' ? {} : { sentAt: now }
        // What ends in the queue waits for nothing.
        const waits = lifecycle.phase === 'dropped' || !wait ? {} : { wait }
        const after = withIds({ ...rest, ...sent, ...waits, statusReason: 'moved', lifecycle }, ids)
        const saved = await store.commit((session) => session.saveTransaction(before, after, now))
        expect(saved).toStrictEqual({ ...after, version: before.version + 1 })
        expect(await store.reads.transaction(relayer.id, before.id)).toStrictEqual(saved)
      }),
      { numRuns: 150 },
    )
  })

  test('a save over a newer version is refused, and leaves row, attempts and events as they were', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const before = await send(store, relayer.id)
    const first = bound(before, 0)
    await store.commit((session) => session.saveTransaction(before, first, now))
    const rows = await everything(under)
    const stale = store.commit((session) => session.saveTransaction(before, bound(before, 7), now))
    await expect(stale).rejects.toThrow(StaleWrite)
    expect(await everything(under)).toEqual(rows)
  })

  test('an ended transaction is never written again', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    for (const end of ['dropped', 'final'] as const) {
      const before = await send(store, relayer.id)
      const attempt = someAttempt(3, { transactionId: before.id })
      const ended: Transaction = {
        ...before,
        lifecycle:
          end === 'dropped'
            ? { phase: 'dropped', reason: 'refused', droppedAt: now }
            : { phase: 'final', nonce: 3, attempts: [attempt], inclusion: by(attempt), finalAt: now, witnesses: 1 },
      }
      const saved = await store.commit((session) => session.saveTransaction(before, ended, now))
      expect(isTerminal(saved)).toBe(true)
      const rows = await everything(under)
      const again = store.commit((session) => session.saveTransaction(saved, { ...saved, statusReason: 'no' }, now))
      await expect(again).rejects.toThrow(StaleWrite)
      expect(await everything(under)).toEqual(rows)
    }
  })

  test('when it was confirmed is kept until its block is taken back, and each event shows it', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    let latest = await send(store, relayer.id)
    const save = async (after: Transaction, at: number) => {
      const before = latest
      latest = await store.commit((session) => session.saveTransaction(before, after, at))
      expect(await store.reads.transaction(relayer.id, latest.id)).toStrictEqual(latest)
    }
    const attempt = someAttempt(0, { transactionId: latest.id })
    const flying = { phase: 'inFlight', nonce: 0, attempts: [attempt] } as const
    const included = { ...flying, phase: 'mined', inclusion: by(attempt) } as const
    await save({ ...latest, lifecycle: included }, now)
    await save({ ...latest, lifecycle: { ...included, confirmedAt: now + 1 } }, now + 1)
    expect(await store.reads.work(relayer.id)).toMatchObject({
      open: [],
      confirmedNotFinal: { unreportedSince: now + 1 },
    })
    expect(await store.reads.counts(relayer.id)).toMatchObject({ confirmed: 1, mined: 0 })
    await save({ ...latest, lifecycle: flying }, now + 2)
    await save({ ...latest, lifecycle: included }, now + 3)
    await save({ ...latest, lifecycle: { ...included, confirmedAt: now + 4 } }, now + 4)
    await save(
      { ...latest, lifecycle: { ...included, phase: 'final', confirmedAt: now + 4, finalAt: now + 5, witnesses: 2 } },
      now + 5,
    )

    const { events } = await store.reads.events(0, 100, () => true)
    expect(
      transactionEvents(events).map(({ kind, status, terminal, confirmedAt }) => [kind, status, terminal, confirmedAt]),
    ).toEqual([
      ['update', 'mined', false, undefined],
      ['update', 'confirmed', false, now + 1],
      ['update', 'submitted', false, undefined],
      ['alarm', 'submitted', false, undefined],
      ['update', 'mined', false, undefined],
      ['update', 'confirmed', false, now + 4],
      ['update', 'confirmed', true, undefined],
    ])
    expect(
      events
        .map(presentEvent)
        .map(({ event, payload }) => [event, 'confirmed_at' in payload ? payload.confirmed_at : undefined]),
    ).toEqual([
      ['transaction_update', undefined],
      ['transaction_update', presentTime(now + 1)],
      ['transaction_update', undefined],
      ['transaction_alarm', undefined],
      ['transaction_update', undefined],
      ['transaction_update', presentTime(now + 4)],
      ['transaction_update', presentTime(now + 4)],
    ])
  })

  test('an attempt is never overwritten by another, nor its bytes by a later save', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const before = await send(store, relayer.id)
    const flying = await store.commit((session) => session.saveTransaction(before, bound(before, 0), now))
    const rows = await everything(under)
    const overwritten = store.commit((session) => session.saveTransaction(flying, bound(flying, 0), now))
    await expect(overwritten).rejects.toThrow('overwritten')
    expect(await everything(under)).toEqual(rows)
  })

  test('every attempt of every nonce stays, oldest first, after the nonce went to a foreign transaction', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    let latest = await send(store, relayer.id)
    const save = async (after: Transaction) => {
      const before = latest
      latest = await store.commit((session) => session.saveTransaction(before, after, now))
    }
    const [first, second, third] = [0, 0, 1].map((nonce, order) =>
      someAttempt(nonce, { transactionId: latest.id, recordedAt: now + order }),
    )
    if (!first || !second || !third) throw new Error('three')
    await save({ ...latest, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [first] } })
    await save({ ...latest, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [first, second] } })
    const inclusion = byForeign()
    await save({ ...latest, lifecycle: { phase: 'mined', nonce: 0, attempts: [first, second], inclusion } })
    await save({ ...latest, lifecycle: { phase: 'queued' } })
    await save({ ...latest, lifecycle: { phase: 'inFlight', nonce: 1, attempts: [third] } })
    expect(await store.reads.attempts(latest.id)).toStrictEqual([first, second, third].map(unsigned))
    expect(await store.reads.transaction(relayer.id, latest.id)).toStrictEqual(latest)
  })

  test('words of a node or a contract are kept without U+0000, which not every database can hold', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const rejected = { kind: 'rejected', code: 'invalid', message: 'bad\0 bytes\0' } as const
    for (const broadcast of [
      answered(rejected),
      answered({ kind: 'unknown', message: '\0garbage' }),
      { state: 'held', reason: '\0' } as const,
    ]) {
      const before = await send(store, relayer.id)
      const flying = { ...bound(before, before.sequence, { broadcast }), statusReason: 'the node\0 said so' }
      const saved = await store.commit((session) => session.saveTransaction(before, flying, now))
      const attempt = 'attempts' in saved.lifecycle ? saved.lifecycle.attempts[0] : undefined
      if (!attempt) throw new Error('no attempt')
      const inclusion = { ...by(attempt, 1, false), revertReason: 'not\0 today' } as const
      const lifecycle = { phase: 'mined', nonce: before.sequence, attempts: [attempt], inclusion } as const
      await store.commit((session) => session.saveTransaction(saved, { ...saved, lifecycle }, now))
    }
    const rows = JSON.stringify(await everything(under))
    expect(rows).not.toContain('\\u0000')
    for (const kept of ['bad bytes', 'garbage', 'the node said so', 'not today']) expect(rows).toContain(kept)
  })

  test('a wait is read as it was saved, and keeps when its condition began', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    for (const reason of someReasons) {
      const before = await send(store, relayerId)
      const waiting = withWait(before, reason, now)
      const saved = await store.commit((session) => session.saveTransaction(before, waiting, now))
      expect(saved.wait).toStrictEqual({ ...reason, since: now })
      expect(await store.reads.transaction(relayerId, before.id)).toStrictEqual(saved)
      expect(withWait(saved, reason, now + 5).wait?.since).toBe(now)
    }
  })

  test('a nonce that was given back and comes again keeps its earlier attempts', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    let latest = await send(store, relayer.id)
    const save = async (after: Transaction) => {
      const before = latest
      latest = await store.commit((session) => session.saveTransaction(before, after, now))
    }
    const old = someAttempt(0, { transactionId: latest.id, broadcast: broadcastStates.held })
    const ofAgain = { transactionId: latest.id, recordedAt: now + 1, revision: 1, broadcast: broadcastStates.sending }
    const again = someAttempt(0, ofAgain)
    await save({ ...latest, sentAt: now, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [old] } })
    await save({ ...latest, lifecycle: { phase: 'queued' } })
    await save({ ...latest, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [again] } })
    const withdrawn = { ...old, broadcast: broadcastStates.withdrawn }
    const taken = { ...again, broadcast: broadcastStates.accepted }
    expect(latest.lifecycle).toStrictEqual({ phase: 'inFlight', nonce: 0, attempts: [withdrawn, again] })
    await save({ ...latest, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [withdrawn, taken] } })
    expect(await store.reads.attempts(latest.id)).toStrictEqual([withdrawn, taken].map(unsigned))
    expect(await store.reads.transaction(relayer.id, latest.id)).toMatchObject({
      lifecycle: { phase: 'inFlight', nonce: 0, attempts: [withdrawn, taken] },
    })
  })

  test('a drop withdraws the attempts that never left', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const before = await send(store, relayer.id)
    const held = await store.commit((session) =>
      session.saveTransaction(before, bound(before, 0, { broadcast: broadcastStates.held }), now),
    )
    const dropped: Transaction = { ...held, lifecycle: { phase: 'dropped', reason: 'canceled', droppedAt: now } }
    await store.commit((session) => session.saveTransaction(held, dropped, now))
    const [attempt] = await store.reads.attempts(before.id)
    expect(attempt?.broadcast).toEqual({ state: 'withdrawn' })
  })

  test('the database itself gives an open nonce to one transaction only', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const [one, other] = [await send(store, relayer.id), await send(store, relayer.id)]
    const flying = await store.commit((session) => session.saveTransaction(one, bound(one, 0), now))
    await expect(store.commit((session) => session.saveTransaction(other, bound(other, 0), now))).rejects.toThrow()
    expect(await store.reads.transaction(relayer.id, other.id)).toStrictEqual(other)

    const ended: Transaction = { ...flying, lifecycle: { phase: 'dropped', reason: 'canceled', droppedAt: now } }
    await store.commit((session) => session.saveTransaction(flying, ended, now))
    await store.commit((session) => session.saveTransaction(other, bound(other, 0), now))
  })
}

function withIds(transaction: Transaction, ids: Pick<Transaction, 'id' | 'relayerId'>): Transaction {
  const { lifecycle } = transaction
  if (!('attempts' in lifecycle)) return { ...transaction, ...ids }
  const [first, ...rest] = lifecycle.attempts
  const own = (attempt: typeof first) => ({ ...attempt, transactionId: ids.id })
  return { ...transaction, ...ids, lifecycle: { ...lifecycle, attempts: [own(first), ...rest.map(own)] } }
}

function bound(transaction: Transaction, nonce: number, changes: Parameters<typeof someAttempt>[1] = {}): Transaction {
  const attempt = someAttempt(nonce, { transactionId: transaction.id, ...changes })
  return { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts: [attempt] } }
}

async function everything(under: Awaited<ReturnType<OpenStore>>) {
  const tables = ['transactions', 'attempts', 'outbox', 'tallies']
  return Promise.all(tables.map((table) => under.query(`SELECT * FROM ${table}`)))
}

/** As it is listed. */
function unsigned({ raw: _, ...attempt }: Attempt): Attempt {
  return attempt
}

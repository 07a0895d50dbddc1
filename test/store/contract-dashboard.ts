// The dashboard's rows: sessions that end, the standing of a relayer, and the gas of a day.
import { expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import { dayOf } from '../../src/domain/daily-spend.ts'
import { requeue } from '../../src/domain/decide/facts/inclusion.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { holdingUp } from '../../src/domain/relayer-overview.ts'
import { type Inclusion, isInPhase, type Lifecycle, type Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { now, someAttempt, someNoOp, somePayload } from '../domain/some.ts'
import { someWait } from '../domain/some-reasons.ts'
import { allOf, type OpenStore, send, storedRelayer } from './contract.ts'

const key = 'some key' as ApiKeyId

async function bound(store: Store, relayerId: RelayerId, nonce: number, changes: Partial<Transaction> = {}) {
  const sent = await send(store, relayerId, changes)
  const attempts: readonly [Attempt] = [someAttempt(nonce, { transactionId: sent.id, nonce })]
  const lifecycle: Lifecycle = { phase: 'inFlight', nonce, attempts }
  return store.commit((session) => session.saveTransaction(sent, { ...sent, lifecycle }, now), relayerId)
}

function withValue(value: bigint): Partial<Transaction> {
  return { payload: { ...somePayload, value } }
}

/** Makes it final, in a block that charged `price` for each of 21,000 units of gas. */
async function settle(
  store: Store,
  transaction: Transaction,
  price: bigint | undefined,
  at = now,
  how: { readonly succeeded: boolean } | 'external' = { succeeded: true },
): Promise<void> {
  const { lifecycle } = transaction
  if (lifecycle.phase !== 'inFlight') throw new Error('it is in flight')
  const { hash, kind } = lifecycle.attempts[0]
  const block = { number: 9, hash }
  const charge = price === undefined ? {} : { gasUsed: 21_000, effectiveGasPrice: price }
  const inclusion: Inclusion =
    how === 'external' ? { by: how, hash, block } : { by: 'attempt', hash, kind, block, ...how, ...charge }
  const final: Lifecycle = { ...lifecycle, phase: 'final', inclusion, finalAt: at, witnesses: 1 }
  await store.commit(
    (session) => session.saveTransaction(transaction, { ...transaction, lifecycle: final }, at),
    transaction.relayerId,
  )
}

export function dashboardContract(open: OpenStore): void {
  test('a session comes back, its use only rises, and it is gone once removed', async () => {
    await using under = await open()
    const { store } = under
    const session = { keyId: key, createdAt: now, usedAt: now }
    await store.commit((unit) => unit.insertDashboardSession(session, 'a'))
    await store.commit((unit) => unit.useDashboardSession('a', now + 5))
    await store.commit((unit) => unit.useDashboardSession('a', now + 1))
    expect(await store.reads.dashboardSession('a')).toEqual({ ...session, usedAt: now + 5 })
    await store.commit((unit) => unit.removeDashboardSession('a'))
    expect(await store.reads.dashboardSession('a')).toBeUndefined()
  })

  test('idle sessions and those beyond the limit of a key are pruned', async () => {
    await using under = await open()
    const { store } = under
    const other = 'another key' as ApiKeyId
    await store.commit(async (unit) => {
      for (const age of [1, 2, 3, 100]) {
        await unit.insertDashboardSession({ keyId: key, createdAt: now, usedAt: now - age }, `mine ${age}`)
      }
      await unit.insertDashboardSession({ keyId: other, createdAt: now, usedAt: now - 50 }, 'theirs')
      await unit.pruneDashboardSessions(key, now - 60, 2)
    })
    const left = await under.query<{ digest: string }>('SELECT digest FROM dashboard_sessions ORDER BY digest')
    expect(left.map(({ digest }) => digest)).toEqual(['mine 1', 'mine 2', 'theirs'])
  })

  test('the standing has the open nonces, and the head of the queue', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    expect(await store.reads.standing(id)).toEqual({ bound: [] })
    await settle(store, await bound(store, id, 0), 1n)
    const wait = someWait('gas_price_cap')
    const second = await bound(store, id, 2, { wait })
    const first = await bound(store, id, 1)
    const head = await send(store, id)
    await send(store, id)
    expect(await store.reads.standing(id)).toMatchObject({
      bound: [
        { id: first.id, nonce: 1, isMined: false, isRacing: false },
        { id: second.id, nonce: 2, wait },
      ],
      head: { id: head.id },
    })
    const listed = await allOf(await store.reads.transactionsByNonce(id, 1, 10))
    expect(
      listed.map(({ lifecycle }) => 'attempts' in lifecycle && [lifecycle.nonce, lifecycle.attempts.length]),
    ).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect(await store.reads.highestNonce(id)).toBe(2)
    expect(await store.reads.relayerOfTransaction(head.id)).toBe(id)
    const hash = 'attempts' in first.lifecycle ? first.lifecycle.attempts[0].hash : '0x'
    expect(await store.reads.openWithHash(id, hash)).toBe(first.id)

    const reported = someWait('finality_stalled')
    if (first.lifecycle.phase !== 'inFlight') throw new Error('it is in flight')
    const { hash: spender, kind } = first.lifecycle.attempts[0]
    const inclusion: Inclusion = {
      by: 'attempt',
      hash: spender,
      kind,
      block: { number: 9, hash: spender },
      succeeded: true,
    }
    const confirmed: Lifecycle = { ...first.lifecycle, phase: 'mined', inclusion, confirmedAt: now }
    await store.commit((session) =>
      session.saveTransaction(first, { ...first, lifecycle: confirmed, wait: reported }, now),
    )
    const standing = await store.reads.standing(id)
    expect(standing).toMatchObject({ bound: [{ id: second.id }], stalled: { id: first.id, wait: reported } })
    expect(holdingUp(standing)?.id).toBe(second.id)
    expect(holdingUp({ ...standing, bound: [] })?.id).toBe(first.id)
  })

  test('the fees of a day are the exact sum over its final transactions, each counted once', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const prices = [1n, 999_999_999n, 123_456_789_123n, undefined, 2n ** 200n]
    const sent = await Promise.all(prices.map((_, nonce) => bound(store, id, nonce)))
    // In one commit, as a step of the engine does it.
    await Promise.all(sent.map((transaction, index) => settle(store, transaction, prices[index])))
    const tomorrow = await bound(store, id, 9)
    await settle(store, tomorrow, 5n, now + 86_400_000)
    // An absurd price is counted, and not added. Each paid a value of 1 wei, too.
    const sum = prices.slice(0, 3).reduce<bigint>((total, price = 0n) => total + price * 21_000n, 0n)
    expect(await store.reads.dailySpend(dayOf(now))).toEqual([
      { relayerId: id, day: dayOf(now), transactions: 5, noOps: 0, unpriced: 2, fees: sum, spent: sum + 5n },
      { relayerId: id, day: dayOf(now) + 1, transactions: 1, noOps: 0, unpriced: 0, fees: 105_000n, spent: 105_001n },
    ])
    expect(await store.reads.dailySpend(dayOf(now) + 2)).toEqual([])
    expect(await store.reads.spendOf(id, dayOf(now) + 1)).toMatchObject([{ day: dayOf(now) + 1, spent: 105_001n }])
  })

  test('a day is the sum of fees and values, without sweeps, reverts and what a foreign transaction paid', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const values = [7n, 10n ** 18n - 1n, 9_000_001n * 10n ** 18n, 3n]
    const payments = await Promise.all(values.map((value, nonce) => bound(store, id, nonce, withValue(value))))
    await Promise.all(payments.slice(0, 3).map((each) => settle(store, each, 1n)))
    await settle(store, payments[3] as Transaction, 1n, now, { succeeded: false })
    await settle(store, await bound(store, id, 4, { ...withValue(11n), origin: 'sweep' }), 1n)
    await settle(store, await bound(store, id, 5, withValue(13n)), 1n, now, 'external')
    const spent = values.slice(0, 3).reduce((sum, value) => sum + value, 0n) + 4n * 21_000n
    expect(await store.reads.dailySpend(dayOf(now))).toEqual([
      { relayerId: id, day: dayOf(now), transactions: 5, noOps: 0, unpriced: 0, fees: 105_000n, spent },
    ])
  })

  test('the no-op of a payload that was given up for now counts on its day, and the payload keeps how often it was', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const first = await bound(store, id, 0)
    if (first.lifecycle.phase !== 'inFlight') throw new Error('it is in flight')
    const noOp = someNoOp(0, { transactionId: first.id })
    const { hash, kind } = noOp
    const attempts = [...first.lifecycle.attempts, noOp] as const
    const inclusion = {
      by: 'attempt',
      hash,
      kind,
      block: { number: 9, hash },
      gasUsed: 21_000,
      effectiveGasPrice: 5n,
    } as const
    const ended: Transaction = {
      ...first,
      ...{ cancellation: { origin: 'refusal', requestedAt: now }, giveUps: 1 },
      lifecycle: { phase: 'mined', nonce: 0, attempts, inclusion, confirmedAt: now },
    }
    const mined = await store.commit((session) => session.saveTransaction(first, ended, now))
    expect(await store.reads.dailySpend(dayOf(now))).toEqual([])
    if (!isInPhase(mined, 'mined')) throw new Error('it is mined')
    await store.commit((session) => session.saveTransaction(mined, requeue(mined), now))
    expect(await store.reads.dailySpend(dayOf(now))).toEqual([
      { relayerId: id, day: dayOf(now), transactions: 1, noOps: 1, unpriced: 0, fees: 105_000n, spent: 105_000n },
    ])
    const queued = await store.reads.transaction(id, first.id)
    expect(queued).toMatchObject({ giveUps: 1, lifecycle: { phase: 'queued' } })
    expect(queued).not.toHaveProperty('cancellation')
  })
}

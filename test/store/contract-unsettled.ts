// The transactions that are confirmed and not final: a summary for each step, and their rows once something is due.
import { expect, test } from 'vitest'
import type { ConfirmedRowsDue } from '../../src/domain/decide/facts/confirmed-not-final.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Inclusion, Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { blockHash, by, byForeign, now, someAttempt } from '../domain/some.ts'
import { someWait } from '../domain/some-reasons.ts'
import { freshId, type OpenStore, sendWithin, storedRelayer } from './contract.ts'

/** Mined at `block`, and confirmed at `confirmedAt` if that is given. */
async function store(
  { commit }: Store,
  relayer: RelayerId,
  nonce: number,
  where: { block: number; confirmedAt?: number; foreign?: true },
  changes: Partial<Transaction> = {},
): Promise<Transaction> {
  const id = freshId()
  const attempt = someAttempt(nonce, { transactionId: id })
  const inclusion: Inclusion = where.foreign ? byForeign(where.block) : by(attempt, where.block)
  const confirmed = where.confirmedAt === undefined ? {} : { confirmedAt: where.confirmedAt }
  return commit(async (session) => {
    const sent = await sendWithin(session, relayer, { id })
    const lifecycle = { phase: 'mined', nonce, attempts: [attempt], inclusion, ...confirmed } as const
    return session.saveTransaction(sent, { ...sent, sentAt: now, ...changes, lifecycle }, now)
  }, relayer)
}

const stalled = { wait: someWait('finality_stalled') }

export function unsettledContract(open: OpenStore): void {
  test('a step reads them as a summary, and all others as rows', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    const other = await storedRelayer(under.store)
    await store(under.store, other.id, 99, { block: 999, confirmedAt: now })
    await store(under.store, relayer.id, 0, { block: 10, confirmedAt: now + 10 }, stalled)
    await store(under.store, relayer.id, 1, { block: 10, confirmedAt: now + 12 })
    await store(under.store, relayer.id, 2, { block: 12, confirmedAt: now + 14 })
    await store(under.store, relayer.id, 3, { block: 12, confirmedAt: now + 13 })
    expect((await under.store.reads.work(relayer.id))?.open).toEqual([])
    const displaced = await store(under.store, relayer.id, 4, { block: 12, confirmedAt: now, foreign: true })
    const fresh = await store(under.store, relayer.id, 5, { block: 13 })
    const work = await under.store.reads.work(relayer.id)
    expect(work?.open).toStrictEqual([displaced, fresh])
    expect(work?.confirmedNotFinal).toEqual({
      newest: { number: 12, hash: blockHash(12) },
      nonce: 3,
      oldestBlock: 10,
      unreportedSince: now + 12,
      isStalled: true,
    })
    const ofOther = (await under.store.reads.work(other.id))?.confirmedNotFinal
    expect(ofOther).toMatchObject({ nonce: 99, oldestBlock: 999, isStalled: false })
  })

  test('their rows come in pages: the newest blocks, the oldest, and those without a report', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    const nonces = async (due: ConfirmedRowsDue, limit: number) => {
      const rows = await under.store.reads.confirmedNotFinal(relayer.id, due, limit)
      for (const row of rows) expect(row).toStrictEqual(await under.store.reads.transaction(relayer.id, row.id))
      return rows.map(({ lifecycle }) => ('nonce' in lifecycle ? lifecycle.nonce : undefined))
    }
    for (const nonce of [0, 1, 2, 3, 4, 5]) {
      const reported = nonce === 1 ? stalled : {}
      await store(under.store, relayer.id, nonce, { block: 10 + (nonce >> 1), confirmedAt: now + nonce }, reported)
    }
    expect(await nonces({ kind: 'takenBack' }, 3)).toEqual([3, 4, 5])
    expect(await nonces({ kind: 'final', through: 11 }, 3)).toEqual([0, 1, 2])
    expect(await nonces({ kind: 'final', through: 11 }, 9)).toEqual([0, 1, 2, 3])
    expect(await nonces({ kind: 'final', through: 9 }, 9)).toEqual([])
    expect(await nonces({ kind: 'stalled', confirmedBy: now + 3 }, 2)).toEqual([0, 2])
    expect(await nonces({ kind: 'stalled', confirmedBy: now + 3 }, 9)).toEqual([0, 2, 3])
  })

  test('a history check gets the nonces that they explain, with their sequences', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    const confirmed = { block: 10, confirmedAt: now }
    for (const nonce of [3, 4, 5]) await store(under.store, relayer.id, nonce, confirmed)
    // Out of order, and across a nonce that is not theirs.
    await store(under.store, relayer.id, 8, confirmed)
    await store(under.store, relayer.id, 7, confirmed)
    await store(under.store, relayer.id, 6, { ...confirmed, foreign: true })
    await store(under.store, relayer.id, 10, { block: 11 })
    const explained = async () => (await under.store.reads.work(relayer.id))?.confirmedNotFinal?.explained
    expect(await explained()).toBeUndefined()
    await under.store.commit((session) => session.acquire(relayer.id))
    expect(await explained()).toEqual([
      { first: 3, last: 5, ahead: -2 },
      { first: 7, last: 7, ahead: -2 },
      { first: 8, last: 8, ahead: -4 },
    ])
    await under.store.commit((session) => session.completeHistoryCheck(relayer.id))
    expect(await explained()).toBeUndefined()
  })
}

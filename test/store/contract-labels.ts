// Names of transactions: which of them hold an `external_id`, for how long it outlives its row, and how long an idempotency key stays.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Labels } from '../../src/domain/labels.ts'
import type { Lifecycle, Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { by, byForeign, canceled, now, someAttempt } from '../domain/some.ts'
import { freshId, type OpenStore, sendWithin, storedRelayer } from './contract.ts'

let nonces = 0

/** Every way to stand, with whether its `external_id` is taken then. */
const ways: Readonly<Record<string, { readonly taken: boolean; readonly as: (of: Transaction) => Transaction }>> = {
  queued: { taken: true, as: (of) => of },
  'in flight': { taken: true, as: (of) => bound(of, 'inFlight') },
  'in flight and canceled': { taken: true, as: (of) => ({ ...bound(of, 'inFlight'), ...canceled }) },
  mined: { taken: true, as: (of) => bound(of, 'mined') },
  'mined and failed, not final': { taken: true, as: (of) => bound(of, 'mined', { succeeded: false }) },
  'failed, in a block that is not final': {
    taken: true,
    as: (of) => bound(of, 'mined', { succeeded: false, confirmedAt: now }),
  },
  'a no-op is mined, not final': {
    taken: true,
    as: (of) => ({ ...bound(of, 'mined', { kind: 'cancel' }), ...canceled }),
  },
  executed: { taken: true, as: (of) => bound(of, 'final') },
  'executed in spite of a cancellation': { taken: true, as: (of) => ({ ...bound(of, 'final'), ...canceled }) },
  'failed at finality': { taken: false, as: (of) => bound(of, 'final', { succeeded: false }) },
  'the no-op won': { taken: false, as: (of) => ({ ...bound(of, 'final', { kind: 'cancel' }), ...canceled }) },
  'a foreign transaction won': { taken: false, as: (of) => ({ ...bound(of, 'foreign'), ...canceled }) },
  'canceled in the queue': { taken: false, as: (of) => cancel(of, now) },
  'expired in the queue': { taken: false, as: (of) => cancel(of, now, 'expiry') },
  'refused before a nonce': { taken: false, as: (of) => cancel(of, now, 'refusal') },
}

function bound(
  of: Transaction,
  phase: 'inFlight' | 'mined' | 'final' | 'foreign',
  {
    kind = 'execute',
    succeeded = true,
    confirmedAt,
  }: { kind?: 'execute' | 'cancel'; succeeded?: boolean; confirmedAt?: number } = {},
): Transaction {
  nonces += 1
  const attempt = someAttempt(nonces, { transactionId: of.id, kind })
  const place = { nonce: nonces, attempts: [attempt] } as const
  const inclusion = phase === 'foreign' ? byForeign() : by(attempt, undefined, succeeded)
  const lifecycles: Readonly<Record<typeof phase, Lifecycle>> = {
    inFlight: { phase: 'inFlight', ...place },
    mined: { phase: 'mined', ...place, inclusion, ...(confirmedAt !== undefined && { confirmedAt }) },
    final: { phase: 'final', ...place, inclusion, finalAt: now, witnesses: 1 },
    foreign: { phase: 'final', ...place, inclusion, finalAt: now, witnesses: 1 },
  }
  return { ...of, lifecycle: lifecycles[phase] }
}

async function sendAs(
  store: Store,
  relayerId: RelayerId,
  labels: Labels,
  as: (of: Transaction) => Transaction = (of) => of,
): Promise<TransactionId> {
  const { id } = await store.commit(async (session) => {
    const sent = await sendWithin(session, relayerId, { id: freshId() })
    await session.insertLabels(sent, labels)
    const after = as(sent)
    return after === sent ? sent : session.saveTransaction(sent, after, now)
  }, relayerId)
  return id
}

const holderOf = (store: Store, relayerId: RelayerId, externalId: string) =>
  store.commit(async (session) => {
    await session.reserveSequence(relayerId)
    return (await session.holderOf(relayerId, externalId))?.transactionId
  }, relayerId)

const explainAll = (store: Store, relayerId: RelayerId) =>
  store.commit((session) => session.raiseFloor(relayerId, { spentBelow: nonces + 9, explainedBelow: nonces + 9 }))

export function labelContract(open: OpenStore): void {
  test('an external_id is held while its payload may execute or did, and of one relayer only', async () => {
    await using under = await open()
    const { store } = under
    const [{ id: relayer }, { id: other }] = [await storedRelayer(store), await storedRelayer(store)]
    for (const [way, { taken, as }] of Object.entries(ways)) {
      const id = await sendAs(store, relayer, { externalId: way }, as)
      expect({ way, holder: await holderOf(store, relayer, way) }).toEqual({ way, holder: taken ? id : undefined })
      expect(await holderOf(store, other, way)).toBeUndefined()
    }
    // The newest counts.
    const later = await sendAs(store, relayer, { externalId: 'expired in the queue' })
    expect(await holderOf(store, relayer, 'expired in the queue')).toBe(later)
  })

  test('labels are read as they were sent, and rows without any are not written', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayer } = await storedRelayer(store)
    const all: Labels = { externalId: '№ 7 \'"\\', tags: ['b', 'a', '☂️'], note: 'a, "b"\u2028%' }
    const [one, two, three] = [
      await sendAs(store, relayer, all),
      await sendAs(store, relayer, { note: 'only' }),
      (await store.commit((session) => sendWithin(session, relayer, { id: freshId() }), relayer)).id,
    ]
    expect(await store.reads.labels([three, two, one])).toEqual(
      new Map<TransactionId, Labels>([
        [two, { note: 'only' }],
        [one, all],
      ]),
    )
    expect(await under.query('SELECT 1 FROM transaction_labels')).toHaveLength(2)
    expect(await under.query('SELECT 1 FROM transaction_tags')).toHaveLength(3)
  })

  test('names go with their rows, and an external_id that was executed stays until its own age', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayer } = await storedRelayer(store)
    const ids = new Map<string, TransactionId>()
    for (const [way, { as }] of Object.entries(ways)) {
      ids.set(way, await sendAs(store, relayer, { externalId: way, tags: ['t'], note: 'n' }, as))
    }
    // The newest nonce stays.
    await sendAs(store, relayer, {}, (of) => bound(of, 'final'))
    await explainAll(store, relayer)
    const removed = await store.commit((session) => session.removeEnded(relayer, [...ids.values()]), relayer)
    expect(removed).toHaveLength(8)
    const rows = await under.query<{ external_id: string; removed_end: number | null; tags: string | null }>(
      'SELECT external_id, removed_end, tags FROM transaction_labels WHERE external_id IS NOT NULL ORDER BY external_id',
    )
    const open_ = Object.keys(ways).filter((way) => !removed.includes(ids.get(way) as TransactionId))
    const kept = ['executed', 'executed in spite of a cancellation']
    expect(rows.map((row) => row.external_id)).toEqual([...open_, ...kept].sort())
    for (const { external_id: externalId, removed_end: end, tags } of rows) {
      const isKept = kept.includes(externalId)
      expect([externalId, end === null ? null : Number(end), tags]).toEqual([
        externalId,
        isKept ? now : null,
        isKept ? null : '["t"]',
      ])
      expect(await holderOf(store, relayer, externalId)).toBe(ids.get(externalId))
    }
    expect(await under.query('SELECT 1 FROM transaction_tags')).toHaveLength(open_.length)
    const prune = (before: number) => store.commit((session) => session.pruneExternalIds(before, 9))
    expect(await prune(now)).toBe(0)
    expect(await prune(now + 1)).toBe(2)
    expect(await holderOf(store, relayer, 'executed')).toBeUndefined()
    expect(await holderOf(store, relayer, 'queued')).toBe(ids.get('queued'))
  })

  test('an idempotency key counts from the last end of its transactions, and stays while one is open', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayer } = await storedRelayer(store)
    const claim = (key: string, ids: readonly TransactionId[]) =>
      store.commit((session) => session.claim({ owner: 'one' as never, key, digest: 'd' }, ids, now), relayer)
    const sent = async () =>
      store.commit((session) => sendWithin(session, relayer, { id: freshId(), createdAt: now }), relayer)
    const end = (of: Transaction, at: number) =>
      store.commit((session) => session.saveTransaction(of, cancel(of, at), at), relayer)
    const prune = (before: number) => store.commit((session) => session.pruneClaims(now + before, now + before + 10, 9))
    const keys = async () =>
      (await under.query<{ key: string }>('SELECT key FROM idempotency_keys')).map(({ key }) => key)

    const [early, late, first, second, removed] = [await sent(), await sent(), await sent(), await sent(), await sent()]
    await claim('early', [early.id])
    await claim('late', [late.id])
    await claim('several', [first.id, second.id])
    await claim('removed', [removed.id])
    await end(early, now + 5)
    await end(first, now + 5)
    await end(removed, now + 50)
    await store.commit((session) => session.removeEnded(relayer, [removed.id, first.id]), relayer)
    expect(await prune(5)).toEqual({ removed: 0, mayHaveMore: false })
    expect(await prune(6)).toMatchObject({ removed: 1 })
    expect((await keys()).toSorted()).toEqual(['late', 'removed', 'several'])
    // However often and however late it is looked at.
    for (const at of [10, 30, 45]) expect(await prune(at)).toMatchObject({ removed: 0 })
    expect(await prune(51)).toMatchObject({ removed: 1 })
    expect((await keys()).toSorted()).toEqual(['late', 'several'])
    await end(late, now + 200)
    await end(second, now + 300)
    expect(await prune(200)).toMatchObject({ removed: 0 })
    expect(await prune(201)).toMatchObject({ removed: 1 })
    expect(await keys()).toEqual(['several'])
    expect(await prune(300)).toMatchObject({ removed: 0 })
    expect(await prune(301)).toMatchObject({ removed: 1 })
  })
}

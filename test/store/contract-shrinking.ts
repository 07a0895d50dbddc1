// Attempts of transactions that have ended shrink: in portions, once, and without another answer to any read.
import { expect, test } from 'vitest'
import type { Hex, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { ShrunkPortion } from '../../src/store/retention-port.ts'
import type { Store } from '../../src/store/store.ts'
import { by, hashOf, now, someAttempt, someNoOp } from '../domain/some.ts'
import { allOf, freshId, type OpenStore, sendWithin, storedRelayer } from './contract.ts'

const shrinkable = async ({ reads }: Store, { id }: Relayer) =>
  (await reads.shrinkableAccounts()).find(({ relayerId }) => relayerId === id)

const nothing = { transactions: 0, mayHaveMore: false }

async function shrink(store: Store, relayer: Relayer, rows = 200): Promise<ShrunkPortion> {
  const account = await shrinkable(store, relayer)
  return account ? store.commit((session) => session.shrinkAttempts(account, rows)) : nothing
}

/** One that has ended, with two attempts, or one that is in flight. */
async function store(
  { commit }: Store,
  relayer: RelayerId,
  nonce: number,
  { isOpen = false, isSpent = true, r = hashOf(nonce + 0xabc) }: { isOpen?: boolean; isSpent?: boolean; r?: Hex } = {},
): Promise<TransactionId> {
  const id = freshId()
  const signature = { r, s: hashOf(nonce + 0xdef), v: 1 }
  const attempts = [
    someAttempt(nonce, { transactionId: id, signature }),
    someNoOp(nonce, { transactionId: id, signature }),
  ] as const
  await commit(async (session) => {
    const sent = await sendWithin(session, relayer, { id })
    const bound = { nonce, attempts }
    const lifecycle = isOpen
      ? ({ phase: 'inFlight', ...bound } as const)
      : ({ phase: 'final', ...bound, inclusion: by(attempts[0]), finalAt: now, witnesses: 1 } as const)
    await session.saveTransaction(sent, { ...sent, lifecycle }, now)
    if (isSpent) await session.raiseFloor(relayer, { spentBelow: nonce + 1, explainedBelow: 0 })
  }, relayer)
  return id
}

const rawsOf = async ({ reads }: Store, relayer: Relayer, id: TransactionId) =>
  rawsIn(await reads.transaction(relayer.id, id))
const rawsIn = (read: Transaction | undefined) =>
  read && 'attempts' in read.lifecycle ? read.lifecycle.attempts.map(({ raw }) => raw) : []
const bytesAreGone = [undefined, undefined]

export function shrinkingContract(open: OpenStore): void {
  test('the bytes of ended transactions go, and every other fact reads as before', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    expect(await shrinkable(under.store, relayer)).toBeUndefined()
    // A short number, and one in capitals, as a node may have returned them.
    const signatures = [hashOf(0xabc), '0xab', `0x${'AB'.repeat(32)}`, '0x'] as const
    const ids: TransactionId[] = []
    for (const [nonce, r] of signatures.entries()) ids.push(await store(under.store, relayer.id, nonce, { r }))
    const read = async () => ({
      each: await Promise.all(ids.map((id) => under.store.reads.transaction(relayer.id, id))),
      attempts: await Promise.all(ids.map((id) => under.store.reads.attempts(id))),
      byNonce: await allOf(await under.store.reads.transactionsByNonce(relayer.id, 0, 9)),
      listed: await under.store.reads.transactions(relayer.id, {}, { page: 1, perPage: 9 }),
      known: await under.store.reads.hasAttempt(
        relayer.id,
        0,
        (await under.store.reads.attempts(ids[0] as never))[0]?.hash as Hex,
      ),
    })
    const without = (value: unknown) =>
      JSON.stringify(value, (name, each) => (name === 'raw' ? undefined : typeof each === 'bigint' ? `${each}` : each))
    const before = await read()
    expect(before.each.flatMap(rawsIn).every((raw) => raw?.startsWith('0x02'))).toBe(true)
    expect(await shrinkable(under.store, relayer)).toBeDefined()
    expect(await shrink(under.store, relayer)).toEqual({ transactions: 4, mayHaveMore: false })
    const after = await read()
    expect(without(after)).toBe(without(before))
    expect(after.each.map(rawsIn)).toEqual(ids.map(() => bytesAreGone))
    expect(await shrinkable(under.store, relayer)).toBeUndefined()
    const rows = await under.query<{ raw: string }>('SELECT raw FROM attempts')
    expect(new Set(rows.map(({ raw }) => raw))).toEqual(new Set(['']))
  })

  test('an open transaction keeps its bytes, and so do later ones, until it has ended', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    const first = await store(under.store, relayer.id, 0)
    const racing = await store(under.store, relayer.id, 1, { isOpen: true })
    const behind = await store(under.store, relayer.id, 2)
    const beyond = await store(under.store, relayer.id, 3, { isSpent: false })
    const raws = await rawsOf(under.store, relayer, racing)
    expect(await shrink(under.store, relayer)).toEqual({ transactions: 1, mayHaveMore: false })
    expect(await rawsOf(under.store, relayer, first)).toEqual(bytesAreGone)
    expect(await rawsOf(under.store, relayer, racing)).toEqual(raws)
    expect(await rawsOf(under.store, relayer, behind)).not.toEqual(bytesAreGone)
    expect(await shrinkable(under.store, relayer)).toBeUndefined()
    // It ends: the rest follows from there.
    await under.store.commit(async (session) => {
      const known = await session.transaction(relayer.id, racing)
      if (known?.lifecycle.phase !== 'inFlight') throw new Error('it is not in flight')
      const { attempts } = known.lifecycle
      const lifecycle = {
        phase: 'final',
        nonce: 1,
        attempts,
        inclusion: by(attempts[0]),
        finalAt: now,
        witnesses: 1,
      } as const
      await session.saveTransaction(known, { ...known, lifecycle }, now)
    }, relayer.id)
    expect(await shrinkable(under.store, relayer)).toBeDefined()
    expect(await shrink(under.store, relayer)).toEqual({ transactions: 2, mayHaveMore: false })
    for (const id of [racing, behind]) expect(await rawsOf(under.store, relayer, id)).toEqual(bytesAreGone)
    expect(await rawsOf(under.store, relayer, beyond)).not.toEqual(bytesAreGone)
  })

  test('it goes on where the last share ended, and for each account that a relayer has had', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    for (let nonce = 0; nonce < 5; nonce += 1) await store(under.store, relayer.id, nonce)
    const left = async () =>
      (await under.query<{ n: number }>("SELECT count(*) AS n FROM attempts WHERE raw <> ''")).map(({ n }) => Number(n))
    const shares: ShrunkPortion[] = []
    while (await shrinkable(under.store, relayer)) {
      shares.push(await shrink(under.store, relayer, 2))
      expect(shares.length).toBeLessThan(9)
    }
    expect(shares.at(0)?.mayHaveMore).toBe(true)
    expect(await left()).toEqual([0])
    // Another account counts its nonces from 0.
    const other = { ...relayer, address: `0x${'7'.repeat(40)}` as const }
    await under.store.commit((session) => session.saveRelayer(other))
    for (const nonce of [0, 1]) {
      await store(under.store, relayer.id, nonce)
      // The transactions of a deleted relayer stay, and so does its account.
      if (nonce === 1) await under.store.commit((session) => session.removeRelayer(relayer.id, now))
      expect(await left()).toEqual([2])
      await shrink(under.store, other)
      expect(await left()).toEqual([0])
    }
  })

  test('two processes that shrink the same account take turns', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    for (let nonce = 0; nonce < 6; nonce += 1) await store(under.store, relayer.id, nonce)
    const both = () => Promise.all([shrink(under.store, relayer, 2), shrink(under.store, relayer, 2)])
    for (let turn = 0; turn < 6; turn += 1) await both()
    expect(await shrinkable(under.store, relayer)).toBeUndefined()
    expect(await under.query("SELECT 1 FROM attempts WHERE raw <> ''")).toEqual([])
  })
}

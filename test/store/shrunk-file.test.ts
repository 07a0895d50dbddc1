// The file of a database whose attempts were shrunk: the room that they leave is for new rows.
import { expect, test } from 'vitest'
import { by, hashOf, now, someAttempt } from '../domain/some.ts'
import { freshId, sendWithin, storedRelayer } from './contract.ts'
import { openStore } from './open-store.ts'

const transactions = 400

test('whole pages become free, and new rows take them before the file grows', async () => {
  await using under = await openStore()
  const { store } = under
  const { id: relayer } = await storedRelayer(store)
  const figure = async (name: string) => {
    const [row] = await under.query<Record<string, number>>(`PRAGMA ${name}`)
    return row?.[name] ?? Number.NaN
  }
  const pagesOf = async (table: string) => {
    const [row] = await under.query<{ n: number }>(
      `SELECT count(*) AS n FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = '${table}')`,
    )
    return row?.n ?? Number.NaN
  }
  /** As long as the bytes of a transfer. */
  const bytes = (nonce: number) => `0x02${nonce.toString(16).padStart(226, 'a')}` as const
  const finish = (from: number, count: number) =>
    store.commit(async (session) => {
      for (let nonce = from; nonce < from + count; nonce += 1) {
        const id = freshId()
        const sent = await sendWithin(session, relayer, { id })
        const signature = { r: hashOf(nonce + 0xabc), s: hashOf(nonce + 0xdef), v: 1 }
        const own = someAttempt(nonce, { transactionId: id, raw: bytes(nonce), signature })
        const final = {
          phase: 'final',
          nonce,
          attempts: [own],
          inclusion: by(own),
          finalAt: now,
          witnesses: 1,
        } as const
        await session.saveTransaction(sent, { ...sent, lifecycle: final }, now)
      }
      await session.raiseFloor(relayer, { spentBelow: from + count, explainedBelow: from + count })
    }, relayer)

  await finish(0, transactions)
  const before = { pages: await figure('page_count'), attempts: await pagesOf('attempts') }
  const [account] = await store.reads.shrinkableAccounts()
  if (!account) throw new Error('nothing can be shrunk')
  while ((await store.commit((session) => session.shrinkAttempts(account, 50))).mayHaveMore);
  expect(await store.reads.shrinkableAccounts()).toEqual([])
  // 230 bytes of 530 go, and 34 of each half of the signature.
  expect(await pagesOf('attempts')).toBeLessThan(before.attempts * 0.65)
  expect(await figure('freelist_count')).toBeGreaterThan(before.attempts * 0.3)
  const afterwards = await figure('page_count')
  expect(afterwards).toBeLessThanOrEqual(before.pages + 4)

  await finish(transactions, 100)
  expect(await figure('page_count')).toBe(afterwards)
})

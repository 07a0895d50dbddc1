// A database that a service of an earlier release wrote on a real chain, at schema 029, until kill -9: a race won, one lost, one
// under way, a drop, a send without a cancellation, and two waits.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { verdictOn } from '../../src/domain/cancel.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { quiet } from './open-store.ts'

const written = readFileSync(new URL('databases/schema-029.sql', import.meta.url), 'utf8')

async function opened(disposal: AsyncDisposableStack): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-killed-'))
  disposal.defer(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'rescind.db')
  const database = new Database(path)
  database.exec(written)
  database.close()
  return disposal.use(await openSqliteStore({ path, clock: systemClock, logger: quiet }))
}

async function transactionsOf({ reads }: Store, relayer: RelayerId): Promise<readonly Transaction[]> {
  return (await reads.transactions(relayer, {}, { page: 1, perPage: 100 })).items
}

/** Of each relayer, newest first: value, status, verdict (state, final, safe to send again) if canceled, condition if it waits. */
const known: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  won: [[1n, 'canceled', ['won', true, true], undefined]],
  lost: [[2n, 'confirmed', ['lost', true, false], undefined]],
  dropped: [
    [4n, 'canceled', ['dropped', true, true], undefined],
    [3n, 'confirmed', undefined, undefined],
  ],
  racing: [[7n, 'canceled', ['racing', false, false], undefined]],
  sent: [[8n, 'submitted', undefined, undefined]],
  short: [[9n, 'pending', undefined, 'balance_short']],
  capped: [[10n, 'pending', undefined, 'gas_price_cap']],
}

test.each(Object.keys(known))(
  'the transactions of %s have the status, the verdict and the wait that they had',
  async (id) => {
    await using disposal = new AsyncDisposableStack()
    const transactions = await transactionsOf(await opened(disposal), id as RelayerId)
    const read = transactions.map((each) => {
      const { state, final, safeToRetry } = verdictOn(each)
      const verdict = each.cancellation && [state, final, safeToRetry]
      return [each.payload.value, statusOf(each), verdict, each.wait?.condition]
    })
    expect(read).toEqual(known[id])
  },
)

test('a race goes on: both attempts have their bytes, and its relayer reads them as its work', async () => {
  await using disposal = new AsyncDisposableStack()
  const { reads } = await opened(disposal)
  const [racing] = (await reads.work('racing' as RelayerId))?.open ?? []
  const attempts = racing && 'attempts' in racing.lifecycle ? racing.lifecycle.attempts : []
  expect(attempts.map(({ kind, nonce }) => [kind, nonce])).toEqual([
    ['execute', 0],
    ['cancel', 0],
  ])
})

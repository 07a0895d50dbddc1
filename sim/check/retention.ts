// Retention may remove only rows that the engine does not read. Beside each read of a history check, and some of those of a
// step, a copy of the disk loses every row that retention may remove; there the read has to find the same. A process that
// wakes up after another has taken over may look for rows that are gone: whatever it decides is refused.
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import { readsOver } from '../../src/store/reads.ts'
import { sessionOver } from '../../src/store/session.ts'
import { sqliteExecutor } from '../../src/store/sqlite/executor.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import type { Reads } from '../../src/store/store.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import { type Copy, type Disk, fill } from '../process/database.ts'

/** By a relayer first. */
const ofHistoryChecks = ['hasAttempt', 'transactionByNonce', 'firstSequenceAbove', 'droppedSince'] as const
/** Each of so many: a copy of the disk takes longer than a step. */
const workEvery = 25

/** The reads of a process as they are. Those for a relayer that it may write for are checked besides. */
export type WatchReads = (reads: Reads, mayWrite: (relayer: RelayerId) => boolean) => Reads

export function watchRetention(disk: Disk, fail: (what: string) => void): WatchReads {
  const shadow = new Database(':memory:')
  migrate(shadow, 0)
  const executor = sqliteExecutor(shadow)
  const without = readsOver(executor)
  const session = sessionOver(executor, openTallies(executor), openAuditPad(executor))
  const idsOf = shadow.prepare<[string], TransactionId>('SELECT id FROM transactions WHERE relayer_id = ?').pluck()
  const openCount = shadow
    .prepare<[string], number>('SELECT count(*) FROM transactions WHERE relayer_id = ? AND open = 1')
    .pluck()
  let checking: Promise<void> = Promise.resolve()
  let works = 0

  /** `read` has begun: its answer and the copy are as of one instant. */
  function check<T>(name: string, relayer: RelayerId, copy: Copy, answer: Promise<T>, read: () => Promise<T>): void {
    checking = checking
      .then(async () => {
        const found = await answer
        fill(shadow, copy)
        const open = openCount.get(relayer)
        // Whatever the step decides is about transactions that have ended since: its writes are refused.
        if (open === 0) return
        const removed = await session.removeEnded(relayer, idsOf.all(relayer))
        if (openCount.get(relayer) !== open) fail(`${relayer}: retention may remove an open transaction`)
        const left = await read()
        if (!isDeepStrictEqual(left, found))
          fail(
            `${relayer}: without the ${removed.length} rows that retention may remove, ${name} is ${shown(left)}: ${shown(found)}`,
          )
      })
      .catch((error: unknown) => fail(`retention could not be checked: ${String(error)}`))
  }

  return (reads, mayWrite) => ({
    ...reads,
    ...Object.fromEntries(
      ofHistoryChecks.map((name) => [
        name,
        (relayer: RelayerId, ...rest: unknown[]) => {
          const run = (on: Reads) =>
            (on[name] as (id: RelayerId, ...more: unknown[]) => Promise<unknown>)(relayer, ...rest)
          const answer = run(reads)
          if (mayWrite(relayer)) check(name, relayer, disk.copy(), answer, () => run(without))
          return answer
        },
      ]),
    ),
    // The copy is read whole, so the transactions that the owner kept of earlier steps have to be as their rows are.
    work(relayer, queuedMax, earlier) {
      const answer = reads.work(relayer, queuedMax, earlier)
      works += 1
      if (works % workEvery === 0) {
        check('work', relayer, disk.copy(), answer, () => without.work(relayer, queuedMax))
      }
      return answer
    },
  })
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)) ?? 'undefined'
}

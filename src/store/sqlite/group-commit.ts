// Concurrent units of work share one commit, and so one fsync, and each fails alone. Savepoints cost, and nearly none is
// needed, so units run without at first; where one fails that had written, its group is undone and runs anew with them.
// A unit that may write thousands of rows has a commit of its own, and other relayers come between two such units.
import type Database from 'better-sqlite3'
import type { RelayerId } from '../../domain/ids.ts'
import type { Deferred } from '../deferred.ts'
import { once, type RunAgain } from '../failure.ts'

/** What a unit is about; the relayer's units run in turn. */
export interface Kind {
  readonly relayer?: RelayerId | undefined
  readonly isLong?: boolean
}

interface Waiting extends Kind {
  run(): Promise<unknown>
  done(value: unknown): void
  failed(error: unknown): void
}

interface GroupCommit {
  /** Resolves when the unit is durable. Rejects with the unit's own error, or with the commit's. */
  commit<T>(unit: () => Promise<T>, kind?: Kind): Promise<T>
  /** Lets what is waiting finish; further units are refused. */
  close(): Promise<void>
}

/** A unit failed that has written, and nothing but the whole group can be undone. */
class Entangled extends Error {}

/**
 * `deferred` is what the units leave to be written with them, `changes` counts rows written, and never falls. `runAgain` is for a
 * BEGIN that fails.
 */
export function groupCommit(
  database: Database.Database,
  unitsMax: number,
  deferred: Deferred,
  changes: () => number,
  runAgain: RunAgain = once,
): GroupCommit {
  const transaction = openTransactions(database)
  const waiting = openWaiting(unitsMax)
  let draining: Promise<void> | undefined
  let closed = false
  /** Units get savepoints in the next group: failing units come in flocks, as when a full queue refuses many. */
  let isCareful = false

  async function drain(): Promise<void> {
    while (!waiting.isEmpty()) await commitRound(waiting, commitGroup)
    draining = undefined
  }

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const answers: (() => void)[] = []
    try {
      const failure = failureOf(transaction.begin)
      if (failure) await runAgain(failure.error, transaction.begin)
      const runUnit = isCareful ? runApart : runBare
      isCareful = false
      for (const unit of group) answers.push(await runUnit(unit))
      await deferred.write()
      transaction.commit()
    } catch (error) {
      // Nothing of the group is durable, whatever its units believe.
      deferred.reset()
      transaction.rollBack()
      if (error instanceof Entangled) {
        isCareful = true
        return commitGroup(group)
      }
      for (const unit of group) unit.failed(error)
      return
    }
    for (const answer of answers) answer()
  }

  async function runBare(unit: Waiting): Promise<() => void> {
    const before = changes()
    try {
      const value = await unit.run()
      deferred.keep()
      return () => unit.done(value)
    } catch (error) {
      if (!database.inTransaction) throw error
      if (changes() !== before) throw new Entangled()
      deferred.forget()
      return () => unit.failed(error)
    }
  }

  async function runApart(unit: Waiting): Promise<() => void> {
    const before = changes()
    transaction.save()
    try {
      const value = await unit.run()
      transaction.release()
      deferred.keep()
      return () => unit.done(value)
    } catch (error) {
      // A full disk can end the whole transaction; then there is no savepoint to go back to.
      if (!database.inTransaction) throw error
      if (changes() !== before) isCareful = true
      transaction.undo()
      transaction.release()
      deferred.forget()
      return () => unit.failed(error)
    }
  }

  return {
    commit<T>(unit: () => Promise<T>, { relayer, isLong = false }: Kind = {}): Promise<T> {
      if (closed) return Promise.reject(new Error('the store is closed'))
      return new Promise<T>((resolve, reject) => {
        // What a unit answers goes to who gave it: of what type it is, nobody in between knows.
        waiting.add({ relayer, isLong, run: unit, done: resolve as (value: unknown) => void, failed: reject })
        draining ??= drain()
      })
    },
    async close() {
      closed = true
      await draining
    },
  }
}

/** The units that are to be committed. */
function openWaiting(unitsMax: number) {
  const quick: Waiting[] = []
  /** Long units, and those of their relayers that came behind them. */
  const slow: Waiting[] = []
  return {
    add(unit: Waiting): void {
      const isBehind = unit.relayer !== undefined && slow.some(({ relayer }) => relayer === unit.relayer)
      if (unit.isLong || isBehind) slow.push(unit)
      else quick.push(unit)
    },
    isEmpty: () => quick.length + slow.length === 0,
    /** Those that are there now, and not those that their ends wake: a long unit gets its turn. */
    *quickGroups(): Generator<readonly Waiting[]> {
      for (let left = quick.length; left > 0; left -= unitsMax) yield quick.splice(0, unitsMax)
    },
    /** A long unit alone, or those before the next one. */
    slowGroup(): readonly Waiting[] {
      const long = slow.findIndex(({ isLong }) => isLong)
      return slow.splice(0, long === 0 ? 1 : Math.min(unitsMax, long === -1 ? slow.length : long))
    },
  }
}

/** The units that are there, and then a long one. */
async function commitRound(
  waiting: ReturnType<typeof openWaiting>,
  commitGroup: (group: readonly Waiting[]) => Promise<void>,
): Promise<void> {
  // Requests whose bytes are there already join this commit.
  await turnOfEventLoop()
  for (const group of waiting.quickGroups()) await commitGroup(group)
  const slow = waiting.slowGroup()
  if (slow.length === 0) return
  // The answers of the others go out first.
  await turnOfEventLoop()
  await commitGroup(slow)
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function failureOf(act: () => unknown): { readonly error: unknown } | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return { error }
  }
}

function openTransactions(database: Database.Database) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const save = database.prepare('SAVEPOINT unit')
  const release = database.prepare('RELEASE unit')
  const undo = database.prepare('ROLLBACK TO unit')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  return {
    begin: () => begin.run(),
    save: () => save.run(),
    release: () => release.run(),
    undo: () => undo.run(),
    commit: () => commit.run(),
    /** Where even that fails the next BEGIN will, and its error is reported to the callers of that group. */
    rollBack(): void {
      try {
        if (database.inTransaction) rollback.run()
      } catch {
        // The first error is the one that is reported.
      }
    },
  }
}

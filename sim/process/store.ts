// The production store on a disk that outlives its process: every commit is a place to die, before it and after it.
import type Database from 'better-sqlite3'
import { openAuditPad } from '../../src/store/audit-log.ts'
import { together } from '../../src/store/deferred.ts'
import { readsOver } from '../../src/store/reads.ts'
import { sessionOver } from '../../src/store/session.ts'
import { asOfOneInstant } from '../../src/store/sqlite/as-of-one-instant.ts'
import { groupCommit } from '../../src/store/sqlite/group-commit.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { openTallies } from '../../src/store/tallies.ts'
import type { Disk } from './database.ts'
import { boundary, type Instance, leave } from './instance.ts'

export interface StoreWitness {
  /** The next place in the order of all units of the run. */
  nextPlace(): number
  /** In this unit, which may still fail, the process takes its relayers over. */
  acquiring(instance: Instance): void
  /** Something may be durable now that was not; `rows` were changed. */
  committed(instance: Instance, rows: number): void
  /** An owner's unit is through, and changed so many rows. */
  wroteAsOwner(instance: Instance, rows: number): void
}

export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
}

export function openSimStore(disk: Disk, instance: Instance, witness: StoreWitness): Store {
  const { writing, reading } = disk
  const tallies = openTallies(writing)
  const pad = openAuditPad(writing)
  const group = groupCommit(mortal(disk, instance, witness), 512, together(tallies, pad), writing.changes)
  const session = sessionOver(writing, tallies, pad)
  const reads = readsOver(reading)

  // Of the unit that runs: units of a group follow each other.
  let place = -1
  let owns = false
  const seen: Session = {
    ...session,
    acquire(id) {
      witness.acquiring(instance)
      return session.acquire(id)
    },
    fence(id, epoch) {
      owns = true
      instance.lastOwned.set(id, place)
      return session.fence(id, epoch)
    },
  }

  async function watched<T>(unit: (session: Session) => Promise<T>): Promise<T> {
    place = witness.nextPlace()
    const before = writing.changes()
    owns = false
    const done = await unit(seen)
    if (owns) witness.wroteAsOwner(instance, writing.changes() - before)
    return done
  }

  return {
    commit: (unit) =>
      new Promise((resolve, reject) => {
        leave(instance, () => group.commit(() => watched(unit)).then(resolve, reject))
      }),
    reads: {
      ...reads,
      work: (id) =>
        new Promise((resolve, reject) =>
          leave(instance, () =>
            asOfOneInstant(
              () => disk.commits,
              () => reads.work(id),
            ).then(resolve, reject),
          ),
        ),
    },
    check: async () => undefined,
    [Symbol.asyncDispose]: () => group.close(),
  }
}

/** The connection as the group commit sees it: its COMMIT is where a process can die. */
function mortal(disk: Disk, instance: Instance, witness: StoreWitness): Database.Database {
  const gone = () => {
    if (instance.state === 'dead') throw new ProcessEnded('the process is dead')
  }
  let before = 0
  return {
    prepare(sql: string) {
      const statement = disk.control(sql)
      return {
        run() {
          if (sql === 'ROLLBACK') return statement.run()
          gone()
          if (sql.startsWith('BEGIN')) before = disk.writing.changes()
          if (sql !== 'COMMIT') return statement.run()
          boundary(instance)
          gone()
          const done = statement.run()
          const changed = disk.writing.changes() - before
          if (changed > 0) disk.commits += 1
          witness.committed(instance, changed)
          boundary(instance)
          gone()
          return done
        },
      }
    },
    get inTransaction() {
      return disk.writer.inTransaction
    },
  } as unknown as Database.Database
}

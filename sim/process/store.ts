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
  const { writer, writing, reader, reading } = disk
  const tallies = openTallies(writing)
  const pad = openAuditPad(writing)
  const group = groupCommit(mortal(writer, instance, witness), 512, together(tallies, pad), writing.changes)
  const session = sessionOver(writing, tallies, pad)
  const reads = readsOver(reading)

  const changes = writer.prepare<[], number>('SELECT total_changes()').pluck()
  async function watched<T>(unit: (session: Session) => Promise<T>): Promise<T> {
    const place = witness.nextPlace()
    const before = changes.get() ?? 0
    let owns = false
    const done = await unit({
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
    })
    if (owns) witness.wroteAsOwner(instance, (changes.get() ?? 0) - before)
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
          leave(instance, () => asOfOneInstant(reader, () => reads.work(id)).then(resolve, reject)),
        ),
    },
    check: async () => undefined,
    [Symbol.asyncDispose]: () => group.close(),
  }
}

/** The connection as the group commit sees it: its COMMIT is where a process can die. */
function mortal(database: Database.Database, instance: Instance, witness: StoreWitness): Database.Database {
  const gone = () => {
    if (instance.state === 'dead') throw new ProcessEnded('the process is dead')
  }
  const changes = database.prepare<[], number>('SELECT total_changes()').pluck()
  let before = 0
  return {
    prepare(sql: string) {
      const statement = database.prepare(sql)
      return {
        run() {
          if (sql === 'ROLLBACK') return statement.run()
          gone()
          if (sql.startsWith('BEGIN')) before = changes.get() ?? 0
          if (sql !== 'COMMIT') return statement.run()
          boundary(instance)
          gone()
          const done = statement.run()
          witness.committed(instance, (changes.get() ?? 0) - before)
          boundary(instance)
          gone()
          return done
        },
      }
    },
    get inTransaction() {
      return database.inTransaction
    },
  } as unknown as Database.Database
}

// The production store on a disk that outlives its process: every commit is a place to die, before it and after it.
import type Database from 'better-sqlite3'
import { OwnershipLost } from '../../src/domain/errors.ts'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import { together } from '../../src/store/deferred.ts'
import { readsOver } from '../../src/store/reads.ts'
import { sessionOver } from '../../src/store/session.ts'
import { groupCommit, type Kind } from '../../src/store/sqlite/group-commit.ts'
import { rememberRelayers } from '../../src/store/sqlite/remember-relayers.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import type { OwnersAct } from '../check/owners.ts'
import type { WatchReads } from '../check/retention.ts'
import type { Timeline } from '../timeline.ts'
import type { Disk } from './database.ts'
import { boundary, type Instance, leave, reach } from './instance.ts'
import type { SimSession } from './locks.ts'

export interface StoreWitness {
  /** The next place in the order of all units of the run. */
  nextPosition(): number
  /** Something may be durable now that was not: `rows` were changed, and owners did this. */
  committed(instance: Instance, rows: number, acts: readonly OwnersAct[]): void
  /** Absent where nobody checks what retention may remove. */
  readonly retention: WatchReads | undefined
  /** An owner begins to look at its work. */
  reads(instance: Instance, relayer: string): void
  /** False once another process has taken the relayer over. */
  mayWrite(instance: Instance, relayer: string): boolean
  /** The session of its locks that the process has now. */
  session(instance: Instance): SimSession | undefined
  /** An owner's unit met another epoch. */
  refused(instance: Instance, relayer: string, epoch: bigint): void
  /** Undefined: the statements of a unit reach the database at once. */
  flight(): Flight | undefined
}

/** The process has begun a unit, and its first statement is on its way. */
export interface Flight {
  readonly ms: number
  /** All statements of the unit are on their way, so that they run even if the process is paused meanwhile. */
  readonly isPipelined: boolean
}

/** The session and the place of a unit when it began. */
interface Requested {
  /** The session of locks that the process had. */
  readonly under: SimSession | undefined
  readonly atMs: number
}

const ofClients = new WeakSet<object>()

/** Any replica may write the request of a client. Only the owner of a relayer may write anything else of it. */
export function ofClient<U extends object>(unit: U): U {
  ofClients.add(unit)
  return unit
}

export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
}

export function openSimStore(disk: Disk, instance: Instance, timeline: Timeline, witness: StoreWitness): Store {
  const { writing, reading } = disk
  const tallies = openTallies(writing)
  const pad = openAuditPad(writing)
  /** Of the units that are through, and not committed. */
  const acts: OwnersAct[] = []
  const taken = () => acts.splice(0)
  const { session, sequences } = rememberRelayers(writing, sessionOver(writing, tallies, pad))
  const deferred = together(sequences, tallies, pad)
  const group = groupCommit(mortal(disk, instance, witness, taken), 512, deferred, writing.changes)
  const mayWrite = (relayer: string) => witness.mayWrite(instance, relayer)
  const reads = witness.retention?.(readsOver(reading), mayWrite) ?? readsOver(reading)

  // Of the unit that runs: units of a group follow each other.
  let position = -1
  const wrote = new Set<string>()
  let requested: Requested = { under: undefined, atMs: 0 }
  let acquired: OwnersAct[] = []
  const seen: Session = {
    ...session,
    acquire(id) {
      const acquiring = session.acquire(id)
      void acquiring.then(
        (epoch) => epoch !== undefined && acquired.push({ act: 'acquired', relayer: id, epoch, ...requested }),
      )
      return acquiring
    },
    fence(id, epoch) {
      instance.lastOwned.set(id, position)
      const fencing = session.fence(id, epoch)
      fencing.catch((error: unknown) => error instanceof OwnershipLost && witness.refused(instance, id, epoch))
      return fencing
    },
    saveTransaction(known, next, now) {
      wrote.add(known.relayerId)
      return session.saveTransaction(known, next, now)
    },
    insertTransaction(transaction) {
      wrote.add(transaction.relayerId)
      return session.insertTransaction(transaction)
    },
    raiseFloor(id, floor) {
      wrote.add(id)
      return session.raiseFloor(id, floor)
    },
    completeHistoryCheck(id) {
      wrote.add(id)
      return session.completeHistoryCheck(id)
    },
  }

  /** `run` executes the unit. `known` holds the session and the place when the process began it. */
  async function watched<T>(unit: (session: Session) => Promise<T>, known: Requested, run = unit): Promise<T> {
    requested = known
    position = witness.nextPosition()
    const before = writing.changes()
    wrote.clear()
    acquired = []
    const done = await run(seen)
    const rows = writing.changes() - before
    if (!ofClients.has(unit)) for (const relayer of wrote) acts.push({ act: 'wrote', relayer, rows })
    acts.push(...acquired)
    return done
  }

  /** The process has begun the unit, and its first statement arrives a while later. */
  function send<T>(
    unit: (session: Session) => Promise<T>,
    kind: Kind,
    known: Requested,
    { ms, isPipelined }: Flight,
  ): Promise<T> {
    let arrived = false
    let arrive: () => void = () => undefined
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const begun = unit(awaiting(seen, arrival, () => arrived))
    return new Promise((resolve, reject) => {
      // Rejected before its first statement.
      begun.catch((error: unknown) => arrived || reject(error))
      const run = () =>
        group
          .commit(() => {
            if (arrived) return watched(unit, known)
            return watched(unit, known, () => {
              arrived = true
              arrive()
              return begun
            })
          }, kind)
          .then(
            (value) => reach(instance, () => resolve(value)),
            (error: unknown) => reach(instance, () => reject(error)),
          )
      timeline.after(ms, () => (isPipelined ? instance.state !== 'dead' && run() : reach(instance, run)))
    })
  }

  return {
    commit: (unit, relayer, ahead) =>
      new Promise((resolve, reject) => {
        const known = { under: witness.session(instance), atMs: timeline.now() }
        leave(instance, () => {
          const kind = { relayer, isLong: ahead?.long === true }
          const flight = witness.flight()
          const done = flight ? send(unit, kind, known, flight) : group.commit(() => watched(unit, known), kind)
          done.then(resolve, reject)
        })
      }),
    reads: {
      ...reads,
      bulkMatches: (...parameters) =>
        asOfOneInstant(
          () => disk.commits,
          () => reads.bulkMatches(...parameters),
        ),
      work: (...parameters) =>
        new Promise((resolve, reject) =>
          leave(instance, () => {
            witness.reads(instance, parameters[0])
            const version = () => disk.commits
            asOfOneInstant(version, () => reads.work(...parameters)).then(resolve, reject)
          }),
        ),
    },
    check: async () => undefined,
    [Symbol.asyncDispose]: () => group.close(),
  }
}

/** Delays each call of the session until the unit has arrived. */
function awaiting(session: Session, arrival: Promise<void>, hasArrived: () => boolean): Session {
  return new Proxy(session, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...parameters: unknown[]) => Promise<unknown>
      return (...parameters: unknown[]) =>
        hasArrived() ? method(...parameters) : arrival.then(() => method(...parameters))
    },
  })
}

/** The connection as the group commit sees it: its COMMIT is where a process can die. */
function mortal(
  disk: Disk,
  instance: Instance,
  witness: StoreWitness,
  taken: () => readonly OwnersAct[],
): Database.Database {
  const gone = () => {
    if (instance.state === 'dead') throw new ProcessEnded('the process is dead')
  }
  let before = 0
  return {
    prepare(sql: string) {
      const statement = disk.control(sql)
      return {
        run() {
          if (sql === 'ROLLBACK') {
            taken()
            return statement.run()
          }
          gone()
          if (sql.startsWith('BEGIN')) before = disk.writing.changes()
          if (sql !== 'COMMIT') return statement.run()
          boundary(instance)
          gone()
          const done = statement.run()
          const changed = disk.writing.changes() - before
          if (changed > 0) disk.commits += 1
          witness.committed(instance, changed, taken())
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

/** Far more commits than fit into the turn of the event loop that a few reads take. */
const triesMax = 8

/** The value of `version` changes with every commit that the reads may see. */
async function asOfOneInstant<T>(version: () => unknown, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const before = version()
    const isTorn = () => tries < triesMax && version() !== before
    try {
      const found = await read()
      if (!isTorn()) return found
    } catch (error) {
      if (!isTorn()) throw error
    }
  }
}

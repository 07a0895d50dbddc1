// The store on one SQLite file: WAL, synchronous=FULL, one writer with grouped commits, one connection for reads.

import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { StoreMetrics } from '../../ops/metrics.ts'
import { openAuditPad } from '../access/audit-log.ts'
import { loggingAudit } from '../access/log-audit.ts'
import { together } from '../deferred.ts'
import { takesNoWrite, translatingErrors } from '../failure.ts'
import { readsOver } from '../reads.ts'
import { sessionOver } from '../session.ts'
import type { Reads, Store } from '../store.ts'
import { loadMatches } from '../transactions/bulk/choose-in-bulk.ts'
import { openTallies } from '../transactions/counted/tallies.ts'
import { loadWork } from '../transactions/found/load-work.ts'
import { sqliteExecutor } from './executor.ts'
import { openError, translateError, whyUnavailable } from './failure.ts'
import { followPath, refuseMountedFile } from './follow-path.ts'
import { groupCommit } from './group-commit.ts'
import { busyTimeoutMs, lockDatabase, runningWhileLocked } from './lock.ts'
import { migrate, removeStatistics } from './migrate.ts'
import { rememberRelayers } from './remember-relayers.ts'
import { rememberVersions } from './remember-versions.ts'
import { openSnapshots } from './snapshot.ts'
import { refuseTransferred } from './transfer-mark.ts'

/** SQLite's own choice. */
const pageBytes = 4_096
/** Units in one commit: bounds how long the event loop is blocked. */
const unitsMax = 512

interface Options {
  readonly path: string
  readonly clock: Clock
  readonly logger: Logger
  /** As the kernel lists them for this process, by default. */
  readonly mounts?: string
}

/**
 * Creates file, folder and schema as needed. Throws StoreInUse while another process has the file open, StoreTransferred
 * when its data was transferred, and OperatorError for a file that can't be opened.
 */
export async function openSqliteStore(options: Options): Promise<Store> {
  try {
    return await openFile(options)
  } catch (error) {
    throw openError(error, options.path)
  }
}

async function openFile(options: Options): Promise<Store> {
  // The rows name accounts, payloads and sealed keys: nobody else on the machine reads them.
  mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
  const path = trueName(options.path)
  for (const name of [path, `${path}-lock`]) createPrivately(name)
  using opened = new DisposableStack()
  const lock = lockDatabase(path)
  opened.defer(() => lock.release())
  refuseMountedFile(path, options.mounts)
  const writer = connect(path)
  const followed = opened.use(followPath(options.path))
  opened.defer(() => writer.close())
  refuseTransferred(writer)
  const applied = migrate(writer, options.clock.now())
  if (applied.length > 0) options.logger.info({ path, applied }, 'database schema is up to date')
  if (removeStatistics(writer)) {
    options.logger.info({ path }, 'the statistics of ANALYZE are removed: the service plans its queries without them')
  }
  const readers = [connectReader(path), connectReader(path), connectReader(path)] as const
  const [reader, worker, counter] = readers
  for (const each of readers) opened.defer(() => each.close())
  const followedLog = opened.use(followPath(`${path}-wal`))

  // So far nobody waits for the event loop.
  for (const each of [writer, ...readers]) each.pragma(`busy_timeout = ${busyTimeoutMs}`)

  const executor = sqliteExecutor(writer)
  const tallies = openTallies(executor)
  const pad = openAuditPad(executor)
  const { session: remembering, versions } = rememberVersions(sessionOver(executor, tallies, pad))
  const { session, sequences } = rememberRelayers(executor, remembering)
  const deferred = together(versions, sequences, tallies, pad)
  const runAgain = runningWhileLocked(options.clock)
  const group = groupCommit(writer, unitsMax, deferred, executor.changes, runAgain)
  const probe = writer.prepare(
    'INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at',
  )

  const commit: Store['commit'] = (unit, relayer, ahead) =>
    group.commit(() => unit(session), { relayer, isLong: ahead?.long === true })
  // The count of a long queue delays no owner.
  const [works, previews] = [openSnapshots(worker), openSnapshots(counter)]

  const everything = opened.move()
  return {
    ...translatingErrors({ commit: loggingAudit(commit, options.logger) }, translateError),
    reads: translatingErrors(
      {
        ...readsOver(sqliteExecutor(reader)),
        work: (...parameters: Parameters<Reads['work']>) =>
          works.asOfOneInstant((executor) => loadWork(executor, ...parameters)),
        bulkMatches: (...parameters: Parameters<Reads['bulkMatches']>) =>
          previews.asOfOneInstant((executor) => loadMatches(executor, ...parameters)),
      },
      translateError,
      runAgain,
    ),
    async freeBytes() {
      const [disk, file] = await Promise.all([statfs(dirname(path)), stat(path)])
      // A checkpoint copies the log into the file. It waits while somebody has a snapshot open.
      const pages = Number(reader.pragma('page_count', { simple: true }))
      return disk.bavail * disk.bsize - Math.max(0, pages * pageBytes - file.size)
    },
    isReplaced: oncePerTurn(() => followed.isReplaced() || followedLog.isReplaced()),
    async check() {
      const write = async () => void probe.run(options.clock.now())
      await group.commit(write).catch((cause: unknown) => {
        throw takesNoWrite(whyUnavailable(cause), cause)
      })
    },
    async [Symbol.asyncDispose]() {
      await group.close()
      everything.dispose()
    },
  }
}

/** The calls in one turn of the event loop share an answer. */
function oncePerTurn(ask: () => boolean): () => boolean {
  let answer: boolean | undefined
  return () => {
    if (answer !== undefined) return answer
    setImmediate(() => {
      answer = undefined
    })
    answer = ask()
    return answer
  }
}

/** Resolves links, so that every name of a file leads to one lock; for a new file, the links of its folder. */
function trueName(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
}

function connect(path: string): Database.Database {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  // FULL: an answered request survives a power cut, not only a crash of the process.
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database.pragma('cache_size = -16384')
  // The next checkpoint truncates a write-ahead log that has grown.
  database.pragma('journal_size_limit = 67108864')
  return database
}

/** The folder may be open to others. SQLite gives the files beside the database the mode of the database. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // SQLite fails as well, and says why.
  }
}

function connectReader(path: string): Database.Database {
  const reader = connect(path)
  reader.pragma('query_only = ON')
  // Every commit of the writer empties the cache of a reader: a larger one would fill with pages that nobody reads again.
  reader.pragma('cache_size = -2048')
  return reader
}

// The size of the write-ahead log: it grows while another program keeps a snapshot of the file open, or checkpoints for the
// service.

/** Reports it for a scrape. Without a log its size is 0. */
export function samplingLog(path: string, metrics: Pick<StoreMetrics, 'logBytes'>): () => Promise<void> {
  return async () => {
    const found = await stat(`${path}-wal`).catch(() => undefined)
    metrics.logBytes(found?.size ?? 0)
  }
}

// Opens the store of a database, and how the replicas of it coordinate: names their implementations.
import type { Config } from './config/config.ts'
import type { Clock } from './ops/clock.ts'
import type { Logger } from './ops/logger.ts'
import type { ProcessStates } from './ops/process-states.ts'
import type { Random } from './ops/random.ts'
import type { Secret } from './ops/secret.ts'
import type { Hints } from './store/hints.ts'
import type { Locks } from './store/locks.ts'
import { openPostgresHints } from './store/postgres/hints.ts'
import type { KnownServer } from './store/postgres/known-server.ts'
import type { Lines } from './store/postgres/lines.ts'
import { openPostgresLocks } from './store/postgres/locks.ts'
import { openPostgresStore } from './store/postgres/open.ts'
import { openSqliteStore } from './store/sqlite/open.ts'
import type { Store } from './store/store.ts'

export interface StoreSurroundings {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly processStates: Pick<ProcessStates, 'set'>
  /** Ends the wait for another process that migrates the database. */
  readonly stop?: AbortSignal
  /** Where rows are kept; the configured database by default. */
  readonly openStore?: () => Promise<Store>
  /** How replicas share that store. Absent beside `openStore`: this process has the store to itself. */
  readonly openSharing?: () => Sharing
}

/** What the sessions of this process with a server share. */
interface SharedBySessions {
  readonly lines: Lines
  readonly server: KnownServer
}

/** How the replicas of one database coordinate. */
interface Sharing {
  readonly locks: Locks
  readonly hints: Hints
}

export function openSharing(
  database: Config['database'],
  { clock, random, logger, processStates: states, openStore, openSharing }: StoreSurroundings,
  { keys, ...shared }: SharedBySessions & { readonly keys: readonly Secret[] },
): Sharing | undefined {
  if (openStore) return openSharing?.()
  if (database.kind === 'sqlite') return undefined
  const { url } = database
  return {
    locks: openPostgresLocks({ url, clock, ...shared }),
    hints: openPostgresHints({ url, clock, random, logger, states, ...shared, keys }),
  }
}

export function openStore(
  database: Config['database'],
  { clock, logger, stop, openStore }: StoreSurroundings,
  shared: SharedBySessions,
): Promise<Store> {
  if (openStore) return openStore()
  return database.kind === 'postgres'
    ? openPostgresStore({ url: database.url, clock, logger, stop, ...shared })
    : openSqliteStore({ path: database.path, clock, logger })
}

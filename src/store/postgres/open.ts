// The store on PostgreSQL: some connections for units, others for reads.
import { RescindError } from '../../domain/errors.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Secret } from '../../ops/secret.ts'
import { loggingAudit } from '../access/log-audit.ts'
import { takesNoWrite, translatingErrors } from '../failure.ts'
import { readsOver } from '../reads.ts'
import type { Reads, Store } from '../store.ts'
import { loadMatches } from '../transactions/bulk/choose-in-bulk.ts'
import { loadWork } from '../transactions/found/load-work.ts'
import { cancelProbe, checkServer, openPool, poolLimits } from './connect.ts'
import { readingExecutor } from './executor.ts'
import { isDiskFull, isReadOnly, translateError, whyFailed } from './failure.ts'
import { type KnownServer, openKnownServer } from './known-server.ts'
import { openLanes } from './lanes.ts'
import type { Lines } from './lines.ts'
import { migrate, withRemedy } from './migrate.ts'
import { paceConnects } from './pace-connects.ts'
import { openDoubts } from './settle-doubt.ts'
import { isLostEvent, settleIdentity } from './settle-identity.ts'
import { openSettledEvents } from './settled-events.ts'
import { openSnapshots, withConnection } from './snapshot.ts'
import { watchAddress } from './watch-address.ts'

/** How long readiness reports a full disk. Afterwards a balancer sends requests again, which test the disk. */
const diskFullBelievedMs = 5_000

/** Throws OperatorError when the server can't be used, or when a later version has migrated the database. */
export async function openPostgresStore(options: {
  url: Secret
  clock: Clock
  logger: Logger
  lines?: Lines
  server?: KnownServer
  stop?: AbortSignal | undefined
}): Promise<Store> {
  const { url, clock, logger, lines, server = openKnownServer(), stop } = options
  await using opened = new AsyncDisposableStack()
  const onIdleError = (error: Error) => logger.warn({ err: error }, 'a connection to the database was lost')
  const common = { onIdleError, lines, server, pace: paceConnects(clock) }
  const writers = openPool(url, { ...common, max: poolLimits.writersMax })
  opened.defer(() => writers.end())
  await checkServer(writers)
  const began = clock.elapsed()
  const applied = await withConnection(writers, (client) => migrate(client, clock.now(), { clock, logger, stop }))
  if (applied.length > 0) {
    const tookMs = Math.round(clock.elapsed() - began)
    logger.info({ database: String(url), applied, took_ms: tookMs }, 'database schema is up to date')
  }
  const readers = openPool(url, { ...common, max: poolLimits.readersMax })
  opened.defer(() => readers.end())

  const reading = readingExecutor(readers)
  // More of them would be smaller, and each costs the same round trips.
  const snapshots = openSnapshots(readers, 2)
  // One of their own: the count of a long queue delays no owner, and leaves a connection to the other reads.
  const previews = openSnapshots(readers, 1)
  const events = openSettledEvents(reading, clock)
  server.onServer(async (client, identity) => events.restart(await settleIdentity(client, identity)))
  await withConnection(writers, (client) => server.settle(client)).catch((error: unknown) => {
    throw withRemedy(error)
  })
  const lanes = openLanes(writers, events, openDoubts({ url, server, clock, stop }))
  opened.defer(() => lanes.close())
  opened.use(watchAddress({ url, server, clock, logger }))

  let wasFullAt = Number.NEGATIVE_INFINITY
  /** The error for the unit's caller. */
  function translateAndNote(error: unknown): unknown {
    if (isDiskFull(error)) wasFullAt = clock.elapsed()
    if (isReadOnly(error)) void server.check()
    return translateError(error)
  }

  const everything = opened.move()
  return {
    ...translatingErrors({ commit: loggingAudit(lanes.commit, logger) }, translateAndNote),
    reads: translatingErrors(
      {
        ...readsOver({
          all: reading.all,
          settledEvent: () => events.read(reading),
          givenEvent: () => events.given(),
          isLostEvent: (id) => isLostEvent(readers, id),
        }),
        work: (...parameters: Parameters<Reads['work']>) =>
          snapshots.asOfOneInstant((executor) => loadWork(executor, ...parameters)),
        bulkMatches: (...parameters: Parameters<Reads['bulkMatches']>) =>
          previews.asOfOneInstant((executor) => loadMatches(executor, ...parameters)),
      },
      translateError,
    ),
    async check() {
      // On a full disk the probe would still succeed, since its row needs no new space.
      if (clock.elapsed() - wasFullAt < diskFullBelievedMs)
        throw new RescindError('NOT_READY', 'the database has a full disk')
      await writers.query(cancelProbe, [clock.now()]).catch((cause: unknown) => {
        translateAndNote(cause)
        throw takesNoWrite(whyFailed(cause), cause)
      })
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

// Opens retention: it deletes old audit records, contradictions, events and figures and,
// where the configuration sets an age, deletes old transactions and idempotency keys.
import type { RelayerId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { type Metrics, noMetrics } from '../ops/metrics.ts'
import type { EventRetention } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'
import { openArchive } from './archive.ts'
import { pruneEvents } from './prune-events.ts'
import { pruneIdempotencyKeys } from './prune-idempotency-keys.ts'
import { pruneRecords } from './prune-records.ts'
import { pruneTransactions } from './prune-transactions.ts'

/** The part of the engine that retention depends on. */
interface Retaining {
  readonly commands: { readonly store: Store }
  readonly management: { readonly registry: { relayers(): readonly { readonly id: RelayerId }[] } }
  /** Present where there are replicas. */
  readonly hints?: unknown
  /** Whether this process owns the relayer at the moment. */
  owns(relayer: RelayerId): boolean
}

interface RetentionSurroundings {
  /** A transaction as its archive shows it. */
  readonly present: Parameters<typeof openArchive>[0]['present']
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics?: Metrics
}

const dayMs = 86_400_000

interface Retention {
  readonly limits: Parameters<typeof pruneRecords>[0]['limits'] & EventRetention
  readonly retention: {
    readonly transactionsDays?: number
    readonly idempotencyKeysDays?: number
    readonly archive?: string
  }
}

export function openRetention(
  { limits, retention }: Retention,
  { clock, logger, metrics = noMetrics, present }: RetentionSurroundings,
  { commands: { store }, management: { registry }, hints, owns }: Retaining,
): AsyncDisposable {
  const { transactionsDays, idempotencyKeysDays, archive: directory } = retention
  // A relayer of another replica is left to that one. A deleted relayer has no owner.
  const isOurs = (relayer: RelayerId) =>
    hints === undefined || owns(relayer) || !registry.relayers().some(({ id }) => id === relayer)
  const opened = new AsyncDisposableStack()
  opened.use(pruneRecords({ store, clock, logger, limits }))
  opened.use(pruneEvents({ store, clock, logger, metrics: metrics.webhooks, retention: limits }))
  if (transactionsDays !== undefined) {
    const archive = directory && opened.use(openArchive({ directory, clock, present }))
    const keptMs = transactionsDays * dayMs
    opened.use(pruneTransactions({ store, clock, logger, isOurs, keptMs, ...(archive && { archive }) }))
  }
  if (idempotencyKeysDays !== undefined) {
    opened.use(pruneIdempotencyKeys({ store, clock, logger, keptMs: idempotencyKeysDays * dayMs }))
  }
  return opened
}

// Counts commits and changes of transactions, once they are durable.
import type { RelayerId } from '../../domain/ids.ts'
import type { Clock } from '../clock.ts'
import type { StoreMetrics } from '../metrics.ts'
import type { MetricsIn } from './metrics-in.ts'

/** A relayer's network, for histograms: one for each relayer would be too many series. */
export type NetworkOf = (relayer: RelayerId) => string

const chainBuckets = [0.05, 0.25, 1, 2.5, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400]

export function countStore(metrics: MetricsIn, clock: Clock, networkOf: NetworkOf): StoreMetrics {
  const commits = metrics.histogram(
    'rescind_store_commit_duration_seconds',
    'From the start of a unit of work until it is durable, including the wait for other units of its commit.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  )
  const units = metrics.counter(
    'rescind_store_units_total',
    'Units of work by how they ended: durable, refused (by a rule, such as for an unknown id), failed (the database).',
    ['end'],
  )
  const ends = { durable: units.labels('durable'), refused: units.labels('refused'), failed: units.labels('failed') }
  for (const end of Object.values(ends)) end.inc(0)
  const accepted = metrics.counter('rescind_transactions_accepted_total', 'Transactions stored.', ['relayer'])
  const reached = metrics.histogram(
    'rescind_transaction_status_duration_seconds',
    'From the creation of a transaction until it had the status, first or again.',
    chainBuckets,
    ['network', 'status'],
  )
  const attempts = metrics.counter(
    'rescind_attempts_total',
    'Attempts signed: execute (the payload, also at a higher price), replace (a later payload), cancel (a no-op).',
    ['relayer', 'kind'],
  )
  const paid = metrics.counter(
    'rescind_fees_paid_wei_total',
    'The fees of final transactions, no-ops and L1 fees of rollups included, without fees that no node reported.',
    ['relayer'],
  )
  const verdicts = metrics.counter(
    'rescind_cancellations_total',
    'Final verdicts: dropped, won, lost, external; by origin: request, expiry, refusal (by a node).',
    ['relayer', 'verdict', 'origin'],
  )
  const costs = metrics.counter(
    'rescind_cancellation_cost_wei_total',
    'The fees of the no-ops of won races, L1 fees of rollups included, without fees that no node reported.',
    ['relayer'],
  )
  const took = metrics.histogram(
    'rescind_cancellation_duration_seconds',
    'From the request of a cancellation to its final verdict; those that ended at once by a bulk cancellation are not in it.',
    chainBuckets,
    ['network', 'verdict'],
  )
  const log = metrics.gauge(
    'rescind_sqlite_log_bytes',
    'The size of the write-ahead log beside the SQLite file (-wal); 0 on PostgreSQL.',
  )
  return {
    logBytes: (bytes) => log.set(bytes),
    committing() {
      const begun = clock.elapsed()
      return (end) => {
        ends[end].inc()
        if (end === 'durable') commits.observe((clock.elapsed() - begun) / 1000)
      }
    },
    changed({ relayer, from, to, afterMs, signed, verdict, paid: wei }) {
      if (from === undefined) accepted.inc({ relayer })
      else if (from !== to) reached.observe({ network: networkOf(relayer), status: to }, seconds(afterMs))
      for (const kind of signed) attempts.inc({ relayer, kind })
      if (wei !== undefined) paid.inc({ relayer }, Number(wei))
      if (!verdict) return
      verdicts.inc({ relayer, verdict: verdict.state, origin: verdict.origin })
      if (verdict.cost !== undefined) costs.inc({ relayer }, Number(verdict.cost))
      took.observe({ network: networkOf(relayer), verdict: verdict.state }, seconds(verdict.afterMs))
    },
    dropped: (relayer, count) => verdicts.inc({ relayer, verdict: 'dropped', origin: 'request' }, count),
  }
}

/** A clock that was set back would make it negative. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1000
}

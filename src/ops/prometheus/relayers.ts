// Each relayer as of its last observation. Values are kept here, and written into gauges only at a scrape.
import type { HeldCondition } from '../../domain/condition.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { RelayerSnapshot } from '../../domain/relayer-observer.ts'
import type { Status } from '../../domain/transaction.ts'
import type { FundsSample, RelayerMetrics } from '../metrics.ts'
import type { MetricsIn } from './metrics-in.ts'
import type { NetworkOf } from './store.ts'

interface Seen {
  relayer: Relayer
  sight: Partial<RelayerSnapshot>
  /** Every condition that ever held, so that its end is visible, too. */
  held: Map<HeldCondition, boolean>
  balance?: bigint
  funds?: FundsSample
  counts?: Readonly<Record<Status, number>>
  bytes?: number
  window?: number
}

/** No observation of the chain ends it. */
const foreignUse: HeldCondition = 'foreign_use'

export function countRelayers(metrics: MetricsIn): RelayerMetrics & { readonly networkOf: NetworkOf } {
  const seen = new Map<RelayerId, Seen>()
  const entry = (relayer: Relayer): Seen => {
    const found: Seen = seen.get(relayer.id) ?? { relayer, sight: {}, held: new Map() }
    found.relayer = relayer
    seen.set(relayer.id, found)
    return found
  }
  /** Exactly `conditions` hold, as far as an observation of the chain ends them. */
  const hold = (found: Seen | undefined, conditions: readonly HeldCondition[]) => {
    for (const condition of found?.held.keys() ?? []) if (condition !== foreignUse) found?.held.set(condition, false)
    for (const condition of conditions) found?.held.set(condition, true)
  }
  const over = gaugesOver(seen, metrics)
  gauges(over)
  fundsGauges(over)
  const failures = metrics.counter(
    'rescind_relayer_step_failures_total',
    'Steps that failed unexpectedly; the relayer is acquired anew, as after a crash; see /docs/runbook.md#step_failing.',
    ['relayer'],
  )
  const foreign = metrics.counter(
    'rescind_relayer_foreign_nonces_total',
    'Nonces that foreign transactions spent, as looks of this process found them; see /docs/runbook.md#foreign_use.',
    ['relayer'],
  )
  const owned = metrics.gauge('rescind_relayers_owned', 'Relayers that this process advances.')
  return {
    owned: (count) => owned.set(count),
    networkOf: (id) => seen.get(id)?.relayer.network ?? 'unknown',
    observed(relayer, sight) {
      const found = entry(relayer)
      found.sight = sight
      if (sight.balance !== undefined) found.balance = sight.balance
      hold(found, sight.conditions)
    },
    idle(relayer) {
      const found = entry(relayer)
      const { accountNonce } = found.sight
      found.sight = { inFlight: 0, ...(accountNonce !== undefined && { accountNonce }) }
      hold(found, relayer.paused || relayer.networkPaused ? ['paused'] : [])
    },
    surveyed(relayer, { findings, balance }) {
      const found = entry(relayer)
      if (balance !== undefined) found.balance = balance
      hold(
        found,
        findings.map(({ condition }) => condition),
      )
    },
    window(id, size) {
      const found = seen.get(id)
      if (found) found.window = size
    },
    unreachable: (id) => seen.get(id)?.held.set('node_unreachable', true),
    failed(id) {
      failures.inc({ relayer: id })
      seen.get(id)?.held.set('step_failing', true)
    },
    released: (id) => seen.delete(id),
    accountInUse: (relayer, isInUse) => void entry(relayer).held.set('account_in_use', isInUse),
    foreignUse(relayer, { isHeld, nonces }) {
      entry(relayer).held.set(foreignUse, isHeld)
      foreign.inc({ relayer: relayer.id }, nonces)
    },
    counted(relayer, { bytes, ...counts }) {
      Object.assign(entry(relayer), { counts, bytes })
    },
    funded: (relayer, funds) => void Object.assign(entry(relayer), { funds }),
  }
}

/** Gauges that take their values from the relayers at a scrape. */
type Gauges = ReturnType<typeof gaugesOver>

function gaugesOver(seen: ReadonlyMap<RelayerId, Seen>, metrics: MetricsIn) {
  return { figure, read }

  function figure(name: string, help: string, of: (each: Seen) => number | undefined): void {
    read(name, help, ['relayer'], (set, each) => {
      const value = of(each)
      if (value !== undefined) set({ relayer: each.relayer.id }, value)
    })
  }

  function read<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    record: (set: (labels: Partial<Record<L, string | number>>, value: number) => void, each: Seen) => void,
  ): void {
    metrics.collected(name, help, labelNames, (gauge) => {
      for (const each of seen.values()) record((labels, value) => gauge.set(labels, value), each)
    })
  }
}

function gauges({ figure, read }: Gauges): void {
  const info = ['relayer', 'network', 'chain_id', 'address'] as const
  read('rescind_relayer_info', 'Always 1; its labels describe the relayer.', info, (set, { relayer }) => {
    set({ relayer: relayer.id, network: relayer.network, chain_id: relayer.chainId, address: relayer.address }, 1)
  })
  read(
    'rescind_transactions',
    'Transactions by status, as stored.',
    ['relayer', 'status'],
    (set, { relayer, counts }) => {
      for (const [status, count] of Object.entries(counts ?? {})) set({ relayer: relayer.id, status }, count)
    },
  )
  figure('rescind_relayer_pending_bytes', 'Bytes of the payloads of pending transactions.', ({ bytes }) => bytes)
  figure('rescind_relayer_in_flight', 'Transactions with a nonce that are not mined.', ({ sight }) => sight.inFlight)
  figure(
    'rescind_relayer_in_flight_limit',
    'How many transactions may be in flight: max_in_flight, or the window.',
    ({ relayer, window }) => relayer.policies.maxInFlight ?? window,
  )
  figure(
    'rescind_relayer_presigned_no_ops',
    'Pre-signed no-ops that are stored; absent without presign_cancel.',
    ({ relayer, sight }) => (relayer.policies.presignCancel ? (sight.presigned ?? 0) : undefined),
  )
  figure('rescind_relayer_account_nonce', "The account's nonce.", ({ sight }) => sight.accountNonce)
  figure(
    'rescind_relayer_nonce_lag',
    "The lowest nonce in flight less the account's: 0 as it should be; above, a transaction that is not ours comes first; below, ours is mined and not proven yet.",
    ({ sight: { lowestNonce, accountNonce } }) =>
      accountNonce === undefined ? undefined : (lowestNonce ?? accountNonce) - accountNonce,
  )
  figure(
    'rescind_relayer_oldest_open_timestamp_seconds',
    'When the oldest transaction that is queued or in flight was stored; absent without one.',
    ({ sight: { oldestAt } }) => (oldestAt === undefined ? undefined : oldestAt / 1000),
  )
  const why = ['relayer', 'condition'] as const
  read(
    'rescind_relayer_condition',
    '1 while the condition holds the relayer up, 0 afterwards; /docs/runbook.md has a section about each.',
    why,
    (set, { relayer, held }) => {
      for (const [condition, holds] of held) set({ relayer: relayer.id, condition }, holds ? 1 : 0)
    },
  )
}

function fundsGauges({ figure, read }: Gauges): void {
  figure('rescind_relayer_balance_wei', 'The balance when it was last read.', ({ balance }) => asNumber(balance))
  figure('rescind_relayer_min_balance_wei', 'min_balance of its policies.', ({ relayer }) =>
    asNumber(relayer.policies.minBalance),
  )
  figure(
    'rescind_relayer_runway_seconds',
    'How long the balance pays for sends at their present spending; absent without spending.',
    ({ funds }) => (funds?.runwayMs === undefined ? undefined : funds.runwayMs / 1_000),
  )
  read(
    'rescind_relayer_warning',
    '1 while the warning stands, 0 otherwise; it holds nothing up; see /docs/alerts.md#rescindtopupsoon.',
    ['relayer', 'warning'],
    (set, { relayer, funds }) => {
      for (const [warning, stands] of Object.entries(funds?.warnings ?? {}))
        set({ relayer: relayer.id, warning }, stands ? 1 : 0)
    },
  )
}

/** Exact to some 16 digits: enough for a gauge. */
function asNumber(wei: bigint | undefined): number | undefined {
  return wei === undefined ? undefined : Number(wei)
}

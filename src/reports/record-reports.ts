// By the owner: stores the last observation of each relayer that this process advances, from the reports of steps and surveys. A
// condition is stored within a second, and so is the balance that it is about; another balance and the time of the observation at most
// every half minute. The commit of a report writes the events that it makes.
import { isOfMoney } from '../domain/condition.ts'
import { defined } from '../domain/defined.ts'
import type { NetworkName, RelayerId } from '../domain/ids.ts'
import { type Held, heldSince, type OwnerReport } from '../domain/owner-report.ts'
import { firstDayOf, fundsAfter } from '../domain/runway.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Session, Store } from '../store/store.ts'
import { rememberReports, type Seen, type SeenReports } from './remember-reports.ts'

export interface RecordingReports extends AsyncDisposable, SeenReports {}

/** An observation that differs in nothing but its time and its balance is stored no sooner after the last. */
const unchangedMs = 30_000

export function recordReports({
  store,
  clock,
  logger,
}: {
  readonly store: Pick<Store, 'commit' | 'reads'>
  readonly clock: Clock
  readonly logger: Logger
}): RecordingReports {
  const changed = new Set<RelayerId>()
  /** Reports as last read or written by this process. */
  const stored = new Map<RelayerId, OwnerReport | undefined>()
  /** Another report of the relayer from then on may make an event; infinity: none would. The first report of this process says it. */
  const wanted = new Map<RelayerId, TimestampMs>()
  const seen = rememberReports(clock, {
    changed: (id) => void changed.add(id),
    // Another owner writes it from now on.
    released(id) {
      stored.delete(id)
      wanted.delete(id)
    },
  })

  async function flush(): Promise<void> {
    const due: Due[] = []
    for (const id of changed) {
      const each = seen.get(id)
      if (each && !stored.has(id)) stored.set(id, await store.reads.ownerReport(id))
      const before = stored.get(id)
      if (each && isDue(each, before, { wantedAt: wanted.get(id), now: clock.now() }))
        due.push({ id, report: await withFunds(id, each, before) })
      else if (!each || each.observedAt === before?.observedAt) changed.delete(id)
    }
    if (due.length === 0) return
    const next = await store.commit((session) => recordAll(session, due))
    for (const { id, report } of due) {
      stored.set(id, report)
      wanted.set(id, next.get(id) ?? Number.POSITIVE_INFINITY)
      if (seen.get(id)?.observedAt === report.observedAt) changed.delete(id)
    }
  }

  /** The warnings begin and end with the report that is stored, so an owner that takes over goes on with them. */
  async function withFunds(id: RelayerId, each: Seen, before: OwnerReport | undefined): Promise<OwnerReport> {
    const report = reportOf(each, before)
    const { policies, balance, free } = each
    if (!policies) return { ...report, ...(before?.funds && { funds: before.funds }) }
    const days = await store.reads.spendOf(id, firstDayOf(report.observedAt))
    const reading = defined({ balance: balance?.wei, free })
    return { ...report, funds: fundsAfter(reading, days, { policies, before: before?.funds, now: report.observedAt }) }
  }

  const lines = {
    began: 'the last observations of relayers could not be stored; trying again',
    over: 'the last observations of relayers are stored again',
  }
  const flushing = inRounds({ clock, logger, everyMs: 1_000, lines, round: flush, end: flush })

  /** Nothing else would look at an idle relayer for minutes. */
  function isWanted(id: RelayerId): boolean {
    const [each, wantedAt] = [seen.get(id), wanted.get(id)]
    return each?.isIdle === true && wantedAt !== undefined && each.observedAt < wantedAt && wantedAt <= clock.now()
  }

  return {
    ...seen,
    isDoubtful: (id) => seen.isDoubtful(id) || isWanted(id),
    [Symbol.asyncDispose]: () => flushing[Symbol.asyncDispose](),
  }
}

interface Due {
  readonly id: RelayerId
  readonly report: OwnerReport
}

/** Returns when another report of a relayer may make an event. */
async function recordAll(session: Session, due: readonly Due[]): Promise<ReadonlyMap<RelayerId, TimestampMs>> {
  const next = new Map<RelayerId, TimestampMs>()
  const networks = new Map<NetworkName, { readonly ids: RelayerId[]; at: TimestampMs }>()
  for (const { id, report } of due) {
    const { nextAt, network } = await session.recordReport(id, report)
    if (nextAt !== undefined) next.set(id, nextAt)
    if (network === undefined) continue
    const shared = networks.get(network) ?? { ids: [], at: report.observedAt }
    shared.ids.push(id)
    shared.at = Math.max(shared.at, report.observedAt)
    networks.set(network, shared)
  }
  for (const [network, { ids, at }] of networks) {
    const nextAt = await session.attendNetwork(network, at)
    if (nextAt === undefined) continue
    for (const id of ids) next.set(id, Math.min(nextAt, next.get(id) ?? nextAt))
  }
  return next
}

function reportOf({ observedAt, notedAt, balance, found }: Seen, before: OwnerReport | undefined): OwnerReport {
  return { observedAt, ...(balance && { balance }), conditions: heldSince(found, before?.conditions ?? [], notedAt) }
}

interface DueTimes {
  readonly wantedAt: TimestampMs | undefined
  readonly now: TimestampMs
}

function isDue(each: Seen, before: OwnerReport | undefined, { wantedAt, now }: DueTimes): boolean {
  if (!before || wantedAt === undefined) return true
  const isAwaited = now - before.observedAt >= unchangedMs || each.observedAt >= wantedAt
  if (isAwaited && each.observedAt > before.observedAt) return true
  if (each.found.length !== before.conditions.length) return true
  // The payment that ends it is computed from this balance and the rows of now.
  if (each.found.some(isOfMoney) && each.balance?.wei !== before.balance?.wei) return true
  return each.found.length > 0 && !isSame(reportOf(each, before).conditions, before.conditions)
}

/** Whether the conditions are the same. Texts don't count: they follow prices, and each change of a price would be a write. */
function isSame(one: readonly Held[], other: readonly Held[]): boolean {
  return one.every(({ condition }, index) => condition === other[index]?.condition)
}

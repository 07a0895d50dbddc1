// Stores the last observation of each relayer that this process advances, from the reports of steps and surveys. A condition
// is stored within a second; a balance and the time of the observation at most every half minute.

import { isDeepStrictEqual } from 'node:util'
import type { HeldCondition } from '../domain/condition.ts'
import type { RelayerId } from '../domain/ids.ts'
import {
  type BalanceReading,
  type FoundCondition,
  type Held,
  heldSince,
  type OwnerReport,
} from '../domain/owner-report.ts'
import type { Policies } from '../domain/policy-table.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { RelayerObserver } from '../domain/relayer-observer.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

export interface RecordingReports extends AsyncDisposable {
  readonly observer: RelayerObserver
  /** Whether the conditions of an idle relayer may be over: a survey finds them anew. */
  isDoubtful(id: RelayerId): boolean
}

const flushMs = 1_000
/** An observation that differs in nothing but its time and its balance is stored no sooner after the last. */
const unchangedMs = 30_000

interface Seen {
  readonly observedAt: TimestampMs
  readonly balance?: BalanceReading
  readonly found: readonly FoundCondition[]
  /** By which the conditions were found. Absent where a failure was reported. */
  readonly policies?: Policies
  /** A step found them, or a survey. */
  readonly by: 'step' | 'survey'
  /** Idle since: what the step found may be over. */
  readonly isDoubtful: boolean
}

interface Noted {
  readonly balance?: bigint
  readonly by?: Seen['by']
  readonly policies?: Policies
  readonly isDoubtful?: boolean
  readonly observedAt?: TimestampMs
}

export function recordReports({
  store,
  clock,
  logger,
}: {
  readonly store: Pick<Store, 'commit' | 'reads'>
  readonly clock: Clock
  readonly logger: Logger
}): RecordingReports {
  const seen = new Map<RelayerId, Seen>()
  const changed = new Set<RelayerId>()
  /** As last read or written by this process. */
  const stored = new Map<RelayerId, OwnerReport | undefined>()
  const stopping = new AbortController()
  const outage = loggingOutage(logger, {
    began: 'the last observations of relayers could not be stored; trying again',
    over: 'the last observations of relayers are stored again',
  })

  function note(id: RelayerId, found: readonly FoundCondition[], noted: Noted = {}): void {
    const { balance, by = 'step', isDoubtful = false, observedAt = clock.now(), policies } = noted
    const read = balance === undefined ? seen.get(id)?.balance : { wei: balance, readAt: observedAt }
    seen.set(id, { observedAt, found, by, isDoubtful, ...(policies && { policies }), ...(read && { balance: read }) })
    changed.add(id)
  }

  /** Its conditions are those of the last step or survey. Before the first, those of the row. */
  function noteIdle({ id, paused, policies }: Relayer): void {
    const before = seen.get(id)
    if (!before) return
    const { found, by, observedAt } = before
    const wasPaused = found.some(({ condition }) => condition === 'paused')
    const rest = without(found, 'paused')
    const isChanged = wasPaused !== paused || !isDeepStrictEqual(before.policies ?? policies, policies)
    const isDoubtful = before.isDoubtful || isChanged || (by === 'step' && rest.length > 0)
    note(id, paused ? including(rest, 'paused') : rest, { by, isDoubtful, observedAt, policies })
  }

  const foundBefore = (id: RelayerId) => seen.get(id)?.found ?? []

  async function flush(): Promise<void> {
    const due: { readonly id: RelayerId; readonly report: OwnerReport }[] = []
    for (const id of changed) {
      const each = seen.get(id)
      if (each && !stored.has(id)) stored.set(id, await store.reads.ownerReport(id))
      const before = stored.get(id)
      if (each && isDue(each, before)) due.push({ id, report: reportOf(each, before) })
      else if (!each || each.observedAt === before?.observedAt) changed.delete(id)
    }
    if (due.length === 0) return
    await store.commit(async (session) => {
      for (const { id, report } of due) await session.recordReport(id, report)
    })
    for (const { id, report } of due) {
      stored.set(id, report)
      if (seen.get(id)?.observedAt === report.observedAt) changed.delete(id)
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(flushMs, stopping.signal)
      await flush().then(outage.worked, outage.failed)
    }
  }

  const running = run()
  return {
    isDoubtful: (id) => seen.get(id)?.isDoubtful === true,
    observer: {
      looked({ id, policies }, { conditions, balance }) {
        const found = conditions.map((condition) => ({ condition }))
        note(id, found, { policies, ...(balance !== undefined && { balance }) })
      },
      idle: noteIdle,
      surveyed: ({ id, policies }, { findings, ...read }) => note(id, findings, { ...read, policies, by: 'survey' }),
      unreachable: (id) => note(id, including(foundBefore(id), 'node_unreachable')),
      failed: (id) => note(id, including(foundBefore(id), 'step_failing')),
      accountInUse: ({ id }: Relayer, isInUse) =>
        note(id, isInUse ? including(foundBefore(id), 'account_in_use') : without(foundBefore(id), 'account_in_use')),
      released(id) {
        seen.delete(id)
        // Another owner writes it from now on.
        stored.delete(id)
      },
      window: () => undefined,
      owned: () => undefined,
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

function reportOf({ observedAt, balance, found }: Seen, before: OwnerReport | undefined): OwnerReport {
  return { observedAt, ...(balance && { balance }), conditions: heldSince(found, before?.conditions ?? [], observedAt) }
}

function isDue(each: Seen, before: OwnerReport | undefined): boolean {
  if (!before || each.observedAt - before.observedAt >= unchangedMs) return true
  if (each.found.length !== before.conditions.length) return true
  return each.found.length > 0 && !isSame(reportOf(each, before).conditions, before.conditions)
}

/** Texts follow balances and prices: each change of a price would be a write. */
function isSame(one: readonly Held[], other: readonly Held[]): boolean {
  return one.every(({ condition }, index) => condition === other[index]?.condition)
}

function including(found: readonly FoundCondition[], condition: HeldCondition): readonly FoundCondition[] {
  return found.some((each) => each.condition === condition) ? found : [...found, { condition }]
}

function without(found: readonly FoundCondition[], condition: HeldCondition): readonly FoundCondition[] {
  return found.filter((each) => each.condition !== condition)
}

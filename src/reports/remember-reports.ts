// By the owner: remembers the last report of a step or a survey of each relayer that this process advances, until it is stored.
import { isDeepStrictEqual } from 'node:util'
import type { HeldCondition } from '../domain/condition.ts'
import { defined } from '../domain/defined.ts'
import { foreignUse } from '../domain/foreign-use.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { BalanceReading, FoundCondition } from '../domain/owner-report.ts'
import { isPaused } from '../domain/pause.ts'
import type { Policies } from '../domain/policy-table.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { RelayerObserver } from '../domain/relayer-observer.ts'
import type { TimestampMs, Wei } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'

const unseenMs = 30_000

export interface Seen {
  readonly observedAt: TimestampMs
  /** A condition that is new in `found` holds since then: that of a pause or of a foreign use is noted between observations. */
  readonly notedAt: TimestampMs
  readonly balance?: BalanceReading
  /** What further sends may use, as last known. */
  readonly free?: Wei
  readonly found: readonly FoundCondition[]
  /** The policies by which the conditions were found. Absent where a failure was reported. */
  readonly policies?: Policies
  /** The finder of the conditions. */
  readonly by: 'step' | 'survey'
  /** Whether nothing is open. */
  readonly isIdle: boolean
  /** Whether the conditions may be over: the relayer became idle since. */
  readonly isDoubtful: boolean
}

type Noted = Partial<Omit<Seen, 'balance' | 'found' | 'notedAt'>> & { readonly balance?: Wei }

/** The last look of a survey. */
interface Look {
  /** The next look, in elapsed milliseconds. */
  readonly nextAt: number
  /** Whether no node answered. */
  readonly isSilent: boolean
}

export interface SeenReports {
  readonly observer: Omit<RelayerObserver, 'window' | 'owned'>
  /** A relayer that was released since has none. */
  readonly looks: Map<RelayerId, Look>
  get(id: RelayerId): Seen | undefined
  /** Whether the conditions of an idle relayer may be over: a survey finds them anew. */
  isDoubtful(id: RelayerId): boolean
  /** Whether a relayer with open transactions has not been observed for half a minute. True at most once in that time. */
  isUnseen(id: RelayerId): boolean
}

/** Calls `changed` at each report, and `released` when another process may own the relayer. */
export function rememberReports(
  clock: Clock,
  { changed, released }: { readonly changed: (id: RelayerId) => void; readonly released: (id: RelayerId) => void },
): SeenReports {
  const seen = new Map<RelayerId, Seen>()
  const wokenAt = new Map<RelayerId, TimestampMs>()
  const looks = new Map<RelayerId, Look>()
  /** The relayers whose keys were used elsewhere. No observation of the chain ends that. */
  const usedElsewhere = new Set<RelayerId>()

  function note(id: RelayerId, conditions: readonly FoundCondition[], noted: Noted = {}): void {
    const found = usedElsewhere.has(id) ? including(conditions, foreignUse) : without(conditions, foreignUse)
    const { balance, by = 'step', isIdle = false, isDoubtful = false, observedAt = clock.now(), policies } = noted
    const read = balance === undefined ? seen.get(id)?.balance : { wei: balance, readAt: observedAt }
    const free = noted.free ?? seen.get(id)?.free
    const at = { observedAt, notedAt: clock.now() }
    seen.set(id, { ...at, found, by, isIdle, isDoubtful, ...defined({ policies, balance: read, free }) })
    changed(id)
  }

  /** Notes that a relayer is idle. Its conditions are those of the last step or survey; before the first, those of the row. */
  function noteIdle(relayer: Relayer): void {
    const { id, policies } = relayer
    const paused = isPaused(relayer)
    const before = seen.get(id)
    if (!before) return
    const { found, by, observedAt } = before
    const wasPaused = found.some(({ condition }) => condition === 'paused')
    const rest = without(without(found, 'paused'), foreignUse)
    const isChanged = wasPaused !== paused || !isDeepStrictEqual(before.policies ?? policies, policies)
    const isDoubtful = before.isDoubtful || isChanged || (by === 'step' && rest.length > 0)
    note(id, paused ? including(rest, 'paused') : rest, { by, isIdle: true, isDoubtful, observedAt, policies })
  }

  const foundBefore = (id: RelayerId) => seen.get(id)?.found ?? []

  return {
    looks,
    get: (id) => seen.get(id),
    isDoubtful: (id) => seen.get(id)?.isDoubtful === true,
    isUnseen(id) {
      const each = seen.get(id)
      if (!each || each.isIdle) return false
      const now = clock.now()
      const since = Math.max(each.observedAt, wokenAt.get(id) ?? 0)
      if (now - since < unseenMs) return false
      wokenAt.set(id, now)
      return true
    },
    observer: {
      observed({ id, policies }, { conditions, balance, free }) {
        const found = conditions.map((condition) => ({ condition }))
        note(id, found, { policies, ...defined({ balance, free }) })
      },
      idle: noteIdle,
      surveyed: ({ id, policies }, { findings, ...read }) =>
        note(id, findings, { ...read, policies, by: 'survey', isIdle: true }),
      unreachable: (id) => note(id, including(foundBefore(id), 'node_unreachable')),
      failed: (id) => note(id, including(foundBefore(id), 'step_failing')),
      accountInUse: ({ id }: Relayer, isInUse) =>
        note(id, isInUse ? including(foundBefore(id), 'account_in_use') : without(foundBefore(id), 'account_in_use')),
      foreignUse({ id }, { isHeld }) {
        mark(usedElsewhere, id, isHeld)
        const before = seen.get(id)
        if (!before) return
        const { found, balance: _, ...rest } = before
        note(id, found, rest)
      },
      released(id) {
        seen.delete(id)
        usedElsewhere.delete(id)
        wokenAt.delete(id)
        looks.delete(id)
        released(id)
      },
    },
  }
}

function including(found: readonly FoundCondition[], condition: HeldCondition): readonly FoundCondition[] {
  return found.some((each) => each.condition === condition) ? found : [...found, { condition }]
}

function without(found: readonly FoundCondition[], condition: HeldCondition): readonly FoundCondition[] {
  return found.filter((each) => each.condition !== condition)
}

function mark(ids: Set<RelayerId>, id: RelayerId, isMarked: boolean): void {
  if (isMarked) ids.add(id)
  else ids.delete(id)
}

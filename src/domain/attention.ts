// Which conditions of a relayer, or of the nodes that relayers share, its events report. A condition counts once it has held for a minute,
// and is over once it was absent for a minute. It begins at most once in ten minutes. So one that comes and goes with each block is
// no event, and one that comes and goes with each minute makes one pair of events in ten minutes.
import type { HeldCondition } from './condition.ts'
import type { NetworkName, RelayerId } from './ids.ts'
import type { TimestampMs } from './units.ts'

const countsAfterMs = 60_000
const beginsEveryMs = 600_000

/** A condition whose beginning was an event. */
interface Begun {
  readonly condition: HeldCondition
  readonly since: TimestampMs
  /** The time of the event. */
  readonly beganAt: TimestampMs
  /** The first look without it since it last held. */
  readonly goneAt?: TimestampMs
  /** Its end was an event. It is kept for as long as it may not begin again. */
  readonly isOver?: true
}

/** What the events of one subject have shown so far, as stored. */
export type Attention = readonly Begun[]

/** A condition of the last look. */
export interface LookedAt {
  readonly condition: HeldCondition
  readonly since: TimestampMs
  readonly observedAt: TimestampMs
  readonly isAcknowledged: boolean
}

interface Attended {
  readonly attention: Attention
  /** Whether a condition began or ended: an event. */
  readonly isEvent: boolean
  /** The time from which another look, with the same conditions, would make an event. Absent: none would. */
  readonly nextAt?: TimestampMs
}

/** A user's decision, and no fault. */
const silent: readonly HeldCondition[] = ['on_hold', 'paused']

/** `now`: the time of the newest look. Looks alone make events, so that the same looks make the same events. */
export function attend(before: Attention, looked: readonly LookedAt[], now: TimestampMs): Attended {
  const held = looked.filter(({ condition }) => !silent.includes(condition))
  const holds = new Set(held.map(({ condition }) => condition))
  const followed = before.map((each) => follow(each, holds.has(each.condition), now))
  const kept = followed.filter(({ beganAt, isOver }) => !isOver || now < beganAt + beginsEveryMs)
  // Whoever has acknowledged a condition knows of it. One that had begun still ends.
  const toBegin = held.filter(({ isAcknowledged, condition }) => !isAcknowledged && !isOpenIn(kept, condition))
  const mayBegin = ({ condition, since }: LookedAt) =>
    Math.max(since + countsAfterMs, ...kept.filter((each) => each.condition === condition).map(nextBeginning))
  const begun = toBegin
    .filter((each) => each.observedAt >= mayBegin(each))
    .map(({ condition, since }): Begun => ({ condition, since, beganAt: now }))
  const attention = [...kept, ...begun]
  const nexts = [
    ...toBegin.filter(({ condition }) => !isOpenIn(attention, condition)).map(mayBegin),
    ...attention.flatMap(({ isOver, goneAt }) => (isOver || goneAt === undefined ? [] : [goneAt + countsAfterMs])),
  ]
  return {
    attention,
    isEvent: begun.length > 0 || followed.some(({ isOver }, index) => isOver !== before[index]?.isOver),
    ...(nexts.length > 0 && { nextAt: Math.min(...nexts) }),
  }
}

/** No relayer is left. */
export function endOf(before: Attention): Attended {
  return { attention: [], isEvent: before.some(({ isOver }) => !isOver) }
}

function follow(each: Begun, isHeld: boolean, now: TimestampMs): Begun {
  const { goneAt = now, isOver, ...rest } = each
  if (isOver) return each
  if (isHeld) return rest
  return { ...rest, goneAt, ...(now >= goneAt + countsAfterMs && { isOver: true }) }
}

const nextBeginning = ({ beganAt }: Begun) => beganAt + beginsEveryMs

function isOpenIn(attention: Attention, condition: HeldCondition): boolean {
  return attention.some((each) => each.condition === condition && !each.isOver)
}

/** What an event shows: all conditions that have begun and are not over. */
export interface ShownAttention {
  readonly network: NetworkName
  /** Present where the subject is the nodes of the network, which its relayers share. */
  readonly isOfNetwork?: true
  readonly relayers: readonly { readonly id: RelayerId; readonly waiting: number }[]
  readonly conditions: readonly Pick<Begun, 'condition' | 'since'>[]
}

export function shownConditions(attention: Attention): ShownAttention['conditions'] {
  return attention.filter(({ isOver }) => !isOver).map(({ condition, since }) => ({ condition, since }))
}

/** An event as one reader sees it. */
export interface AttentionEvent {
  readonly id: number
  readonly occurredAt: TimestampMs
  readonly attention: ShownAttention
}

/** Undefined for a reader that sees none of the relayers. */
export function attentionSeen(
  { attention, ...event }: AttentionEvent,
  sees: (relayer: RelayerId) => boolean,
): AttentionEvent | undefined {
  const relayers = attention.relayers.filter(({ id }) => sees(id))
  return relayers.length > 0 ? { ...event, attention: { ...attention, relayers } } : undefined
}

/** The conditions of a network's nodes, from the last looks of the relayers that share them: each as the longest of these has it. */
export function ofSharedNodes(looked: readonly LookedAt[]): readonly LookedAt[] {
  const groups = Map.groupBy(looked, ({ condition }) => condition)
  const heldMs = ({ observedAt, since }: LookedAt) => observedAt - since
  return [...groups.values()].flatMap((group) => {
    const longest = group.toSorted((one, other) => heldMs(other) - heldMs(one))[0]
    return longest ? [{ ...longest, isAcknowledged: group.every(({ isAcknowledged }) => isAcknowledged) }] : []
  })
}

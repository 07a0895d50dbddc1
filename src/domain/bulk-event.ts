// The events of a bulk cancellation. One row of the outbox says at which of its relayers something has changed, and at which there is more
// to come: so it is the last one for a reader that sees none of the latter. A notification gets one event, once all of its relayers are
// final. A part that was final once makes no further event.
import type { BulkCancellation, BulkPart } from './bulk-cancellation.ts'
import type { RelayerId } from './ids.ts'
import type { TimestampMs } from './units.ts'

/** An event as one reader sees it. */
export interface BulkEvent {
  readonly id: number
  /** `bulkFinal`: the last one of the reader's relayers. */
  readonly kind: 'bulkProgress' | 'bulkFinal'
  readonly occurredAt: TimestampMs
  /** The relayers, among those that the reader sees, at which something has changed. */
  readonly changed: readonly RelayerId[]
  /** The object as it is now, which may be later than the event. Its parts are those that the reader sees. */
  readonly bulk: BulkCancellation
}

/** The numbers of an event's parts. */
export interface BulkEventParts {
  readonly changed: readonly number[]
  /** Parts that are not final yet. */
  readonly open: readonly number[]
}

/** The state of an object that its events have shown so far. */
export interface BulkShown {
  /** The appearance of each part, by its number. */
  readonly parts: Readonly<Record<string, string>>
  /** Parts that the event of a notification was about. */
  readonly notified: readonly number[]
}

export const nothingShown: BulkShown = { parts: {}, notified: [] }

/** The time between two events of one object. */
export const bulkEventEveryMs = 1_000

export interface BulkAnnouncement {
  /** Absent if nothing that a reader sees has changed. */
  readonly event?: BulkEventParts
  readonly notices: readonly { readonly notificationId: string; readonly parts: readonly number[] }[]
  readonly shown: BulkShown
  /** No event comes after these. */
  readonly isOver: boolean
}

const final = 'final'

function appearanceOf({ state, counts, already, refused, finalAt }: BulkPart): string {
  if (finalAt !== undefined) return final
  return [state, ...Object.values(counts), already, refused.length].join(' ')
}

/** A part that waits has nothing to show. */
function isChanged(part: BulkPart, { parts }: BulkShown): boolean {
  const before = parts[part.number]
  if (before === undefined) return part.state !== 'waiting' || part.finalAt !== undefined
  return before !== final && before !== appearanceOf(part)
}

/** Whether there is something to announce, or an object without relayers to close. */
export function isToAnnounce({ parts }: Pick<BulkCancellation, 'parts'>, shown: BulkShown): boolean {
  return parts.length === 0 || parts.some((part) => isChanged(part, shown))
}

/**
 * Undefined if there is nothing to announce now. `announcedAt`: the time of the last event, later than now if a clock was wrong.
 */
export function announcementOf(
  { origin, parts }: Pick<BulkCancellation, 'origin' | 'parts'>,
  { shown, announcedAt }: { readonly shown: BulkShown; readonly announcedAt: TimestampMs | undefined },
  notificationOf: (relayer: RelayerId) => string | undefined,
  now: TimestampMs,
): BulkAnnouncement | undefined {
  if (announcedAt !== undefined && announcedAt <= now && now < announcedAt + bulkEventEveryMs) return undefined
  if (!isToAnnounce({ parts }, shown)) return undefined
  const changed = parts.filter((part) => isChanged(part, shown))
  const next: Record<string, string> = { ...shown.parts }
  for (const part of changed) next[part.number] = appearanceOf(part)
  const isOpen = ({ number }: BulkPart) => next[number] !== final
  const open = parts.filter(isOpen)
  // A relayer may have got another notification since: each part is in one event of a notification.
  const left = origin === 'delete' ? [] : parts.filter(({ number }) => !shown.notified.includes(number))
  const groups = Map.groupBy(left, ({ relayerId }) => notificationOf(relayerId))
  const notices = [...groups].flatMap(([notificationId, group]) =>
    notificationId === undefined || group.some(isOpen) ? [] : [{ notificationId, parts: numbersOf(group) }],
  )
  return {
    ...(changed.length > 0 && { event: { changed: numbersOf(changed), open: numbersOf(open) } }),
    notices,
    shown: { parts: next, notified: [...shown.notified, ...notices.flatMap((notice) => notice.parts)] },
    isOver: open.length === 0,
  }
}

function numbersOf(parts: readonly BulkPart[]): readonly number[] {
  return parts.map(({ number }) => number)
}

/** Undefined for a reader that sees none of the changes. */
export function bulkEventSeen(
  { id, occurredAt, changed, open }: BulkEventParts & Pick<BulkEvent, 'id' | 'occurredAt'>,
  bulk: BulkCancellation,
  sees: (relayer: RelayerId) => boolean,
): BulkEvent | undefined {
  const parts = bulk.parts.filter(({ relayerId }) => sees(relayerId))
  const moved = parts.filter(({ number }) => changed.includes(number))
  if (moved.length === 0) return undefined
  return {
    ...{ id, occurredAt, changed: moved.map(({ relayerId }) => relayerId), bulk: { ...bulk, parts } },
    kind: parts.some(({ number }) => open.includes(number)) ? 'bulkProgress' : 'bulkFinal',
  }
}

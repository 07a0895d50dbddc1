// The room for sends in a relayer's queue. A send takes a sequence, and nothing else that clients do adds a pending transaction. So one
// count is enough for as many sequences as there was room for, whichever replica takes them: with 20,000 of 50,000 pending before
// sequence 60,000 is stored, all up to 89,999 fit.
import { RescindError } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Session } from '../store/store.ts'

/** Why a relayer takes no new payload now. */
export interface RoomRefusal {
  readonly code: 'QUEUE_FULL' | 'STORAGE_LOW'
  readonly message: string
}

export interface QueueRooms {
  /** How many pending transactions a relayer may hold. A send beyond them is refused with QUEUE_FULL. */
  readonly max: number
  /** For one request that sends to the relayer. */
  of(relayerId: RelayerId): QueueRoom
  /** Replaces the refusals of payloads. */
  refuseWhere(why: (relayerId: RelayerId) => RoomRefusal | undefined): void
  /**
   * Throws QUEUE_FULL or STORAGE_LOW where the bytes of payloads are too many (watch-room.ts). Call it in the unit that stores one: a
   * request that repeats another is not refused.
   */
  refusePayload(relayerId: RelayerId): void
}

export interface QueueRoom {
  /** How many of `count` transactions fit, whose sequences begin with `first`. Call it in the unit that stores them. */
  roomFor(session: Session, first: number, count: number): Promise<number>
  /** Call it when that unit is durable: before that, its count may include cancellations that are undone with it. */
  keep(): void
}

export function openQueueRooms(max: number): QueueRooms {
  /** The last sequence that fits for certain. No more can be pending than were ever stored. */
  const through = new Map<RelayerId, number>()
  let whyRefused: (relayerId: RelayerId) => RoomRefusal | undefined = () => undefined
  return {
    max,
    of(relayerId) {
      let counted: number | undefined
      return {
        async roomFor(session, first, count) {
          // A unit may run again after it was undone.
          counted = undefined
          if (first + count - 1 <= (through.get(relayerId) ?? max)) return count
          const room = max - (await session.pending(relayerId))
          counted = first - 1 + room
          return Math.min(count, Math.max(0, room))
        },
        keep() {
          if (counted !== undefined) through.set(relayerId, Math.max(through.get(relayerId) ?? max, counted))
        },
      }
    },
    refuseWhere(why) {
      whyRefused = why
    },
    refusePayload(relayerId) {
      const refusal = whyRefused(relayerId)
      if (refusal) throw new RescindError(refusal.code, refusal.message)
    },
  }
}

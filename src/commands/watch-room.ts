// Reads, at intervals, how many bytes pending transactions have, and how much space is free on SQLite's disk. New payloads are refused while
// the bytes are above their limit, or the space is only enough for cancellations. Cancellations and the owner's writes go on. Between two
// readings a process may accept some more payloads.
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { ProcessStates } from '../ops/process-states.ts'
import type { PendingOfRelayer, Store } from '../store/store.ts'
import type { QueueRooms, RoomRefusal } from './queue-room.ts'

interface RoomLimits {
  /** Bytes of the payloads of pending transactions, of a relayer and of all. */
  readonly pendingBytesMax: number
  readonly allPendingBytesMax: number
  /** Free space that is kept, and more of it for each pending transaction, beside its bytes. */
  readonly diskKeptBytes: number
  readonly cancelBytesMax: number
}

interface WatchRoom {
  readonly store: Pick<Store, 'freeBytes'> & { readonly reads: Pick<Store['reads'], 'pending'> }
  readonly queueRooms: Pick<QueueRooms, 'refuseWhere'>
  readonly processStates: Pick<ProcessStates, 'set'>
  readonly limits: RoomLimits
  readonly clock: Clock
  readonly logger: Logger
}

/** From here on a condition warns. */
const highShare = 3 / 4
/** Sends fill a disk within seconds. A server has its own limits, and several processes that look. */
const [everyMsOnSqlite, everyMs] = [500, 2_000]

export function watchRoom({ store, queueRooms, processStates, limits, clock, logger }: WatchRoom): AsyncDisposable {
  async function round(): Promise<void> {
    const pending = await store.reads.pending()
    const free = (await store.freeBytes?.()) ?? Number.POSITIVE_INFINITY
    const high = highBytes(pending, limits)
    processStates.set('pending_bytes_high', high !== undefined, high)
    const kept = limits.diskKeptBytes + bytesOf(pending) + countOf(pending) * limits.cancelBytesMax
    const low = `${mebibytes(Math.max(0, free))} free, and ${mebibytes(kept)} are kept for cancellations`
    processStates.set('disk_low', free < kept, low)
    if (free < kept) {
      const message = `the disk of the database has ${low}; make room there, or cancel transactions`
      return queueRooms.refuseWhere(() => ({ code: 'STORAGE_LOW', message }))
    }
    const areAllFull = bytesOf(pending) >= limits.allPendingBytesMax
    const full = new Set(pending.filter(({ bytes }) => bytes >= limits.pendingBytesMax).map((each) => each.relayerId))
    queueRooms.refuseWhere((id) => {
      if (areAllFull) return fullOf('all relayers', limits.allPendingBytesMax)
      return full.has(id) ? fullOf(`relayer "${id}"`, limits.pendingBytesMax) : undefined
    })
  }
  const lines = {
    began: 'the room for sends could not be read; trying again, and using the last reading meanwhile',
    over: 'the room for sends is read again',
  }
  return inRounds({ clock, logger, everyMs: store.freeBytes ? everyMsOnSqlite : everyMs, lines, round })
}

type Pending = readonly PendingOfRelayer[]

const bytesOf = (pending: Pending) => pending.reduce((sum, { bytes }) => sum + bytes, 0)
const countOf = (pending: Pending) => pending.reduce((sum, { count }) => sum + count, 0)

function fullOf(whose: string, most: number): RoomRefusal {
  const message = `the pending transactions of ${whose} have ${mebibytes(most)} of payloads, the most allowed; send again when some are mined, or cancel some`
  return { code: 'QUEUE_FULL', message }
}

/** In words, without names, which anybody reads; undefined below the share. */
function highBytes(pending: Pending, { pendingBytesMax, allPendingBytesMax }: RoomLimits): string | undefined {
  const all = bytesOf(pending)
  if (all >= highShare * allPendingBytesMax)
    return `all relayers have ${mebibytes(all)} of ${mebibytes(allPendingBytesMax)}`
  const high = pending.find(({ bytes }) => bytes >= highShare * pendingBytesMax)
  return high && `a relayer has ${mebibytes(high.bytes)} of ${mebibytes(pendingBytesMax)}`
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`
}

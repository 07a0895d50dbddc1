// The events of bulk cancellations: at most one a second for an object, one final event at each relayer and for each notification, about its
// own relayers, and none before it is true.
import type { BulkEventParts } from '../../src/domain/bulk-event.ts'
import { fromJson, type Json } from '../../src/store/values.ts'
import type { Disk } from '../process/database.ts'
import type { Event } from './row.ts'

export interface BulkEvents {
  read(event: Event): void
  /** All committed changes have been read. */
  looked(): void
  /** Nothing changes any more, and the service had time to say so. */
  settled(): void
  forget(): void
}

interface Part {
  readonly id: number
  readonly bulk_id: string
  readonly origin: 'request' | 'delete'
  readonly final_at: number | null
  readonly announced: 0 | 1
  readonly notification_id: string | null
}

const everyMs = 1_000

export function watchBulkEvents({ committed }: Disk, fail: (what: string) => void): BulkEvents {
  const parts = committed<[], Part>(
    `SELECT p.id, p.bulk_id, b.origin, p.final_at, b.announced, r.notification_id FROM bulk_parts AS p
      JOIN bulks AS b ON b.id = p.bulk_id LEFT JOIN relayers AS r ON r.id = p.relayer_id`,
  )
  /** The time of the last event of each bulk cancellation. */
  const lastAt = new Map<string, number>()
  /** Parts whose end readers, and notifications, have seen. */
  const ended = new Set<number>()
  const notified = new Set<number>()
  let isNew = false

  function readNotice(event: Event, name: string, own: readonly Part[], { changed }: BulkEventParts): void {
    for (const number of changed) {
      const part = own.find(({ id }) => id === number)
      if (part?.origin === 'delete') fail(`${name} is of a DELETE, and a notification gets an event of it`)
      if (notified.has(number)) fail(`${name}: a notification gets the end of part ${number} twice`)
      if (part?.final_at === null) fail(`${name}: a notification gets the end of part ${number}, which goes on`)
      if (part?.notification_id !== event.notification_id)
        fail(`${name}: another notification gets the end of part ${number}`)
      notified.add(number)
    }
  }

  function readProgress(event: Event, name: string, own: readonly Part[], { changed, open }: BulkEventParts): void {
    const passedMs = event.occurred_at - (lastAt.get(event.transaction_id) ?? Number.NEGATIVE_INFINITY)
    if (passedMs >= 0 && passedMs < everyMs) fail(`${name} has events ${passedMs} ms apart`)
    lastAt.set(event.transaction_id, event.occurred_at)
    for (const number of open) if (ended.has(number)) fail(`${name}: part ${number} is open after its final event`)
    for (const number of changed) {
      if (ended.has(number)) fail(`${name}: part ${number} has an event after its final one`)
      if (open.includes(number)) continue
      if (own.find(({ id }) => id === number)?.final_at === null) fail(`${name}: part ${number} is said to be final`)
      ended.add(number)
    }
  }

  return {
    read(event) {
      if (event.bulk_parts === null) return
      isNew = true
      const own = parts().filter((part) => part.bulk_id === event.transaction_id)
      const said = fromJson<BulkEventParts>(event.bulk_parts as Json<BulkEventParts>)
      const name = `bulk ${event.transaction_id.slice(-6)}`
      if (event.kind === 'bulk_notice') readNotice(event, name, own, said)
      else readProgress(event, name, own, said)
    },
    looked() {
      if (!isNew) return
      isNew = false
      for (const { id, bulk_id: bulkId, origin, announced, notification_id: notification } of parts()) {
        if (announced === 0) continue
        const name = `bulk ${bulkId.slice(-6)}`
        if (!ended.has(id)) fail(`${name} is over without a final event at part ${id}`)
        const isOwed = origin === 'request' && notification !== null
        if (isOwed && !notified.has(id)) fail(`${name} is over, and a notification lacks the end of part ${id}`)
      }
    },
    settled() {
      for (const { id, bulk_id: bulkId, final_at: finalAt } of parts()) {
        if (finalAt !== null && !ended.has(id)) fail(`bulk ${bulkId.slice(-6)} is final at part ${id} without an event`)
      }
    },
    forget() {
      lastAt.clear()
      ended.clear()
      notified.clear()
      isNew = false
    },
  }
}

// Bulk cancellations, watched from outside: they leave nothing that was there.
import type { Disk } from '../process/database.ts'

export interface Bulks {
  /** The result is called with the answer. */
  requested(what: string, relayer: string): () => void
}

const pending = "status IN ('pending', 'held', 'sent', 'submitted') AND canceled_at IS NULL AND origin = 'client'"

export function watchBulks({ committed }: Disk, fail: (what: string) => void): Bulks {
  const there = committed<[string], { id: string }>(
    `SELECT id FROM transactions WHERE relayer_id = ? AND open = 1 AND ${pending}`,
  )
  const left = committed<[string], { id: string }>(
    `SELECT id FROM transactions WHERE id = ? AND open = 1 AND ${pending}`,
  )
  return {
    requested(what, relayer) {
      const ids = there(relayer).map(({ id }) => id)
      return () => {
        const forgotten = ids.find((id) => left(id).length > 0)
        if (forgotten !== undefined) fail(`${what} left ${forgotten.slice(-6)}, which was there before`)
      }
    },
  }
}

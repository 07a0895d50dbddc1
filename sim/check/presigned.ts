// Checks no-ops that are signed in advance: the hash is stored before the bytes, none is used for a transaction that no client
// canceled, none stays longer than it may help, and each race that has one begins while the keys are out of reach.
import type { Disk } from '../process/database.ts'

interface Stored {
  readonly relayer_id: string
  readonly nonce: number
  readonly hash: string
  readonly sealed: string | null
  readonly spent_below: number
  readonly policies: string
}

export interface PresignedChecks {
  /** A process has committed. */
  committed(): void
  /** Canceled transactions that have a no-op, and whose race has not begun. */
  waiting(): readonly { readonly id: string; readonly nonce: number; readonly wait_facts: string | null }[]
}

export function watchPresigned({ committed }: Disk, fail: (what: string) => void): PresignedChecks {
  const all = committed<[], Stored>(
    'SELECT p.*, r.spent_below, r.policies FROM presigned_no_ops p JOIN relayers r ON r.id = p.relayer_id',
  )
  const uncanceled = committed<[], { id: string; nonce: number }>(
    "SELECT t.id, t.nonce FROM transactions t JOIN attempts a ON a.transaction_id = t.id AND a.nonce = t.nonce WHERE t.open = 1 AND a.presigned = 1 AND (t.canceled_at IS NULL OR a.kind <> 'cancel')",
  )
  const idle = committed<[], { id: string; nonce: number; wait_facts: string | null }>(
    `SELECT t.id, t.nonce, t.wait_facts FROM transactions t WHERE t.open = 1 AND t.phase = 'inFlight' AND t.canceled_at IS NOT NULL AND t.cancel_cost_max IS NULL
      AND EXISTS (SELECT 1 FROM presigned_no_ops p JOIN attempts a ON a.transaction_id = t.id AND a.nonce = t.nonce AND a.position = 0
        WHERE p.relayer_id = t.relayer_id AND p.nonce = t.nonce AND p.sealed IS NOT NULL AND (p.gas_price IS NULL) = (a.gas_price IS NULL))
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.transaction_id = t.id AND a.nonce = t.nonce AND a.kind = 'cancel')`,
  )
  /** Hashes that an earlier commit stored. */
  const hashes = new Set<string>()

  return {
    committed() {
      const rows = all()
      for (const { hash, nonce, sealed, spent_below: spent, policies, relayer_id: relayer } of rows) {
        const name = `the pre-signed no-op ${hash.slice(0, 10)} of ${relayer} for nonce ${nonce}`
        if (sealed !== null && !hashes.has(hash)) fail(`${name}: its bytes are stored, and its hash was not before`)
        if (sealed !== null && nonce < spent) fail(`${name} is stored, and its nonce is final: ${spent} comes next`)
        if (!JSON.parse(policies).presignCancel) fail(`${name} is stored, and presign_cancel is off`)
      }
      for (const { hash } of rows) hashes.add(hash)
      for (const { id, nonce } of uncanceled()) {
        fail(`${id.slice(-6)} is not canceled, and a pre-signed no-op for nonce ${nonce} was used`)
      }
    },
    waiting: idle,
  }
}

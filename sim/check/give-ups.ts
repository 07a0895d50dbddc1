// Payloads that the service gave up: never by a single word of a node, but for a fork that made their gas limit too low, and failed only
// once the chain shows it.
import type { Hash } from '../../src/domain/ids.ts'
import type { Bytes } from './bytes.ts'
import type { Row } from './row.ts'

export interface GiveUps {
  /** A node has refused these bytes as invalid, truly or not, or in words of its own. */
  refused(hash: Hash): void
  changed(row: Row, before: Row | undefined): void
}

export interface GiveUpWatch extends Pick<Bytes, 'recorded'> {
  fail(what: string): void
  /** The most that its payload needs on either side of a fork. */
  gasOf(row: Row): number
}

export function watchGiveUps({ recorded, fail, gasOf }: GiveUpWatch): GiveUps {
  /** By transaction and hash: how often a node refused the bytes so. */
  const words = new Map<string, Map<Hash, number>>()

  return {
    refused(hash) {
      const id = recorded(hash)?.transaction_id
      if (id === undefined) return
      const of = words.get(id) ?? new Map<Hash, number>()
      words.set(id, of.set(hash, (of.get(hash) ?? 0) + 1))
    },
    changed(row, before) {
      const { id, cancel_origin: origin, status, open, confirmed_at: confirmedAt } = row
      const name = id.slice(-6)
      if (origin !== 'refusal') return
      const most = Math.max(0, ...(words.get(id)?.values() ?? []))
      const isTooTight = row.gas_limit !== null && row.gas_limit < gasOf(row)
      if (before?.cancel_origin !== 'refusal' && most < 2 && !isTooTight) {
        fail(`${name} was given up, and no node has refused any of its bytes twice`)
      }
      if (status === 'failed' && open === 1 && confirmedAt === null) {
        fail(`${name} is said to have failed, and the no-op that took its nonce is not confirmed`)
      }
    },
  }
}

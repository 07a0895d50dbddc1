// Checks payloads that the service gave up: no single answer of a node suffices, unless a fork made the gas limit too low, and the
// status is "failed" only once the chain shows it.
import type { Hash } from '../../src/domain/ids.ts'
import type { Bytes } from './bytes.ts'
import type { Row } from './row.ts'

export interface GiveUps {
  /** A node has rejected these bytes as invalid, truly or falsely, or in unknown words. */
  refused(hash: Hash): void
  changed(row: Row, before: Row | undefined): void
}

export interface GiveUpWatch extends Pick<Bytes, 'recorded'> {
  fail(what: string): void
  /** The gas that its payload needs, the higher amount before and after a fork. */
  gasOf(row: Row): number
}

export function watchGiveUps({ recorded, fail, gasOf }: GiveUpWatch): GiveUps {
  /** The number of such rejections, by transaction and hash. */
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

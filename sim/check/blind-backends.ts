// Where one endpoint has two backends, one of them behind: no reorganization is counted, and no payload ends for what the one behind says.
import { brokenContract } from '../chain/failing-estimates.ts'
import { flakyContract } from '../chain/mine.ts'
import type { SimNode } from '../chain/node.ts'
import type { Row } from './row.ts'

export interface BlindBackends {
  logged(message: string): void
  changed(row: Row, before: Row | undefined): void
}

export function watchBlindBackends(node: () => SimNode | undefined, fail: (what: string) => void): BlindBackends {
  /** The height of the current backend when the transaction was sent, by id. */
  const sentAt = new Map<string, number>()

  /** A block of the current backend since then has the contract in its failing state. */
  function failedSince(height: number): boolean {
    let at = node()?.head
    while (at && at.number >= height) {
      if (at.reverts) return true
      at = at.parent
    }
    return false
  }

  return {
    logged(message) {
      if (message === 'a reorganization replaced blocks that were known')
        fail('a reorganization was counted, and a backend was only behind')
    },
    changed(row, before) {
      const { id, drop_reason: reason, gas_limit: gasLimit, to_address: to } = row
      // A refusal that a restored copy holds is as old as the copy.
      if (!before) return void sentAt.set(id, node()?.head.number ?? 0)
      if (reason !== 'refused' || before.drop_reason === 'refused' || gasLimit !== null || to === brokenContract) return
      if (to === flakyContract && failedSince(sentAt.get(id) ?? 0)) return
      fail(`${id.slice(-6)} was refused, and the current backend estimates it: ${row.status_reason}`)
    },
  }
}

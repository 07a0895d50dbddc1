// Checks the foreign uses of keys that owners record: each foreign transaction that a confirmed block holds is in exactly one entry, and
// nothing of ours is in any.
import type { Hash } from '../../src/domain/ids.ts'
import type { Block, Blocks } from '../chain/blocks.ts'
import type { SimTransaction } from '../chain/transaction.ts'
import { isForeign } from '../foreign-transaction.ts'
import type { Disk } from '../process/database.ts'
import { relayerName } from '../process/engine.ts'
import type { Scenario } from '../scenario/scenario.ts'

export interface ForeignUses {
  /** Call it after each commit. */
  looked(): void
  /** Every entry, as of now. `through`: a look has come since this block was confirmed. Absent: perhaps not. */
  check(through?: Block): void
}

/** Longer than the pause between two looks, and for as long as one may take. */
export function lookedWithinMs({ surveys }: Scenario): number {
  return surveys ? 340_000 : 100_000
}

export function watchForeignUses(
  disk: Disk,
  blocks: Blocks,
  { fail, addresses }: { readonly fail: (what: string) => void; readonly addresses: readonly string[] },
): ForeignUses {
  const looks = disk.committed<[], { relayer_id: string; looked_below: number }>(
    'SELECT relayer_id, looked_below FROM foreign_looks',
  )
  const entries = disk.committed<[string], { first_nonce: number; last_nonce: number; hash: Hash | null }>(
    'SELECT first_nonce, last_nonce, hash FROM foreign_uses WHERE relayer_id = ? ORDER BY first_nonce',
  )
  /** What the accounts did before is their own past. */
  const firstLooks = new Map<string, number>()

  function checkOne(relayer: string, address: string, through: Block | undefined): void {
    const uses = entries(relayer)
    const spenders = spendersOf(address, blocks.canonical())
    for (const { first_nonce: first, last_nonce: last, hash } of uses) {
      // A reorganization deeper than the required confirmations: the key was used all the same.
      const holders = hash === null ? [] : blocks.holding(hash)
      if (holders.length > 0 && !holders.some(blocks.isCanonical)) continue
      for (let nonce = first; nonce <= last; nonce += 1) {
        const spender = spenders.get(nonce)
        if (!spender || !isForeign(spender.transaction))
          fail(`${relayer}: nonce ${nonce} is recorded as a foreign use, and no foreign transaction spent it`)
      }
    }
    const from = firstLooks.get(relayer)
    if (!through || from === undefined) return
    for (const [nonce, { transaction, block }] of spenders) {
      if (nonce < from || !isForeign(transaction) || block.number > through.number) continue
      const of = uses.filter(({ first_nonce: first, last_nonce: last }) => first <= nonce && nonce <= last).length
      if (of !== 1) fail(`${relayer}: the foreign use of nonce ${nonce} is in ${of} entries`)
    }
  }

  return {
    looked() {
      if (firstLooks.size === addresses.length) return
      for (const { relayer_id: id, looked_below: below } of looks()) if (!firstLooks.has(id)) firstLooks.set(id, below)
    },
    check(through) {
      for (const [index, address] of addresses.entries()) checkOne(relayerName(index), address, through)
    },
  }
}

interface Spender {
  readonly transaction: SimTransaction
  readonly block: Block
}

function spendersOf(address: string, head: Block): ReadonlyMap<number, Spender> {
  const spenders = new Map<number, Spender>()
  for (let block: Block | undefined = head; block; block = block.parent)
    for (const { transaction } of block.included)
      if (transaction.from === address) spenders.set(transaction.nonce, { transaction, block })
  return spenders
}

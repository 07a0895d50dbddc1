// Checks the marks of believed tips when they are stored: how high a tip the service believes a node.
import { maxWei } from '../../src/domain/units.ts'
import type { Disk } from '../process/database.ts'
import { gwei } from '../scenario/policies.ts'

export interface Tips {
  /** A first tip is on record. Before that, a lie looks like a price. */
  areBelieved(): boolean
  /** The highest tip that a false reading can lead to. */
  most(): bigint
  /** Checks the marks that were committed since the last call. */
  look(): void
  /** A copy was restored: it holds the marks that count from now on. Without a mark, the next tip is a first one. */
  forget(): void
}

interface Mark {
  readonly at: number
  readonly tip: bigint
}

/** As documented: a mark counts after ten minutes, and then a tip of twice as much is believed. Bids follow three times that. */
const standsAfterMs = 600_000
const riseMost = 2n
const believedMultiple = 3n
/** Four times the tip floor. */
const leastLimit = 12n * gwei

/** `small`: a tip up to this, in wei, is too small to matter. */
export function watchTips({ committed }: Disk, small: bigint, fail: (what: string) => void): Tips {
  const stored = committed<[number], { marked_at: number; tip: string; place: number }>(
    'SELECT rowid AS place, marked_at, tip FROM tip_marks WHERE rowid > ? ORDER BY rowid',
  )
  const marks: Mark[] = []
  /** Marks that a restore removed. Bids that follow them are still on the chain. */
  const forgotten: bigint[] = []
  let last = 0
  const tips: Tips = {
    areBelieved() {
      tips.look()
      return marks.length > 0
    },
    most() {
      tips.look()
      return maxWei(
        leastLimit,
        believedMultiple * riseMost * maxWei(small, ...forgotten, ...marks.map(({ tip }) => tip)),
      )
    },
    look() {
      for (const { marked_at: at, tip: text, place } of stored(last)) {
        const tip = BigInt(text)
        last = place
        const standing = marks.filter((mark) => Math.abs(at - mark.at) >= standsAfterMs).map((mark) => mark.tip)
        // Replicas may store a first one each, at the same time.
        const most = riseMost * maxWei(small, ...standing)
        if (marks.length > 0 && tip > most && tip > maxWei(0n, ...marks.map((mark) => mark.tip))) {
          fail(`a tip of ${tip} is stored as believed at ${at}: at most ${most} may be, after ${standing}`)
        }
        marks.push({ at, tip })
      }
    },
    forget() {
      forgotten.push(...marks.splice(0).map(({ tip }) => tip))
      last = 0
      for (const { marked_at: at, tip, place } of stored(last)) {
        marks.push({ at, tip: BigInt(tip) })
        last = place
      }
    },
  }
  return tips
}

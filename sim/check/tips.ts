// The marks of believed tips, watched as they are stored: what a node may name for a price, and be believed.
import { maxWei } from '../../src/domain/units.ts'
import type { Disk } from '../process/database.ts'
import { gwei } from '../scenario/policies.ts'

export interface Tips {
  /** Whether a first tip is on record. Before that, a lie and the price look the same. */
  areBelieved(): boolean
  /** The highest tip that a false reading can lead to. */
  most(): bigint
  /** Checks the marks that were committed since the last call. */
  look(): void
  /** A copy was put back: the marks are those that it holds, and without one the next is a first tip again. */
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
  /** Bids that were signed by them are still on the chain. */
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

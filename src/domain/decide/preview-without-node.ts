// A preview of a cancellation while no node answers, from the stored rows. Amounts need the network's price, so it has none.

import { isNoOp, isSequenced } from '../attempt.ts'
import { cancel } from '../cancel.ts'
import { isTakenByBulk } from '../refusals.ts'
import { isInPhase, payloadAttempts, type Transaction } from '../transaction.ts'
import type { Nonce, TimestampMs } from '../units.ts'
import type { StoredWork } from './plan/work.ts'
import type { CancellationPreview } from './preview-cancellation.ts'

export type CountedPreview = Pick<CancellationPreview, 'free' | 'noOps' | 'gaps' | 'racing' | 'tooLate'>

/**
 * `queued` and `covers` as in `previewCancellation`. A nonce that was spent since the last step counts as one that is not: only a
 * node could show it.
 */
export function previewWithoutNode(
  { open, floor }: Pick<StoredWork, 'open' | 'floor'>,
  queued: number,
  now: TimestampMs,
  covers: (transaction: Transaction) => boolean = isTakenByBulk,
): CountedPreview {
  const given: Nonce[] = []
  let [noOps, racing, tooLate, highest] = [0, 0, 0, -1]
  for (const before of open) {
    const covered = covers(before)
    const after = covered ? cancel(before, now) : before
    if (after.lifecycle.phase === 'dropped') {
      if ('nonce' in before.lifecycle) given.push(before.lifecycle.nonce)
    } else if (!isInPhase(after, 'inFlight') || after.lifecycle.nonce < floor.spentBelow) {
      tooLate += covered ? 1 : 0
    } else {
      const { attempts, nonce } = after.lifecycle
      highest = nonce
      const isNew = covered && after !== before && !attempts.some(isNoOp)
      if (payloadAttempts(attempts).some(isSequenced)) tooLate += covered ? 1 : 0
      else if (isNew) noOps += 1
      else if (after.cancellation) racing += 1
    }
  }
  const gaps = given.filter((nonce) => nonce >= floor.spentBelow && nonce < highest).length
  return { free: queued + given.length, noOps, gaps, racing, tooLate }
}

// Says for people what a bulk cancellation did and will do.
import type { BulkCancellation } from '../../domain/bulk-cancellation.ts'
import { endedOf, finalAtOf, sumOf } from '../../domain/bulk-counts.ts'
import { counted } from '../response/present-values.ts'

export function explainBulk(bulk: BulkCancellation): readonly string[] {
  const { parts } = bulk
  const { dropped, racing, won, lost, external } = sumOf(parts.map(({ counts }) => counts))
  const taken = dropped + racing + won + lost + external
  const waiting = parts.filter(({ state }) => state === 'waiting').map(({ relayerId }) => relayerId)
  const taking = parts.filter(({ state }) => state === 'taking').map(({ relayerId }) => relayerId)
  const isWritten = parts.every(({ state }) => state === 'written')
  const refused = parts.reduce((sum, part) => sum + part.refused.length, 0)
  const ended = isWritten ? parts.reduce((sum, part) => sum + endedOf(part), 0) : 0
  return [
    `${counted(taken, 'transaction is', 'transactions are')} canceled: ${counted(dropped, 'was', 'were')} never sent, and ${counted(taken - dropped, 'competes, or competed, for its nonce', 'compete, or competed, for their nonces')}.`,
    ...(taking.length > 0 ? [`Stopped, while the rest of the matches is being written: ${taking.join(', ')}.`] : []),
    ...(waiting.length > 0 ? [`Not stopped yet: ${waiting.join(', ')}. The service goes on trying.`] : []),
    ...(refused > 0 ? [`Matches that were not canceled: ${refused}. parts[].refused names each with its reason.`] : []),
    ...(ended > 0
      ? [`${ended} of those that the preview showed had ended, were canceled before, or no longer matched.`]
      : []),
    ...(finalAtOf(bulk) === undefined ? [] : ['Every verdict is final.']),
  ]
}

// Whether a head that links to no earlier block may be adopted: its endpoint has to serve the network's chain, by the chain
// id and the anchor, and the chain can have made so many blocks by now.
import type { Head } from '../../domain/observation.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Confirmation } from '../nodes/serving.ts'
import { isTooFarAhead } from './believe-head.ts'
import type { RememberedAnchor } from './remember-anchor.ts'

export interface AdmitHead {
  readonly anchor: Pick<RememberedAnchor, 'known'>
  /** Tools make time and blocks at will there, so no clock limits a head. */
  readonly isDevelopment: boolean
  readonly clock: Pick<Clock, 'now'>
}

/** `notShown`: nothing speaks against it, but the endpoint does not show the anchor. It may be pruned. */
type Admission = 'admitted' | 'notShown' | { readonly refused: string }

/** `before`: the head before it, if there is one. */
export async function admitHead(
  { anchor, isDevelopment, clock }: AdmitHead,
  head: Head,
  confirmation: Confirmation,
  before: Head | undefined,
): Promise<Admission> {
  if ('unfit' in confirmation) return { refused: confirmation.unfit }
  const anchored = before ? undefined : await anchor.known().catch(() => undefined)
  const from = before ?? (anchored && { number: anchored.number, timestampMs: anchored.minedAt })
  if (from && !isDevelopment && isTooFarAhead(head, from, clock.now())) {
    const text = `its head ${head.number} is too far ahead for the time since block ${from.number}, by this machine's clock`
    return { refused: text }
  }
  return confirmation.showsAnchor ? 'admitted' : 'notShown'
}

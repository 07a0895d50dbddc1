// Reads how many nonces an account had spent at a final block. Some nodes keep only the latest state, or answer with it whatever
// block a call names: their count counts once the block of its reading is final.

import type { Address } from '../../domain/ids.ts'
import type { Depth } from '../../domain/patience.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { ignoresBlock, readNonce } from '../nodes/read-nonce.ts'

/** The counts of the latest state, from earlier readings. */
export interface LatestCounts {
  /** A count that has become final. */
  usable?: Nonce
  next?: { readonly count: Nonce; readonly finalAt: BlockNumber }
}

interface FinalCount {
  readonly count: Nonce
  /** The endpoint returns the same count for every block. */
  readonly ignoresBlock: boolean
}

interface RequestedCount {
  readonly final: BlockNumber
  readonly head: BlockNumber
  /** A count no higher needs no further call: no nonce up to this one is to be found yet. */
  readonly last: Nonce
}

/** The latest state may be that of a block above the head that we follow: no more than this, as the head is read within seconds. */
const aheadMax: Depth = { depth: 64 }

/** Undefined where the endpoint does not answer, or no count of its latest state is final yet. */
export async function readFinalCount(
  endpoint: Endpoint,
  address: Address,
  { final, head, last }: RequestedCount,
  latest: LatestCounts,
): Promise<FinalCount | undefined> {
  if (final < 0) return undefined
  const counted = await readNonce(endpoint, address, final)
  const isLatest = counted !== undefined && counted > last && (await ignoresBlock(endpoint, address))
  if (counted !== undefined && !isLatest) return { count: counted, ignoresBlock: false }
  const { next } = latest
  if (next && next.finalAt <= final) {
    latest.usable = next.count
    delete latest.next
  }
  const count = counted ?? (await readNonce(endpoint, address, head))
  if (!latest.next && count !== undefined) latest.next = { count, finalAt: head + aheadMax.depth }
  return latest.usable === undefined ? undefined : { count: latest.usable, ignoresBlock: isLatest }
}

// Decides which facts of an account to read, given the remembered ones.
import type { Inquiry } from '../../domain/observation.ts'
import type { Nonce } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import {
  type Look,
  type NonceSource,
  type Remembered,
  sourceOfNonce,
  usableBalance,
  usableCode,
} from './account-memory.ts'

/** The facts to read. `pending`: the pool's count alone is enough for a relayer with nothing open. */
export interface Wanted {
  readonly nonce: NonceSource | 'pending'
  /** The remembered nonce. */
  readonly known?: Nonce
  readonly balance: boolean
  readonly code: boolean
}

export function wantedOf(inquiry: Inquiry, last: Remembered | undefined, at: Look): Wanted {
  const source = sourceOfNonce(inquiry, last, at)
  const isIdle = inquiry.live.length === 0 && inquiry.inclusionBlocks.length === 0 && inquiry.nonce === 'recent'
  return {
    nonce: source === 'count' && inquiry.pendingNonce && isIdle ? 'pending' : source,
    ...(last?.count && { known: last.count.nonce }),
    balance: inquiry.balance !== undefined && usableBalance(inquiry.balance, last, at) === undefined,
    code: inquiry.delegation && !usableCode(last, at),
  }
}

/**
 * A pool's count is as of its node's own head, and another node than the one that reported `at` may lag by any number
 * of blocks.
 */
export function wantedFrom(endpoint: Endpoint, wanted: Wanted, { by }: TrackedHead): Wanted {
  return wanted.nonce === 'pending' && endpoint !== by ? { ...wanted, nonce: 'count' } : wanted
}

// The calls of an account that may leave in the request that reads the next head.
import type { Inquiry } from '../../domain/observation.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { HeadTracker } from '../heads/track-head.ts'
import type { Unexplained } from '../inclusions/unexplained.ts'
import type { Call } from '../nodes/call.ts'
import { nonceCall } from '../nodes/read-nonce.ts'
import { type AccountMemory, countsBeside, type Look } from './account-memory.ts'
import { balanceCall, neighboursLacking } from './read-balance-and-code.ts'
import { type Wanted, wantedOf } from './wanted-of-account.ts'

export interface CallsBeside {
  readonly calls: readonly Call[]
  /** The observation needs no further round, unless a transaction of the account is mined. */
  readonly isWhole: boolean
}

/**
 * The calls of an observation with this inquiry, at a head of about this height, that may leave before the head is known.
 * `readsBalance`: the one before had to read the balance.
 */
export type CallBeside = (inquiry: Inquiry, height: BlockNumber, readsBalance: boolean) => CallsBeside

type WantedAt = (inquiry: Inquiry, look: Omit<Look, 'isDue'>) => Wanted

export function choosing(memory: AccountMemory, unexplained: Unexplained): WantedAt {
  return (inquiry, look) => {
    const isDue = (nonce: Nonce) => unexplained.isDue(inquiry.address, nonce, look.block)
    return wantedOf(inquiry, memory.recall(inquiry.address), { ...look, isDue })
  }
}

export function callingBeside(memory: AccountMemory, heads: HeadTracker, clock: Clock, wantedAt: WantedAt): CallBeside {
  return (inquiry, height, readsBalance) => {
    const { address } = inquiry
    const reorgs = heads.reorgs()
    if (!countsBeside(inquiry, memory.recall(address), reorgs)) return { calls: [], isWhole: false }
    const now = clock.now()
    // As if the next head listed none of ours. Undefined where its node lists none at all.
    const above = heads.listsHashes() ? heads.height() : undefined
    const newHashes = above === undefined ? undefined : { above, blocks: [] }
    const look = { block: height, ms: now, begunAt: now, newHashes, reorgs }
    const wanted = wantedAt(inquiry, look)
    // One call covers all accounts that lack as much. All accounts are compared, so only where it matters.
    const isLone = () => neighboursLacking(memory, look).every((other) => other === address)
    const calls = [
      ...(wanted.nonce === 'count' ? [nonceCall(address, 'latest')] : []),
      ...(!wanted.code && (readsBalance || (wanted.balance && isLone())) ? [balanceCall(address, 'latest')] : []),
    ]
    return { calls, isWhole: calls.length > 0 || wanted.nonce === 'unlisted' }
  }
}

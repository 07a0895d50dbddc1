// The kind of pool that a relayer's transactions wait in: it decides what a cancellation can still do.
import type { RelayerId } from '../../domain/ids.ts'
import type { PoolKind } from '../../domain/profile.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Reads } from '../../store/store.ts'
import type { PreviewContext } from './preview-cancellation.ts'

export interface PoolContext extends Pick<PreviewContext, 'policyOf'> {
  readonly reads: Pick<Reads, 'relayer'>
}

/** Never rejects: an answer must not fail because this replica does not have the network. */
export async function poolOf({ reads, policyOf }: PoolContext, relayerId: RelayerId): Promise<PoolKind> {
  try {
    const relayer = await reads.relayer(relayerId)
    return relayer ? policyOf(relayer).profile.pool : 'public'
  } catch {
    return 'public'
  }
}

/** Reads nothing unless the transaction is in flight: only a race depends on the pool. */
export async function poolOfRace(context: PoolContext, { lifecycle, relayerId }: Transaction): Promise<PoolKind> {
  return lifecycle.phase === 'inFlight' ? poolOf(context, relayerId) : 'public'
}

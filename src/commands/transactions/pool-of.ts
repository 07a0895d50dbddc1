// The kind of pool that a relayer's transactions wait in: it decides what a cancellation can still do.
import type { RelayerId } from '../../domain/ids.ts'
import type { PoolKind } from '../../domain/profile.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Reads } from '../../store/store.ts'
import type { PreviewContext } from './preview-cancellation.ts'

export interface PoolContext extends Pick<PreviewContext, 'policyOf'> {
  readonly reads: Pick<Reads, 'relayer'>
}

/** An answer must not fail because this replica does not have the network. */
export function poolOfRelayer({ policyOf }: Pick<PoolContext, 'policyOf'>, relayer: Relayer | undefined): PoolKind {
  try {
    return relayer ? policyOf(relayer).profile.pool : 'public'
  } catch {
    return 'public'
  }
}

/** Never rejects. */
export async function poolOf(context: PoolContext, relayerId: RelayerId): Promise<PoolKind> {
  return poolOfRelayer(context, await context.reads.relayer(relayerId).catch(() => undefined))
}

/** Reads nothing unless the transaction is in flight: only a race depends on the pool. */
export async function poolOfRace(context: PoolContext, { lifecycle, relayerId }: Transaction): Promise<PoolKind> {
  return lifecycle.phase === 'inFlight' ? poolOf(context, relayerId) : 'public'
}

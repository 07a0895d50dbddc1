// Permits a relayer more gap fillers for nonces that the record never assigned, after an operator has looked at the
// account (POST).
import type { Requester } from '../../domain/audit.ts'
import { relayerNotFound } from '../../domain/errors.ts'
import type { GapPermit } from '../../domain/gap-record.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { ManagementContext } from '../management.ts'
import { recordChange } from './record-change.ts'

/** Replaces an earlier permit. Throws RELAYER_NOT_FOUND. */
export async function permitGapFillers(
  { store, clock, wake }: Pick<ManagementContext, 'store' | 'clock' | 'wake'>,
  relayerId: RelayerId,
  { fills, forMs }: { readonly fills: number; readonly forMs: number },
  requester: Requester,
): Promise<GapPermit> {
  const now = clock.now()
  const permit = { fills, grantedAt: now, expiresAt: now + forMs }
  await store.commit(async (session) => {
    if (!(await session.relayer(relayerId))) throw relayerNotFound(relayerId)
    await session.permitGapFillers(relayerId, permit)
    await recordChange(session, relayerId, requester, now)
  }, relayerId)
  wake(relayerId)
  return permit
}

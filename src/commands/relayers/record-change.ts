// Records a client's change of a relayer, in the commit of the change: in the audit log, and as the last change of the relayer.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'

/** `members`: those that it changed, by their names in the API. */
export async function recordChange(
  session: Session,
  relayerId: RelayerId,
  requester: Requester,
  at: TimestampMs,
  members: readonly string[] = [],
): Promise<void> {
  await recordLastChange(session, relayerId, requester, at, members)
  session.recordAudit(allowed(requester, at, { relayerId }))
}

/** Records the change without the audit, for a caller that records more there. */
export function recordLastChange(
  session: Session,
  relayerId: RelayerId,
  { keyId: by, operation }: Requester,
  at: TimestampMs,
  members: readonly string[],
): Promise<void> {
  return session.recordRelayerChange(relayerId, { at, by, operation, members })
}

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
  const { keyId: by, operation } = requester
  await session.recordRelayerChange(relayerId, { at, by, operation, members })
  session.recordAudit(allowed(requester, at, { relayerId }))
}

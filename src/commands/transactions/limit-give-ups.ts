// Limits the sends of an API key whose payloads every node refuses: each costs the relayer a no-op.
import type { Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import { giveUpsMax, giveUpsWindowMs } from '../../domain/give-up.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'

/** `gaveUpAt`: when the relayer last gave a payload up. Without one in the hour nothing is counted. Throws TOO_MANY_REFUSED. */
export async function limitGiveUps(
  session: Pick<Session, 'giveUps'>,
  { relayerId, requester, gaveUpAt }: { relayerId: RelayerId; requester?: Requester; gaveUpAt?: TimestampMs },
  now: TimestampMs,
): Promise<void> {
  if (!requester || gaveUpAt === undefined || gaveUpAt <= now - giveUpsWindowMs) return
  const count = await session.giveUps(relayerId, requester.keyId, now)
  if (count < giveUpsMax) return
  throw new RescindError(
    'TOO_MANY_REFUSED',
    `relayer "${relayerId}": every node refused ${count} transactions of this API key within an hour, and ${giveUpsMax} is the most; correct what you send, and send again when the hour is over`,
  )
}

// Pauses a relayer in the unit of another change.
import type { Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Session } from '../../store/store.ts'
import type { ManagementContext } from '../management.ts'
import { recordLastChange } from './record-change.ts'
import { patchRelayer } from './update-relayer.ts'

/** Resolves to whether the relayer was not paused before. */
export async function pauseRelayer(
  context: ManagementContext,
  session: Session,
  id: RelayerId,
  requester: Requester,
  now: TimestampMs,
): Promise<boolean> {
  const found = await session.relayer(id)
  if (!found || found.paused) return false
  try {
    await patchRelayer(context, session, id, { paused: true })
  } catch (error) {
    // One that the file no longer names: its row says that it is paused, and each start pauses it.
    if (!(error instanceof RescindError && error.code === 'CONFIGURED_BY_FILE')) throw error
  }
  await recordLastChange(session, id, requester, now, ['paused'])
  return true
}

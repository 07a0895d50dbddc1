// DELETE of everything pending, as of one instant: one commit.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { TakenInBulk } from '../../domain/bulk-cancellation.ts'
import { relayerNotFound } from '../../domain/errors.ts'
import type { BulkId, RelayerId } from '../../domain/ids.ts'
import { freshId } from '../../ops/random.ts'
import type { CommandContext } from '../context.ts'

/** A request that finds nothing to cancel leaves no audit record in the commit. Throws RELAYER_NOT_FOUND. */
export async function cancelPending(
  context: CommandContext,
  relayerId: RelayerId,
  requester?: Requester,
): Promise<TakenInBulk> {
  const now = context.clock.now()
  const by = { id: freshId<BulkId>(context.random, now), ...(requester && { requestedBy: requester.keyId }) }
  const result = await context.store.commit(
    async (session) => {
      if (!(await session.relayer(relayerId))) {
        throw relayerNotFound(relayerId)
      }
      const taken = await session.cancelPending(relayerId, now, by)
      const isEmpty = !taken.rebounded && taken.canceled.length + taken.failed.length === 0
      if (requester && !isEmpty) session.recordAudit(allowed(requester, now, { relayerId }))
      return taken
    },
    relayerId,
    { long: true },
  )
  if (result.racing > 0 || result.rebounded) context.wake(relayerId)
  return result
}

// DELETE of everything pending, as of one instant: one commit, or, for a long queue, one that takes all of it and others that
// write it in portions.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { TakenInBulk } from '../../domain/bulk-cancellation.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { BulkId, RelayerId } from '../../domain/ids.ts'
import { freshId } from '../../ops/random.ts'
import type { CommandContext } from '../context.ts'

/**
 * A request that finds nothing to cancel leaves no audit record in the commit. Throws RELAYER_NOT_FOUND, and OUTCOME_UNKNOWN
 * when a long queue is canceled and can't be written.
 */
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
      const canceled = await session.cancelPending(relayerId, now, by, context.bulks?.portion)
      const isEmpty =
        !canceled.isUnderWay && !canceled.rebounded && canceled.canceled.length + canceled.failed.length === 0
      if (requester && !isEmpty) session.recordAudit(allowed(requester, now, { relayerId }))
      return canceled
    },
    relayerId,
    { long: true },
  )
  if (result.racing > 0 || result.rebounded) context.wake(relayerId)
  if (!result.isUnderWay || !context.bulks) return result
  const written = await context.bulks.finish(relayerId).catch((cause: unknown) => {
    throw storedWithoutRows(cause)
  })
  return { ...result, canceled: result.canceled.concat(written) }
}

/** Other errors of the database say that nothing is stored. */
function storedWithoutRows(cause: unknown): RescindError {
  const message =
    'everything pending is canceled, and none of it is sent any more, but its rows are not written yet: the service goes on with them, also after a restart, and lists them as canceled then'
  return new RescindError('OUTCOME_UNKNOWN', message, { cause })
}

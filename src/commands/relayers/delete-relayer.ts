// DELETE of a relayer without open transactions. Its transactions can still be read under its id.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { type ManagementContext, notInFile, takeEffect } from '../management.ts'

/** Throws RELAYER_NOT_FOUND, CONFIGURED_BY_FILE, RELAYER_HAS_OPEN_TRANSACTIONS. */
export async function deleteRelayer(context: ManagementContext, id: RelayerId, requester: Requester): Promise<void> {
  const { store, clock, registry } = context
  const { relayers, awaited } = registry.file
  const inFile = [...relayers, ...awaited].some((relayer) => relayer.id === id)
  await store.commit(async (session) => {
    await session.raiseRevision()
    if (!(await session.relayer(id))) throw relayerNotFound(id)
    notInFile('relayer', id, inFile, 'take it out of the file and restart, then delete it')
    await session.removeRelayer(id, clock.now())
    if (await session.hasOpen(id)) {
      throw new RescindError(
        'RELAYER_HAS_OPEN_TRANSACTIONS',
        `relayer "${id}" has open transactions; cancel them with DELETE …/transactions/pending, and delete it once they have ended`,
      )
    }
    await session.removeEntity('relayer', id)
    session.recordAudit(allowed(requester, context.clock.now(), { relayerId: id }))
  })
  await takeEffect(context)
}

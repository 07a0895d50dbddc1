// DELETE of a signer that no relayer uses. Its key is deleted from the database.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import { type ManagementContext, notInFile, takeEffect, usedBy } from '../management.ts'

/** Throws SIGNER_NOT_FOUND, CONFIGURED_BY_FILE, SIGNER_IN_USE. */
export async function deleteSigner(context: ManagementContext, id: string, requester: Requester): Promise<void> {
  const { store, registry } = context
  notInFile(
    'signer',
    id,
    registry.file.signers.some((each) => each.id === id),
    'take it out of the file and restart',
  )
  await store.commit(async (session) => {
    await session.raiseRevision()
    if (!(await session.entity('signer', id))) {
      throw new RescindError('SIGNER_NOT_FOUND', `Signer with ID ${id} not found`)
    }
    const users = await session.relayersUsing('signer', id)
    if (users.length > 0) throw new RescindError('SIGNER_IN_USE', `${usedBy('signer', id, users)}; delete them first`)
    await session.removeEntity('signer', id)
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
  })
  await takeEffect(context)
}

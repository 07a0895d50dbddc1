// PATCH of a signer: another key or other settings, unless that would change the account of a relayer.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { SignerFacts } from '../../registry/entities.ts'
import { signerFromEntity, signerToEntity } from '../../registry/stored-entities.ts'
import { type ManagementContext, notInFile, requireKey, takeEffect, usedBy } from '../management.ts'
import { openNew, secretOf } from './create-signer.ts'

/** Throws SIGNER_NOT_FOUND, CONFIGURED_BY_FILE, SIGNER_IN_USE, INVALID_REQUEST, STORAGE_KEY_MISSING. */
export async function updateSigner(
  context: ManagementContext,
  id: string,
  config: unknown,
  requester: Requester,
): Promise<SignerFacts> {
  const { store, registry, vault } = context
  notInFile(
    'signer',
    id,
    registry.file.signers.some((each) => each.id === id),
    'change it there and restart',
  )
  await registry.refresh()
  const stored = registry.signers().find((each) => each.id === id)
  if (!stored) throw new RescindError('SIGNER_NOT_FOUND', `Signer with ID ${id} not found`)
  const body = { type: stored.type, config }
  requireKey(context, secretOf(body))
  const { signer, secret } = await openNew(context, id, body)
  const row = signerToEntity(vault, signer, secret)
  await store.commit(async (session) => {
    await session.raiseRevision()
    const known = await session.entity('signer', id)
    if (!known) throw new RescindError('SIGNER_NOT_FOUND', `Signer with ID ${id} not found`)
    if (signerFromEntity(known).address !== signer.address) {
      const users = await session.relayersUsing('signer', id)
      const fix = 'the new key would change their accounts; create another signer, and relayers that use it'
      if (users.length > 0) throw new RescindError('SIGNER_IN_USE', `${usedBy('signer', id, users)}; ${fix}`)
    }
    await session.saveEntity(row)
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
  })
  await takeEffect(context)
  return signer
}

// POST of a signer: the key is sealed before it is stored, and never shown again.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import { freshId } from '../../ops/fresh-id.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import type { Secret } from '../../ops/secret.ts'
import type { SignerFacts } from '../../registry/entities.ts'
import { signerToEntity } from '../../registry/stored-entities.ts'
import { type ManagementContext, requireKey, takeEffect } from '../management.ts'

export interface SignerRequest {
  /** Generated if absent. */
  readonly id?: string
  /** 64 hexadecimal digits, with or without 0x. */
  readonly key: Secret
}

/** Throws INVALID_REQUEST, ALREADY_EXISTS, STORAGE_KEY_MISSING. */
export async function createSigner(
  context: ManagementContext,
  request: SignerRequest,
  requester: Requester,
): Promise<SignerFacts> {
  const { store, clock, random, registry, vault } = context
  requireKey(context, 'config.key')
  const id = request.id ?? freshId(random, clock.now())
  const signer = await factsOf(context, id, request.key)
  const row = signerToEntity(vault, signer, request.key)
  await store.commit(async (session) => {
    await session.raiseRevision()
    if (registry.file.signers.some((each) => each.id === id) || (await session.entity('signer', id))) {
      throw new RescindError('ALREADY_EXISTS', `id: there is a signer "${id}"; give this one another id, or none`)
    }
    await session.saveEntity(row)
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
  })
  await takeEffect(context)
  return signer
}

/** Throws INVALID_REQUEST for an invalid key. The error reveals nothing of it. */
export async function factsOf({ openSigner }: ManagementContext, id: string, key: Secret): Promise<SignerFacts> {
  try {
    return { id, type: 'plain', address: (await openSigner(id, key)).address }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new RescindError('INVALID_REQUEST', `config.key: ${error.message}`)
  }
}

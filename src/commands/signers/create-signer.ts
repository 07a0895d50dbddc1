// POST of a signer: its secrets are sealed before they are stored, and never shown again.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { freshId } from '../../ops/random.ts'
import type { Secret } from '../../ops/secret.ts'
import { faultOf, type SignerFacts } from '../../registry/entities.ts'
import { signerToEntity } from '../../registry/stored-entities.ts'
import { type ManagementContext, refusedBy, requireKey, type SignerBody, takeEffect } from '../management.ts'

interface SignerRequest {
  /** The id, generated if absent. */
  readonly id?: string
  readonly body: SignerBody
}

/** Throws INVALID_REQUEST, ALREADY_EXISTS, STORAGE_KEY_MISSING. */
export async function createSigner(
  context: ManagementContext,
  request: SignerRequest,
  requester: Requester,
): Promise<SignerFacts> {
  const { store, clock, random, registry, vault } = context
  requireKey(context, secretOf(request.body))
  const id = request.id ?? freshId(random, clock.now())
  const { signer, secret } = await openNew(context, id, request.body)
  const row = signerToEntity(vault, signer, secret)
  await store.commit(async (session) => {
    await session.raiseRevision()
    if (
      faultOf(registry.file, 'signer', id) !== undefined ||
      registry.file.signers.some((each) => each.id === id) ||
      (await session.entity('signer', id))
    ) {
      throw new RescindError('ALREADY_EXISTS', `id: there is a signer "${id}"; give this one another id, or none`)
    }
    await session.saveEntity(row)
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
  })
  await takeEffect(context)
  return signer
}

/** The member that is sealed, for people. */
export function secretOf({ type }: SignerBody): string {
  return type === 'plain' ? 'config.key' : 'config'
}

/** Opens it once, for its address. Throws INVALID_REQUEST, which reveals no secret. */
export async function openNew(
  { readSigner }: ManagementContext,
  id: string,
  body: SignerBody,
): Promise<{ readonly signer: SignerFacts; readonly secret: Secret }> {
  const read = readSigner(id, body)
  if ('problems' in read) throw refusedBy(read.problems)
  const { type, config, secret } = read
  try {
    const opened = await read.open()
    // The registry opens its own from the row.
    await opened?.close?.()
    return { signer: { id, type, config, ...(opened && { address: opened.address }) }, secret }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new RescindError('INVALID_REQUEST', `${secretOf(body)}: ${error.message}`)
  }
}

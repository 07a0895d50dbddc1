// DELETE of an API key. Its row stays, so that the audit log can name it.
import type { ApiKey } from '../../domain/api-key.ts'
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { CommandContext } from '../context.ts'

/** Revoking twice changes nothing. Throws API_KEY_NOT_FOUND. */
export async function revokeApiKey(
  { store, clock }: Pick<CommandContext, 'store' | 'clock'>,
  id: ApiKeyId,
  requester: Requester,
): Promise<ApiKey> {
  const now = clock.now()
  return store.commit(async (session) => {
    const missing = () => new RescindError('API_KEY_NOT_FOUND', `API key with ID ${id} not found`)
    if (!(await session.apiKey(id))) throw missing()
    await session.revokeApiKey(id, requester.keyId, now)
    const revoked = await session.apiKey(id)
    if (!revoked) throw missing()
    session.recordAudit(allowed(requester, now, { subjectId: id }))
    return revoked
  })
}

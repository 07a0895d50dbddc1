// POST of an API key: the key goes into the answer and nowhere else.
import { type ApiKey, type ApiKeyRequest, checkApiKey } from '../../domain/api-key.ts'
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import { freshId } from '../../ops/fresh-id.ts'
import type { CommandContext } from '../context.ts'
import { newToken } from './api-key-token.ts'

/** More than anybody looks after: a limit on everything. */
export const apiKeysMax = 1_000

/** Throws INVALID_REQUEST. */
export async function createApiKey(
  { store, clock, random }: Pick<CommandContext, 'store' | 'clock' | 'random'>,
  request: ApiKeyRequest,
  requester: Requester,
): Promise<{ readonly key: ApiKey; readonly token: string }> {
  const now = clock.now()
  checkApiKey(request, now)
  const { token, digest, hint } = newToken(random)
  const key: ApiKey = {
    ...request,
    id: freshId<ApiKeyId>(random, now),
    hint,
    createdAt: now,
    createdBy: requester.keyId,
  }
  await store.commit(async (session) => {
    for (const id of request.relayers ?? []) {
      if (await session.relayer(id)) continue
      throw new RescindError('INVALID_REQUEST', `relayers: "${id}" is no relayer; send the ids of relayers that exist`)
    }
    if ((await session.apiKeysInForce()) >= apiKeysMax) {
      throw new RescindError(
        'INVALID_REQUEST',
        `there are ${apiKeysMax} keys, the most allowed; revoke those that nobody uses`,
      )
    }
    await session.insertApiKey(key, digest)
    session.recordAudit(allowed(requester, now, { subjectId: key.id }))
  })
  return { key, token }
}

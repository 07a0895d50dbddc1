// POST of an API key. Only the answer holds the token.
import { type ApiKey, type ApiKeyRequest, checkApiKey } from '../../domain/api-key.ts'
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import { freshId } from '../../ops/random.ts'
import type { CommandContext } from '../context.ts'
import { newToken } from './api-key-token.ts'

/** The most keys, more than an operator can look after. Everything has a limit. */
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
      throw new RescindError('INVALID_REQUEST', `relayers: "${id}" does not exist; send the ids of existing relayers`)
    }
    if ((await session.apiKeysInForce()) >= apiKeysMax) {
      throw new RescindError('INVALID_REQUEST', `there are ${apiKeysMax} keys, the most allowed; revoke unused ones`)
    }
    await session.insertApiKey(key, digest)
    session.recordAudit(allowed(requester, now, { subjectId: key.id }))
  })
  return { key, token }
}

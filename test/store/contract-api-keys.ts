// API keys: found by id and by digest, revoked once, and their last use never taken back.
import { expect, test } from 'vitest'
import type { ApiKey } from '../../src/domain/api-key.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { now } from '../domain/some.ts'
import type { OpenStore } from './contract.ts'

const administrator = 'administrator' as ApiKeyId

function someKey(id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id: id as ApiKeyId,
    name: `key ${id}`,
    hint: 'rescind_abcd',
    scopes: ['read', 'cancel'],
    createdAt: now,
    createdBy: administrator,
    ...changes,
  }
}

export function apiKeyContract(open: OpenStore): void {
  test('a key comes back as it was stored', async () => {
    await using under = await open()
    const { store } = under
    const whole = someKey('whole', {
      relayers: ['one', 'two'] as RelayerId[],
      expiresAt: now + 1,
      revoked: { at: now + 2, by: 'another' as ApiKeyId },
      lastUsedAt: now + 3,
    })
    const bare = someKey('bare')
    for (const key of [whole, bare]) await store.commit((session) => session.insertApiKey(key, `digest of ${key.id}`))
    for (const key of [whole, bare]) {
      expect(await store.reads.apiKey(key.id)).toStrictEqual(key)
      expect(await store.reads.apiKeyOf(`digest of ${key.id}`)).toStrictEqual(key)
    }
    expect(await store.reads.apiKeyOf('of nothing')).toBeUndefined()
  })

  test('no two keys have one digest', async () => {
    await using under = await open()
    const { store } = under
    await store.commit((session) => session.insertApiKey(someKey('first'), 'digest'))
    await expect(store.commit((session) => session.insertApiKey(someKey('second'), 'digest'))).rejects.toThrow()
    expect(await under.query('SELECT id FROM api_keys')).toEqual([{ id: 'first' }])
  })

  test('pages are newest first, with those that are revoked, which are in force no more', async () => {
    await using under = await open()
    const { store } = under
    const keys = ['a', 'b', 'c', 'd', 'e'].map((id) => someKey(id))
    for (const key of keys) await store.commit((session) => session.insertApiKey(key, key.id))
    await store.commit((session) => session.revokeApiKey('c' as ApiKeyId, administrator, now))
    const first = await store.reads.apiKeys({ page: 1, perPage: 3 })
    expect(first).toMatchObject({ items: [{ id: 'e' }, { id: 'd' }, { id: 'c', revoked: { at: now } }], total: 5 })
    expect((await store.reads.apiKeys({ page: 2, perPage: 3 })).items.map(({ id }) => id)).toEqual(['b', 'a'])
    expect((await store.reads.apiKeys({ page: 3, perPage: 3 })).items).toEqual([])
    expect(await store.commit((session) => session.apiKeysInForce())).toBe(4)
  })

  test('the first revocation counts, and the latest use', async () => {
    await using under = await open()
    const { store } = under
    const { id } = someKey('only')
    await store.commit((session) => session.insertApiKey(someKey('only'), 'digest'))
    const uses = [now + 5, now + 9, now + 7]
    for (const at of uses) await store.commit((session) => session.useApiKey(id, at))
    await store.commit((session) => session.revokeApiKey(id, administrator, now + 1))
    await store.commit((session) => session.revokeApiKey(id, 'another' as ApiKeyId, now + 2))
    expect(await store.reads.apiKey(id)).toMatchObject({
      lastUsedAt: now + 9,
      revoked: { at: now + 1, by: administrator },
    })
  })
}

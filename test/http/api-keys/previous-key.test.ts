// The other key of a rotation verifies messages between replicas. It is no key of the API.
import { expect, test } from 'vitest'
import { startService } from '../../../tooling/service.ts'

const previous = 'the-key-before-or-after-this-one-'

test('a request with the value of API_KEY_PREVIOUS gets 401, for reads, writes and the stream', async () => {
  await using service = await startService({
    networks: [{ name: 'dev', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: [],
    env: { API_KEY_PREVIOUS: previous },
  })
  const statusOf = async (key: string, method: string, path: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = method === 'GET' ? {} : { body: '{}' }
    const answer = await fetch(`${service.url}/api/v1${path}`, { method, headers, ...body })
    await answer.body?.cancel()
    return answer.status
  }
  expect(await statusOf(service.apiKey, 'GET', '/relayers')).toBe(200)
  for (const [method, path] of [
    ['GET', '/relayers'],
    ['POST', '/relayers/one/transactions'],
    ['GET', '/events'],
    ['POST', '/api-keys'],
  ] as const) {
    expect([path, await statusOf(previous, method, path)]).toEqual([path, 401])
  }
})

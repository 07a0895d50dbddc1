// API keys and the audit log of a real process, through kill -9: answered changes are there in the next process, too.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { openClient } from '../../tooling/client.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { one: {}, two: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function again(): Promise<void> {
  await stage.service.kill9()
  await stage.service.restart()
}

test('a key is good in the next process, a revoked one is not, and the log has both', async () => {
  const made = await stage.client.request('POST', '/api-keys', {
    body: { name: 'payer', scopes: ['send', 'cancel'], relayers: ['one'] },
  })
  const { id, key } = (made.body as { data: { id: string; key: string } }).data
  await again()

  await using payer = openClient(stage.service.url, key)
  const { id: sent } = await payer.send('one', { to: stage.sender('two').address, value: '1', gas_limit: 21_000 })
  await again()
  const { body } = await stage.client.request('GET', '/audit-log')
  const { data } = body as { data: Record<string, unknown>[] }
  expect(data[0]).toMatchObject({ outcome: 'allowed', operation: 'sendTransaction', key_id: id, transaction_id: sent })
  expect(data[1]).toMatchObject({ outcome: 'allowed', operation: 'createApiKey', subject_id: id })
  expect((await payer.request('DELETE', '/relayers/two/transactions/pending')).status).toBe(401)

  expect((await stage.client.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
  await again()
  const refused = await payer.request('DELETE', `/relayers/one/transactions/${sent}`)
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([401, 'UNAUTHORIZED'])
  expect(stage.rows.transaction(sent)).not.toMatchObject({ status: 'canceled' })
})

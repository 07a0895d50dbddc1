// Keys with one scope each, at every operation: none does more than its scope says (docs/security.md).
import { expect, test } from 'vitest'
import { type Scope, scopes } from '../../../src/domain/api-key.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import {
  type Authenticate,
  administratorBy,
  bearerToken,
  type Principal,
} from '../../../src/http/request/authenticate.ts'
import { type OpenApiDocument, operationsOf, pathWith } from '../../openapi/support/document.ts'
import { attempt, put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

const keyOf = (scope: Scope): Principal => ({ id: scope as string as ApiKeyId, scopes: new Set([scope]) })
const keys = new Map(scopes.map((scope) => [scope, keyOf(scope)]))
const authenticate: Authenticate = (header) => administratorBy(apiKey)(header) ?? keys.get(bearerToken(header) as Scope)

const json = { 'content-type': 'application/json' }

/** The operations that came with bulk cancellations, holds and labels. */
const control: Readonly<Record<string, Scope>> = {
  createBulkCancellation: 'cancel',
  listBulkCancellations: 'read',
  getBulkCancellation: 'read',
  listBulkCancellationTransactions: 'read',
  getHold: 'read',
  releaseTransaction: 'release',
  releaseTransactions: 'release',
  // Of labels.
  listTransactions: 'read',
  sendTransaction: 'send',
  sendTransactions: 'send',
}

async function everyOperation(server: Serving) {
  const { body } = await server.ask('GET', '/api/v1/openapi.json')
  const described = body as OpenApiDocument
  const security = Object.values(described.paths).flatMap((path) => Object.values(path))
  return operationsOf(described).map((operation) => {
    const needs = security.find(({ operationId }) => operationId === operation.id)?.security?.[0]?.['apiKey']?.[0]
    const values = Object.fromEntries(operation.parameters.map(({ name, examples }) => [name, examples[0]]))
    const path = pathWith(operation, { ...values, relayer_id: 'one', transaction_id: 'mine' })
    const given = operation.body && { headers: json, body: JSON.stringify(operation.body.examples[0]) }
    const headers = { ...given?.headers, 'idempotency-key': 'key' }
    const ask = (token: string) => server.ask(operation.method, path, { token, ...given, headers })
    return { id: operation.id, needs, ask }
  })
}

test('each operation refuses every key that lacks its scope, and nothing changes', async () => {
  await using server = await serve({ authenticate })
  const own = attempt('mine' as never, 7, 'execute', 7)
  await put(server.store, transaction('mine', { phase: 'inFlight', nonce: 7, attempts: [own] }))
  const operations = await everyOperation(server)
  expect(operations.length).toBeGreaterThan(60)
  const before = [
    await server.store.reads.relayer('one' as RelayerId),
    await server.store.reads.counts('one' as RelayerId),
  ]
  for (const { id, needs, ask } of operations) {
    if (needs === undefined) continue
    for (const scope of scopes.filter((each) => each !== needs)) {
      const answer = await ask(scope)
      expect([id, scope, answer.status, answer.headers['relayer-error-code']]).toEqual([
        id,
        scope,
        401,
        'SCOPE_MISSING',
      ])
      expect(answer.body).toEqual({ data: null, message: 'Unauthorized', success: false })
    }
  }
  const after = [
    await server.store.reads.relayer('one' as RelayerId),
    await server.store.reads.counts('one' as RelayerId),
  ]
  expect(after).toEqual(before)
  expect((await server.store.reads.bulks({ page: 1, perPage: 10 })).total).toBe(0)
})

test('the operations of bulk cancellations, holds and labels need the scopes of the documents, and these suffice', async () => {
  await using server = await serve({ authenticate })
  await put(server.store, transaction('mine', { phase: 'queued' }))
  const operations = await everyOperation(server)
  for (const [id, scope] of Object.entries(control)) {
    const operation = operations.find((each) => each.id === id)
    expect([id, operation?.needs]).toEqual([id, scope])
    expect([id, (await operation?.ask(scope))?.status]).not.toEqual([id, 401])
  }
})

// Keys with one scope each, at every operation: none does more than its scope says (docs/security.md).
import { access, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type Scope, scopes } from '../../../src/domain/api-key.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import {
  type Authenticate,
  administratorBy,
  bearerToken,
  type Principal,
} from '../../../src/http/request/authenticate.ts'
import { type Described, type OpenApiDocument, operationsOf, pathWith } from '../../openapi/support/document.ts'
import { attempt, put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

const keyOf = (scope: Scope): Principal => ({ id: scope as string as ApiKeyId, scopes: new Set([scope]) })
const keys = new Map(scopes.map((scope) => [scope, keyOf(scope)]))
const authenticate: Authenticate = (header) => administratorBy(apiKey)(header) ?? keys.get(bearerToken(header) as Scope)

const json = { 'content-type': 'application/json' }

/** The operations of bulk cancellations, holds and labels, and those that cancel or pause beside them. */
const control: Readonly<Record<string, Scope>> = {
  createBulkCancellation: 'cancel',
  previewBulkCancellation: 'cancel',
  cancelTransaction: 'cancel',
  cancelPendingTransactions: 'cancel',
  updateRelayer: 'admin',
  listBulkCancellations: 'read',
  getBulkCancellation: 'read',
  listBulkCancellationTransactions: 'read',
  getHold: 'read',
  releaseTransaction: 'release',
  releaseTransactions: 'release',
  // Of labels.
  listTransactions: 'read',
  listTraces: 'read',
  getTransaction: 'read',
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
    return { ...operation, needs, ask }
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
  const isOfThem = ({ path, parameters, body }: Described) =>
    /bulk-cancellations|hold|release/.test(path) ||
    parameters.some(({ name }) => ['external_id', 'tag', 'include'].includes(name)) ||
    JSON.stringify(body?.schema ?? {}).includes('"external_id"')
  expect(operations.filter((each) => isOfThem(each) && !(each.id in control)).map(({ id }) => id)).toEqual([])
})

test('a pause needs its scope beside that of the operation, and the scope of the document is the least', async () => {
  const pauser: Principal = { id: 'both' as ApiKeyId, scopes: new Set(['cancel', 'pause']) }
  const andBoth: Authenticate = (header) => (bearerToken(header) === 'both' ? pauser : authenticate(header))
  await using server = await serve({ authenticate: andBoth })
  const paths = ['/api/v1/bulk-cancellations', '/api/v1/bulk-cancellations/preview']
  const body = JSON.stringify({ filter: {}, relayers: ['one'], pause: true })
  const code = async (path: string, token: string) => {
    const answer = await server.ask('POST', path, { token, body, headers: { ...json, 'idempotency-key': 'key' } })
    return [answer.status, answer.headers['relayer-error-code']]
  }
  for (const path of paths) {
    for (const scope of scopes)
      expect([path, scope, ...(await code(path, scope))]).toEqual([path, scope, 401, 'SCOPE_MISSING'])
    expect(await code(path, 'both')).toEqual([200, undefined])
  }
})

test('the page of security says what a key with each scope can cause', async () => {
  const page = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8')
  const [, rows = ''] = /^## What a key can cause\n([\s\S]*?)^## /m.exec(page) ?? []
  const named = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, scope]) => scope)
  expect([...new Set(named)].sort()).toEqual([...scopes].sort())
  const files = [...rows.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file)
  for (const file of files) await access(new URL(`../../../${file}`, import.meta.url))
})

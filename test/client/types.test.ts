// The client's types are those of the OpenAPI document.
import { expect, test } from 'vitest'
import { serve } from '../http/support/serve.ts'
import { dereferenced } from '../openapi/support/dereferenced.ts'
import { clientTypes, type NamedSchemas, typeFiles } from './support/client-types.ts'

test('the types are those of the OpenAPI document; -u writes them anew', async () => {
  await using server = await serve()
  const document: NamedSchemas = dereferenced((await server.ask('GET', '/api/v1/openapi.json', { token: null })).body)
  for (const name of [
    'transaction-types',
    'bulk-types',
    'bulk-preview-types',
    'account-types',
    'relayer-types',
    'dashboard-types',
    'record-types',
  ] as const) {
    await expect(clientTypes(document, typeFiles[name])).toMatchFileSnapshot(`../../src/client/${name}.ts`)
  }
})

test('a schema that is gone is reported by its name', () => {
  const types = typeFiles['transaction-types']
  expect(() => clientTypes({ components: { schemas: {} } }, types)).toThrow('the document has no schema Transaction')
})

// The client's types are those of the OpenAPI document.
import { expect, test } from 'vitest'
import { serve } from '../http/support/serve.ts'
import { clientTypes } from './support/client-types.ts'

test('the types are those of the OpenAPI document; -u writes them anew', async () => {
  await using server = await serve()
  const document = (await server.ask('GET', '/api/v1/openapi.json', { token: null })).body
  for (const [file, text] of clientTypes(document)) {
    await expect(text).toMatchFileSnapshot(`../../src/client/${file}.ts`)
  }
})

test('a schema that is gone is reported by its name', () => {
  expect(() => clientTypes({ components: { schemas: {} } })).toThrow('the document has no schema Transaction')
})

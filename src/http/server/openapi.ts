// The OpenAPI document: the parts that no schema holds, and the answers and names that are added to what the schemas say.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { type DocumentedOperation, documentedKey } from '../request/operation.ts'
import { type DocumentOperation, describeAnswers, headers } from './describe-answers.ts'
import type { JsonObject } from './example-of.ts'
import { nameSchemas } from './name-schemas.ts'

export function describeApi(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Rescind',
        version,
        description:
          'An Ethereum transaction relayer built around cancellation: of one transaction, or of all at once.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags: [
        { name: 'transactions', description: 'Sending, reading and canceling' },
        { name: 'signing', description: 'Signatures that are never mined' },
        { name: 'events', description: 'Changes of transactions, as they happen' },
        { name: 'relayers', description: 'Signers and their accounts' },
        { name: 'api keys', description: 'Access to the API, and its audit log' },
        { name: 'signers', description: 'Keys' },
        { name: 'networks', description: 'Chains and their nodes' },
        { name: 'notifications', description: 'Where events go' },
        { name: 'service', description: 'The service itself' },
      ],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
      security: [{ apiKey: [] }],
    },
    transformObject: (made) =>
      'openapiObject' in made && isMade(made.openapiObject) ? completed(made.openapiObject) : {},
  }
}

/** As the schemas of the routes give it. */
interface Made {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation & Marked>>>>
  readonly components: JsonObject
}

type Marked = { readonly [documentedKey]: DocumentedOperation }

/** `mount` marks every operation. */
function isMade(document: object): document is Made {
  return 'paths' in document && 'components' in document
}

function completed(document: Made): object {
  const answered = mapValues(document.paths, (item) =>
    mapValues(item, ({ [documentedKey]: documented, ...operation }, method) => ({
      ...operation,
      responses: describeAnswers(method, operation, documented),
    })),
  )
  const { paths, schemas } = nameSchemas(answered)
  return { ...document, paths, components: { ...document.components, headers, schemas } }
}

function mapValues<T>(of: Readonly<Record<string, T>>, made: (value: T, key: string) => object): JsonObject {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, made(value, key)]))
}

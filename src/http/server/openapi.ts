// The OpenAPI document: the parts that no schema holds, and the answers and names that are added to what the schemas say.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { type DocumentedOperation, documentedKey } from '../request/operation.ts'
import { nullsAllowed, withRules } from './complete-schemas.ts'
import { type DocumentBody, type DocumentOperation, describeAnswers, headers } from './describe-answers.ts'
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
          'An Ethereum transaction relayer built around cancellation: of one transaction, or of all at once.\n\nIn bodies, a number beyond 2^53 counts as the text of its digits, so that no digit of an amount is lost. Four formats are of this API: `eip55-address` (40 hex digits in one case, or with the checksum of EIP-55), `http-url` (a URL of http or https by the URL standard), `uint256` (decimal digits of an amount below 2^256) and `date-time-within-a-year` (a `date-time` at most a year ahead). `secp256k1-private-key` and `secp256k1-public-key` are keys of that curve in hex.',
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
    transformObject: (made) => completed(withRules('openapiObject' in made ? made.openapiObject : undefined)),
  }
}

/** As the schemas of the routes give it. */
interface Made {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation & Marked>>>>
  readonly components: JsonObject
}

type Marked = { readonly [documentedKey]: DocumentedOperation }

/** A PATCH is a JSON Merge Patch (RFC 7396), in which null removes a member. */
function describeBody(method: string, body: DocumentBody): object {
  if (method === 'patch') return body
  return { ...body, content: mapValues(body.content, (media) => ({ ...media, schema: nullsAllowed(media.schema) })) }
}

/** `mount` marks every operation. */
function isMade(document: unknown): document is Made {
  return typeof document === 'object' && document !== null && 'paths' in document && 'components' in document
}

function completed(document: unknown): object {
  if (!isMade(document)) throw new Error('the OpenAPI document has no paths')
  const answered = mapValues(document.paths, (item) =>
    mapValues(item, ({ [documentedKey]: documented, ...operation }, method) => ({
      ...operation,
      // The names of roles, in a scheme without scopes of its own (OpenAPI 3.1, Security Requirement Object).
      security: documented.scope ? [{ apiKey: [documented.scope] }] : [],
      ...(operation.requestBody && { requestBody: describeBody(method, operation.requestBody) }),
      responses: describeAnswers(method, operation, documented),
    })),
  )
  const { paths, schemas } = nameSchemas(answered)
  return { ...document, paths, components: { ...document.components, headers, schemas } }
}

function mapValues<T>(of: Readonly<Record<string, T>>, made: (value: T, key: string) => object): JsonObject {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, made(value, key)]))
}

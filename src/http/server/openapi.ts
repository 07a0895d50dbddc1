// The OpenAPI document: the parts that no schema holds, and the answers and names that are added to what the schemas say.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { memberOf } from '../../ops/member.ts'
import { type DocumentedOperation, documentedKey } from '../request/operation.ts'
import { aloneKey, bodyOptionalKey, statedKey, unlistedKey } from '../request/stated.ts'
import {
  type DocumentBody,
  type DocumentOperation,
  dataKeywords,
  describeAnswers,
  headers,
  type JsonObject,
} from './describe-answers.ts'

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

/** The document that the schemas of the routes yield. */
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

// What the OpenAPI document says beyond the schemas of the validators: the rules of the parsers, and where null is accepted.

/** Puts the rules of the parsers in the places of the keywords beside them. */
function withRules(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withRules)
  return typeof node === 'object' && node !== null ? rulesIn(node) : node
}

function rulesIn(node: object): JsonObject {
  const { [statedKey]: rules, [aloneKey]: alone, [bodyOptionalKey]: _, ...others }: JsonObject = { ...node }
  const { title } = others
  const kept = typeof alone === 'object' ? { ...(title !== undefined && { title }), ...alone } : others
  const merged = typeof rules === 'object' ? { ...kept, ...rules } : kept
  return Object.fromEntries(
    Object.entries(merged)
      .filter(([, value]) => memberOf(value, unlistedKey) !== true)
      .map(([key, value]) => [key, dataKeywords.includes(key) ? value : withRules(value)]),
  )
}

interface ObjectSchema {
  readonly type?: unknown
  readonly title?: unknown
  readonly description?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonObject[]
  readonly items?: JsonObject
  readonly properties?: Readonly<Record<string, JsonObject>>
  readonly required?: readonly string[]
}

/** Allows null for optional members: in the body of a POST or a PUT it stands for an absent member (`validate.ts`). */
function nullsAllowed(schema: JsonObject): JsonObject {
  const { items, properties, required = [] }: ObjectSchema = schema
  if (items) return { ...schema, items: nullsAllowed(items) }
  if (!properties) return schema
  const members = Object.entries(properties).map(([name, member]): [string, JsonObject] => {
    const within = nullsAllowed(member)
    return [name, required.includes(name) ? within : orNull(within)]
  })
  return { ...schema, properties: Object.fromEntries(members) }
}

function orNull(schema: JsonObject): JsonObject {
  const { type, title, description, enum: choices, anyOf }: ObjectSchema = schema
  const none = { type: 'null' }
  if (typeof title === 'string') return { anyOf: [schema, none], ...(description !== undefined && { description }) }
  if (typeof type === 'string') {
    return { ...schema, type: [type, 'null'], ...(choices && { enum: [...choices, null] }) }
  }
  if (!anyOf || anyOf.some((form) => memberOf(form, 'type') === 'null')) return schema
  return { ...schema, anyOf: [...anyOf, none] }
}

// Moves each schema with a title to the components of the OpenAPI document, and refers to it by that name. The schemas of the
// routes stay whole, as the validators read them.
interface Named {
  readonly schema: JsonObject
  readonly description: unknown
}

/** A place may describe the schema in words of its own. Throws where two schemas have the same title. */
function nameSchemas(paths: JsonObject): { readonly paths: JsonObject; readonly schemas: JsonObject } {
  const known = new Map<string, Named>()

  function referred(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(referred)
    if (typeof node !== 'object' || node === null) return node
    const { title, ...others } = members(node)
    if (typeof title !== 'string') return title === undefined ? others : { title, ...others }
    // A body's examples stand beside its schema, so a schema that is also a part of another would be two.
    const { examples: _, description, ...schema } = others
    const first = known.get(title) ?? { schema, description }
    known.set(title, first)
    if (JSON.stringify(first.schema) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`)
    const $ref = `#/components/schemas/${title}`
    return description === undefined || description === first.description ? { $ref } : { $ref, description }
  }

  function members(node: object): JsonObject {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, dataKeywords.includes(key) ? value : referred(value)]),
    )
  }

  const referring = members(paths)
  const schemas = [...known].map(([title, { schema, description }]): [string, JsonObject] => [
    title,
    { ...(description !== undefined && { description }), ...schema },
  ])
  return { paths: referring, schemas: Object.fromEntries(schemas.sort(([one], [other]) => one.localeCompare(other))) }
}

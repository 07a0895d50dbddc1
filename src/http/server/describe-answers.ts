// The answers of the OpenAPI document: statuses, headers and an example of each, made from the examples of its schema.
import type { ErrorCode } from '../../domain/errors.ts'
import { memberOf } from '../../ops/member.ts'
import { mayChange } from '../request/audit.ts'
import type { DocumentedOperation, OwnHeader } from '../request/operation.ts'
import { idempotencyKey } from '../request/parameters.ts'
import { failureSchema } from '../response/envelope.ts'
import { exampleMessage } from './error-examples.ts'
import { fixedAnswer, isRepeatable, saysWhenToRetry } from './errors.ts'

export interface DocumentBody {
  readonly content: Readonly<Record<string, { readonly schema: JsonObject }>>
}

/** An operation as it is in the document. */
export interface DocumentOperation {
  readonly operationId: string
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: JsonObject }[]
  readonly requestBody?: DocumentBody
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> }
    >
  >
}

const text = (description: string, ...examples: readonly string[]) => ({
  description,
  schema: { type: 'string', examples },
})

type HeaderName = OwnHeader | keyof typeof common

const common = {
  'X-Request-Id': text('The id of the request in the log: the one that the client sent, or a new one', 'f3a1c0de-1'),
  'Cache-Control': text('No cache may keep an answer', 'no-store'),
  'Content-Security-Policy': text('A browser that shows the answer loads nothing', "default-src 'none'"),
  'X-Content-Type-Options': text('A browser does not guess another type', 'nosniff'),
  'RateLimit-Policy': text('The allowance of the API key: `q` requests in `w` seconds', '"key";q=200;w=4'),
  RateLimit: text('`r` requests are left, and all of them again in `t` seconds', '"key";r=199;t=1'),
  'WWW-Authenticate': text('The scheme of the Authorization header', 'Bearer'),
  'Relayer-Transaction-Id': text('The transaction that has the `external_id`', '019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84'),
  'Retry-After': { description: 'Seconds to wait before a retry', schema: { type: 'integer', minimum: 1 } },
} as const

const own: Readonly<Record<OwnHeader, object>> = {
  'Idempotency-Replayed': {
    description: 'Only where an earlier request with the same Idempotency-Key sent the transactions',
    schema: { type: 'string', enum: ['true'] },
  },
  'Preference-Applied': text('The wait of `Prefer`, as the service applies it', 'wait=30'),
  'Relayer-Bulk-Cancellation': text(
    'The id of the bulk cancellation that the request made. Absent if there was nothing to cancel',
    '019aa5c2-a4c1-7d52-8f3e-0b9d2c6e4a17',
  ),
  'Relayer-Next-Before': text('The `before` of the next request. Absent at the end of the list', '42-1767323045678'),
  'Relayer-Total': {
    description: '`at-least` where `total_items` is a lower bound',
    schema: { type: 'string', enum: ['exact', 'at-least'] },
  },
  'X-Accel-Buffering': text('A proxy passes events on as they come', 'no'),
}

export const headers: Readonly<Record<string, object>> = { ...common, ...own }

const everywhere: readonly HeaderName[] = [
  ...(['X-Request-Id', 'Cache-Control', 'Content-Security-Policy', 'X-Content-Type-Options'] as const),
]

function refer(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** All answers of an operation: its success, and its refusals by status. */
export function describeAnswers(
  method: string,
  operation: DocumentOperation,
  documented: DocumentedOperation,
): JsonObject {
  const rates: readonly HeaderName[] = documented.scope ? ['RateLimit-Policy', 'RateLimit'] : []
  const successes = Object.entries(operation.responses).map(([status, { description, content }]) => [
    status,
    {
      description: description === 'Default Response' ? 'Success' : description,
      headers: refer([...everywhere, ...rates, ...documented.answerHeaders]),
      content: Object.fromEntries(
        Object.entries(content).map(([type, media]) => [type, { ...media, example: exampleOf(media.schema) }]),
      ),
    },
  ])
  const codes = [...new Set([...commonRefusals(method, operation, documented), ...documented.refusals])]
  const answerOf = (code: ErrorCode) => fixedAnswer(code, operation.operationId)
  const statuses = [...new Set(codes.map((code) => answerOf(code).status))].sort()
  const takesKey = operation.parameters?.some(({ name }) => name === idempotencyKey) === true
  const shared = {
    names: [...everywhere, ...rates],
    mayRepeat: isRepeatable(mayChange(method.toUpperCase(), documented.scope), takesKey, operation.operationId),
    messageOf: (code: ErrorCode) => answerOf(code).text ?? exampleMessage(code),
  }
  const refusals = statuses.map((status) => {
    const ofStatus = codes.filter((code) => answerOf(code).status === status)
    return [status, refusal(ofStatus, shared)]
  })
  return Object.fromEntries([...successes, ...refusals])
}

interface Refusal {
  readonly names: readonly HeaderName[]
  readonly mayRepeat: boolean
  readonly messageOf: (code: ErrorCode) => string
}

function refusal(codes: readonly ErrorCode[], { names, mayRepeat, messageOf }: Refusal) {
  const isRetried = codes.some((code) => saysWhenToRetry(code, mayRepeat))
  const isUnauthorized = codes.includes('UNAUTHORIZED')
  return {
    description: `Refused: ${codes.map((code) => `\`${code}\``).join(', ')}`,
    headers: {
      'Relayer-Error-Code': { description: 'The reason', required: true, schema: { type: 'string', enum: codes } },
      ...refer([
        ...(isUnauthorized ? (['WWW-Authenticate'] as const) : []),
        ...(codes.includes('EXTERNAL_ID_TAKEN') ? (['Relayer-Transaction-Id'] as const) : []),
        ...(isRetried ? (['Retry-After'] as const) : []),
        ...names,
      ]),
    },
    content: {
      'application/json': {
        schema: failureSchema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { data: null, message: messageOf(code), success: false } }]),
        ),
      },
    },
  }
}

/** Codes that an operation answers with because of its method, its parameters and its authentication. */
function commonRefusals(
  method: string,
  operation: DocumentOperation,
  { scope, refusals }: DocumentedOperation,
): ErrorCode[] {
  const { parameters = [], requestBody } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const isChecked =
    parameters.length > inPath.length ||
    inPath.some(({ schema }) => 'pattern' in schema || memberOf(schema, 'type') !== 'string')
  const takesBody = ['post', 'put', 'patch'].includes(method)
  return [
    ...(isChecked || requestBody ? (['INVALID_REQUEST'] as const) : []),
    ...(takesBody ? (['MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(inPath.length > 0 ? (['MALFORMED_PATH'] as const) : []),
    'MALFORMED_HTTP',
    ...(scope ? (['UNAUTHORIZED', 'SCOPE_MISSING', 'RATE_LIMITED', 'TOO_MUCH_UNREAD'] as const) : []),
    ...(scope && inPath.some(({ name }) => name === 'relayer_id') ? (['RELAYER_NOT_GRANTED'] as const) : []),
    // Of a relayer of the file whose signer has not opened.
    ...(refusals.includes('RELAYER_NOT_FOUND') ? (['SIGNER_UNAVAILABLE'] as const) : []),
    'INTERNAL',
    ...(scope ? (['DATABASE_UNAVAILABLE'] as const) : []),
    ...(method === 'get' ? [] : (['OUTCOME_UNKNOWN'] as const)),
    'SHUTTING_DOWN',
  ]
}

export type JsonObject = Readonly<Record<string, unknown>>

/** The keywords whose values are data, and no schemas. */
export const dataKeywords: readonly string[] = ['example', 'examples', 'enum', 'const', 'default']

interface Schema {
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonObject[]
  readonly type?: unknown
  readonly minimum?: number
  readonly items?: JsonObject
  readonly properties?: Readonly<Record<string, JsonObject>>
  readonly required?: readonly string[]
}

/**
 * An example of a value, made from the examples of its schema and of its parts, with the required members only. Where an optional one
 * explains more, the schema has an example of its own.
 */
function exampleOf(schema: JsonObject): unknown {
  const { examples, enum: choices, anyOf, type, minimum = 0, items, properties = {}, required = [] }: Schema = schema
  const [given = choices?.[0]] = examples ?? []
  if (given !== undefined) return given
  if (anyOf?.[0]) return exampleOf(anyOf[0])
  switch (type) {
    case 'object':
      return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
    case 'array':
      return items ? [exampleOf(items)] : []
    case 'integer':
      return minimum
    case 'boolean':
      return false
    case 'string':
      return 'text'
    default:
      return null
  }
}

// Success and error bodies, of every response but JSON-RPC, text and streams; and the body of JSON-RPC.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { memberOf } from '../../ops/member.ts'
import { closed } from './forms.ts'

const logSchema = Type.Object({ level: Type.String({ examples: ['log'] }), message: Type.String() })

const metadataSchema = Type.Object(
  { logs: Type.Array(logSchema), traces: Type.Array(Type.Unknown()) },
  { title: 'Metadata', examples: [{ logs: [], traces: [] }] },
)

/** Metadata with further members, for the operations that have any. */
export function metadataWith(members: TProperties, title: string) {
  return Type.Object({ ...metadataSchema.properties, ...members }, { title, examples: [{ logs: [], traces: [] }] })
}

const paginationSchema = Type.Object(
  {
    current_page: Type.Integer({ minimum: 1 }),
    per_page: Type.Integer({ minimum: 0 }),
    total_items: Type.Integer({ minimum: 0 }),
  },
  { title: 'Pagination', examples: [{ current_page: 1, per_page: 1, total_items: 1 }] },
)

export type Pagination = Static<typeof paginationSchema>

const onePage: Pagination = { current_page: 1, per_page: 1, total_items: 1 }

export interface Success<T> {
  data: T
  error: ''
  metadata: { logs: { level: 'log'; message: string }[]; traces: [] }
  pagination: Pagination
  success: true
}

/**
 * A success body with all five members; `logs` explain to people what was done and will be done. `metadata`: members beside the logs,
 * which the request includes.
 */
export function success<T>(
  data: T,
  logs: readonly string[] = [],
  pagination: Pagination = onePage,
  metadata: object = {},
): Success<T> {
  return {
    data,
    error: '',
    metadata: { logs: logs.map((message) => ({ level: 'log', message })), traces: [], ...metadata },
    pagination,
    success: true,
  }
}

/** An error body, as bytes: exactly three members. */
export function failure(message: string): string {
  return `{"data":null,"message":${JSON.stringify(message)},"success":false}`
}

export const failureSchema = closed('Failure', {
  description: 'The header Relayer-Error-Code carries the machine-readable reason.',
})({ data: Type.Null(), message: Type.String(), success: Type.Literal(false) })

export function successSchema<S extends TSchema>(data: S, metadata: TSchema = metadataSchema) {
  return closed(`${metadata === metadataSchema ? '' : 'Labeled'}${titleOf(data)}`)({
    data,
    error: Type.Literal(''),
    metadata,
    pagination: paginationSchema,
    success: Type.Literal(true),
  })
}

/** The success, for the OpenAPI document, which adds the refusals. */
export function answers<S extends TSchema>(data: S, metadata?: TSchema) {
  return { 200: successSchema(data, metadata) }
}

/** The title of the envelope: by its data, or by the items of a list. */
function titleOf(data: TSchema): string {
  const items = memberOf(data, 'items')
  const name = memberOf(items ?? data, 'title')
  return `${typeof name === 'string' ? name : 'Text'}${items === undefined ? '' : 'List'}Answer`
}

/** The response to a JSON-RPC client: the one JSON body that is not an envelope. */
export const rpcBodySchema = closed('RpcAnswer', { examples: [{ jsonrpc: '2.0', id: 1, result: '0x412' }] })({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  result: Type.Optional(Type.Unknown({ description: "The node's result" })),
  error: Type.Optional(
    Type.Object(
      {
        code: Type.Number(),
        message: Type.String(),
        description: Type.String({ description: 'Whether the node or this service returned the error' }),
        data: Type.Optional(Type.Unknown({ description: 'For example the bytes that a call reverted with' })),
      },
      { additionalProperties: false },
    ),
  ),
})

export type RpcBody = Static<typeof rpcBodySchema>

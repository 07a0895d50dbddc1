// The OpenAPI document as data: each operation with its parameters, its body, its examples, and the judges of its answers.
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { judgeBy, type Schema } from './arbitrary.ts'
import { dereferenced } from './dereferenced.ts'

export interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  /** Every example that it gives; none where it gives none. */
  readonly examples: readonly unknown[]
}

export interface Described {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body?: {
    readonly contentType: string
    readonly schema: Schema
    readonly examples: readonly unknown[]
  }
  /** The faults of an answer, in words; empty where it is as described. */
  judge(answer: Judged): readonly string[]
  /** Each answer that the document describes, with its examples. */
  readonly answers: readonly {
    readonly status: number
    readonly contentType: string
    readonly examples: readonly unknown[]
  }[]
}

interface Judged {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** As they came. Absent: not judged. */
  readonly headers?: Readonly<Record<string, unknown>>
}

interface Media {
  readonly schema?: Schema & { readonly example?: unknown; readonly examples?: readonly unknown[] }
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface RawOperation {
  readonly operationId: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Omit<Parameter, 'examples' | 'schema'> & Media)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, Media>>
        readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>
      }
    >
  >
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
}

export function operationsOf(document: OpenApiDocument): readonly Described[] {
  return Object.entries(dereferenced(document).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => describeOperation(path, method, operation)),
  )
}

function describeOperation(path: string, method: string, operation: RawOperation): Described {
  const [body] = Object.entries(operation.requestBody?.content ?? {})
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters ?? []).map((parameter) => ({
      in: parameter.in,
      name: parameter.name,
      required: parameter.required ?? false,
      schema: parameter.schema ?? {},
      examples: examplesOf(parameter),
    })),
    ...(body && { body: { contentType: body[0], schema: body[1].schema ?? {}, examples: examplesOf(body[1]) } }),
    judge: judgeOf(operation),
    answers: Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([contentType, media]) => ({
        status: Number(status),
        contentType,
        examples: examplesOf(media),
      })),
    ),
  }
}

function examplesOf({ example, examples, schema }: Media): readonly unknown[] {
  const nested = [...(schema?.examples ?? []), ...(schema?.example === undefined ? [] : [schema.example])]
  return [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map(({ value }) => value),
    ...nested,
  ]
}

function judgeOf({ operationId, responses }: RawOperation): Described['judge'] {
  return ({ status, contentType, text, headers }) => {
    const described = responses[status]
    if (!described) return [`${operationId}: the document has no status ${status}`]
    const type = contentType.split(';')[0] ?? ''
    const schema = described.content?.[type]?.schema
    if (!schema) return [`${operationId}: the document has no "${type}" under ${status}`]
    const faults = headers ? headerFaults(described.headers ?? {}, headers) : []
    if (faults.length > 0) return faults.map((fault) => `${operationId}: ${status} ${fault}`)
    if (type === 'text/event-stream') return []
    const judge = judgeBy(schema)
    const isFine = judge(type === 'application/json' ? JSON.parse(text) : text)
    return isFine ? [] : [`${operationId}: ${status} is not as described: ${shownErrors(judge)}`]
  }
}

function shownErrors({ errors }: ValidateFunction): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')
}

/** Of HTTP itself: the document describes only what the service means by a header. */
const standard = ['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding']

type DescribedHeaders = Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>

function headerFaults(described: DescribedHeaders, sent: Readonly<Record<string, unknown>>): readonly string[] {
  const known = new Map(Object.entries(described).map(([name, header]) => [name.toLowerCase(), header]))
  const unknown = Object.keys(sent).filter((name) => !standard.includes(name) && !known.has(name))
  const wrong = [...known].filter(([name, { required = false, schema }]) => {
    const value = sent[name]
    if (value === undefined) return required
    return schema.type === 'integer' ? !/^\d+$/.test(`${value}`) : schema.enum?.includes(value) === false
  })
  return [
    ...unknown.map((name) => `has the header ${name}, which the document lacks`),
    ...wrong.map(([name]) => `has ${name}: ${sent[name]}, which is not as described`),
  ]
}

/** The path with its parameters in their places, each encoded as a client must. */
export function pathWith({ path, parameters }: Described, values: Readonly<Record<string, unknown>>): string {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((filled, { name }) => filled.replace(`{${name}}`, encodeURIComponent(String(values[name]))), path)
}

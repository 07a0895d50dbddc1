// The OpenAPI document as data: each operation with its parameters, its body, its examples, and the judges of its answers.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Schema } from './arbitrary.ts'

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
  /** What is wrong with an answer, in words; empty where it is as described. */
  judge(answer: { status: number; contentType: string; text: string }): readonly string[]
}

interface Media {
  readonly schema?: Schema & { readonly example?: unknown; readonly examples?: readonly unknown[] }
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface RawOperation {
  readonly operationId: string
  readonly parameters?: readonly (Omit<Parameter, 'examples' | 'schema'> & Media)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
}

export function operationsOf(document: OpenApiDocument): readonly Described[] {
  const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => describeOperation(path, method, operation, ajv)),
  )
}

function describeOperation(path: string, method: string, operation: RawOperation, ajv: Ajv2020): Described {
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
    judge: judgeOf(operation, ajv),
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

function judgeOf({ operationId, responses }: RawOperation, ajv: Ajv2020): Described['judge'] {
  const judges = new Map<string, ValidateFunction>()
  const judgeFor = (status: number, contentType: string, schema: Schema) => {
    const name = `${status} ${contentType}`
    const judge = judges.get(name) ?? ajv.compile(schema)
    judges.set(name, judge)
    return judge
  }
  return ({ status, contentType, text }) => {
    const described = responses[status]
    if (!described) return [`${operationId}: the document knows no status ${status}`]
    const type = contentType.split(';')[0] ?? ''
    const schema = described.content?.[type]?.schema
    if (!schema) return [`${operationId}: the document knows no "${type}" under ${status}`]
    if (type === 'text/event-stream') return []
    const judge = judgeFor(status, type, schema)
    const isFine = judge(type === 'application/json' ? JSON.parse(text) : text)
    return isFine ? [] : [`${operationId}: ${status} is not as described: ${ajv.errorsText(judge.errors)}`]
  }
}

/** The path with its parameters in their places, each encoded as a client must. */
export function pathWith({ path, parameters }: Described, values: Readonly<Record<string, unknown>>): string {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((filled, { name }) => filled.replace(`{${name}}`, encodeURIComponent(String(values[name]))), path)
}

// Requests by the rules of the OpenAPI document: those that it allows, and those that it forbids by one fault.
import fc from 'fast-check'
import { anything, fitting, judgeBy, type Schema, spoiledBy } from './arbitrary.ts'
import { type Described, type Parameter, pathWith } from './document.ts'

export interface RuledRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What exists, by the parameter or the member of a body that names it. No schema can say that it must exist. */
export type Existing = Readonly<Record<string, readonly unknown[]>>

type Values = Readonly<Record<string, unknown>>

export function allowedRequest(operation: Described, existing: Existing): fc.Arbitrary<RuledRequest> {
  return fc
    .tuple(allowedParameters(operation, existing), allowedBody(operation, existing))
    .map(([parameters, body]) => requestOf(operation, parameters, body))
}

/** Undefined for an operation without a rule in the document. */
export function forbiddenRequest(operation: Described, existing: Existing): fc.Arbitrary<RuledRequest> | undefined {
  const { parameters, body } = operation
  const ruled = parameters.filter(({ schema }) => forbiddenTexts(schema) !== undefined)
  const faults = [...ruled.map((parameter) => forbiddenParameter(operation, parameter, existing))]
  if (body) faults.push(forbiddenBody(operation, body.schema, existing))
  return faults.length === 0 ? undefined : fc.oneof(...faults)
}

function forbiddenParameter(operation: Described, parameter: Parameter, existing: Existing) {
  return fc
    .tuple(
      allowedParameters(operation, existing),
      allowedBody(operation, existing),
      forbiddenTexts(parameter.schema) ?? fc.constant(''),
    )
    .map(([parameters, body, text]) => requestOf(operation, { ...parameters, [parameter.name]: text }, body))
}

function forbiddenBody(operation: Described, schema: Schema, existing: Existing): fc.Arbitrary<RuledRequest> {
  const judge = judgeBy(schema)
  const faulty = spoiledBy(allowedBody(operation, existing))
    .map(asSent)
    .filter((body) => !judge(body) && !judge(asRead(body)))
  return fc
    .tuple(allowedParameters(operation, existing), faulty)
    .map(([parameters, body]) => requestOf(operation, parameters, body))
}

/** JSON has no undefined, and no number that is none. */
function asSent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body) ?? 'null')
}

/** The service reads a number beyond 2^53 as a text: of its digits below 10^78, otherwise as it was written. */
function asRead(value: unknown): unknown {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(Math.trunc(value))) return value
    return value > 0 && value < 1e78 ? BigInt(value).toString() : JSON.stringify(value)
  }
  if (Array.isArray(value)) return value.map(asRead)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asRead(member)]))
}

function allowedParameters({ parameters }: Described, existing: Existing): fc.Arbitrary<Values> {
  return valuesOf(parameters, ({ name, schema }) =>
    existing[name] ? fc.constantFrom(...existing[name]) : fitting(schema),
  )
}

/** Values by the names of parameters: those that are required, and any of the others. */
export function valuesOf(
  parameters: readonly Parameter[],
  drawn: (parameter: Parameter) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Values> {
  return fc.record(Object.fromEntries(parameters.map((each) => [each.name, drawn(each)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  })
}

function allowedBody({ id, body }: Described, existing: Existing): fc.Arbitrary<unknown> {
  if (!body) return fc.constant(undefined)
  const judge = judgeBy(body.schema)
  const named = fc.record(
    Object.fromEntries(Object.entries(existing).map(([name, values]) => [name, fc.constantFrom(...values)])),
  )
  return fc
    .tuple(fitting(withoutServices(id, body.schema)), named)
    .map(([value, names]) => ({
      ...(value as object),
      ...Object.fromEntries(Object.entries(names).filter(([name]) => Object.hasOwn(value as object, name))),
    }))
    .filter((value) => judge(value))
}

/** The service opens a signer at once, and no test calls another machine: a unit test has the configs of the services. */
export function withoutServices(operationId: string, schema: Schema): Schema {
  if (operationId === 'createSigner') {
    const types = ['plain', 'vault_transit']
    return {
      oneOf: (schema.oneOf ?? []).filter((form) =>
        types.includes(String(memberOf(form.properties, 'type')?.enum?.[0])),
      ),
    }
  }
  if (operationId !== 'updateSigner') return schema
  const config = memberOf(schema.properties, 'config')
  const [plain] = config?.anyOf ?? []
  return { ...schema, properties: { config: { ...plain } } }
}

function requestOf(operation: Described, values: Values, body: unknown): RuledRequest {
  const inPlace = (place: Parameter['in']) =>
    operation.parameters
      .filter((parameter) => parameter.in === place && values[parameter.name] !== undefined)
      .map(({ name }): [string, string] => [name, String(values[name])])
  const search = new URLSearchParams(inPlace('query')).toString()
  return {
    id: operation.id,
    method: operation.method,
    path: pathWith(operation, values) + (search && `?${search}`),
    headers: {
      ...Object.fromEntries(inPlace('header').map(([name, text]) => [name, visible(text)])),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

/** Texts of a parameter that its schema forbids, and that a client can send. Undefined where it forbids none. */
function forbiddenTexts(schema: Schema): fc.Arbitrary<string> | undefined {
  const isRuled = schema.pattern !== undefined || schema.enum !== undefined || schema.type === 'integer'
  if (!isRuled && !schema.anyOf) return undefined
  const judge = judgeBy(schema)
  return fc
    .oneof(
      anything.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))),
      fc.constantFrom('a b', 'x'.repeat(300), '-1', '0.5', '1e400', '99999999999999999'),
    )
    .map((text) => visible(text).trim())
    .filter((text) => {
      // 1.0 and 01 are whole numbers to some readers and none to others.
      const isNumber = schema.type === 'integer' && /^[0-9.eE+]+$/.test(text)
      return text !== '' && !judge(text) && !(isNumber && judge(Number(text)))
    })
}

function memberOf(properties: Schema['properties'], name: string): Schema | undefined {
  return properties?.[name]
}

/** No client sends other characters in a header. */
function visible(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}

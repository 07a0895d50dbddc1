// Validates requests by the schemas of the OpenAPI document; a refusal names the field, the value and the fix.

import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { checkEach, namedItemsMax } from '../../domain/check-each.ts'
import { RescindError } from '../../domain/errors.ts'
import { memberOf } from '../../ops/member.ts'
import {
  excessOf,
  itemsOf,
  keywordsOf,
  objectOrNull,
  propertiesOf,
  shortened,
  unknownMember,
  wantedOf,
} from './refuse-excess.ts'
import { bodyOptionalKey } from './stated.ts'

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, method }) => {
  const validator = Compile(schema)
  const integers = httpPart === 'body' ? [] : integersOf(schema)
  // In a PATCH, null removes a member (RFC 7396).
  const isNullAbsent = httpPart === 'body' && method !== 'PATCH'
  const isOptional = httpPart === 'body' && memberOf(schema, bodyOptionalKey) === true
  return (sent: unknown) => {
    const given = isOptional && sent === null ? {} : sent
    if (isNullAbsent) removeNulls(schema, given)
    const whole = integers.length > 0 ? withIntegers(given, integers) : given
    const value = httpPart === 'querystring' ? withChoices(schema, whole) : whole
    if (validator.Check(value)) return { value }
    const excess = excessOf(schema, value)
    if (excess) return { error: excess }
    const errors = validator.Errors(value)
    return { error: refusalOfItems(schema, errors, value) ?? refusal(schema, errors, value, httpPart ?? 'body') }
  }
}

/** `field: value is not <the expected form>; the fix`, with the value shortened. */
export function invalid(field: string, value: unknown, wanted: string): RescindError {
  return new RescindError('INVALID_REQUEST', `${field}: ${shownValue(value)} is not ${wanted}`)
}

export function shownValue(value: unknown): string {
  return shortened(JSON.stringify(value) ?? 'nothing')
}

type ValidationErrors = readonly { instancePath: string; keyword: string; params: object }[]

function refusal(schema: TSchema, errors: ValidationErrors, value: unknown, part: string): RescindError {
  for (const { params, instancePath } of errors) {
    const at = locate(schema, value, instancePath)
    if (!at.exact) continue
    const properties = propertiesOf(at.schema)
    const within = at.name === '' ? '' : `${at.name}.`
    if ('requiredProperties' in params) {
      const name = String(memberOf(params.requiredProperties, '0'))
      return new RescindError('INVALID_REQUEST', `${within}${name}: is missing; send ${wantedOf(properties[name])}`)
    }
    if ('additionalProperties' in params) {
      const name = String(memberOf(params.additionalProperties, '0'))
      return unknownMember(`${within}${shortened(name)}`, properties)
    }
  }
  const at = locate(schema, value, errors[0]?.instancePath ?? '')
  if (at.name === '') {
    return holdsSecret(schema)
      ? new RescindError('INVALID_REQUEST', `${part}: is not a JSON object; send one`)
      : invalid(part, value, 'a JSON object; send one')
  }
  if (holdsSecret(at.schema)) {
    const unseen = 'not shown: it may hold a secret'
    return new RescindError('INVALID_REQUEST', `${at.name}: is not ${wantedOf(at.schema)} (${unseen})`)
  }
  const hex = typeof at.value === 'string' && /^0x/i.test(at.value) && isNumber(at.schema) && !takesHex(at.schema)
  return invalid(at.name, at.value, `${wantedOf(at.schema)}${hex ? '; hex is not taken' : ''}`)
}

/** The refusal of a list of objects: it names every invalid object, not only the first. */
function refusalOfItems(schema: TSchema, errors: ValidationErrors, value: unknown): RescindError | undefined {
  const name = errors[0]?.instancePath.split('/')[1] ?? ''
  const items = itemsOf(propertiesOf(schema)[name])
  const list = memberOf(value, name)
  if (!items || !('properties' in items) || !Array.isArray(list)) return undefined
  const validator = Compile(items)
  let refused = 0
  try {
    checkEach(name, list, (item) => {
      if (validator.Check(item)) return
      refused += 1
      // Those beyond are counted, and need no explanation.
      if (refused > namedItemsMax || !isObject(item)) throw invalid(name, item, wantedOf(items))
      throw refusal(items, validator.Errors(item), item, name)
    })
  } catch (error) {
    if (error instanceof RescindError) return error
    throw error
  }
  return undefined
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Located {
  /** The member, such as `access_list[2].address`; empty for the whole body. */
  readonly name: string
  readonly schema: TSchema
  readonly value: unknown
  /** False where there are alternatives: the refusal then describes all of them together. */
  readonly exact: boolean
}

function locate(schema: TSchema, value: unknown, instancePath: string): Located {
  let at: Located = { name: '', schema, value, exact: true }
  for (const step of instancePath.split('/').slice(1)) {
    const items = itemsOf(at.schema)
    const next = items ?? propertiesOf(at.schema)[step]
    if (!next) return { ...at, exact: false }
    const name = items ? `${at.name}[${step}]` : at.name === '' ? step : `${at.name}.${step}`
    const found = memberOf(at.value, step)
    const wanted = isObject(found) ? (objectOrNull(next) ?? next) : next
    at = { name, schema: wanted, value: found, exact: !('anyOf' in wanted) }
  }
  return at
}

/** OpenAPI's `writeOnly` marks a value that no response repeats, refusals included. */
function holdsSecret(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return ('writeOnly' in schema && schema.writeOnly === true) || Object.values(schema).some(holdsSecret)
}

/** An integer, or one of several forms of an amount. */
function isNumber(property: TSchema | undefined): boolean {
  return [property, ...(keywordsOf(property).anyOf ?? [])].some((form) => memberOf(form, 'type') === 'integer')
}

function takesHex(property: TSchema | undefined): boolean {
  return (keywordsOf(property).anyOf ?? []).some((form) => String(memberOf(form, 'pattern')).includes('0x'))
}

function integersOf(schema: TSchema): string[] {
  const named = Object.entries(propertiesOf(schema))
  return named.filter(([, property]) => memberOf(property, 'type') === 'integer').map(([name]) => name)
}

/** Removes the members that are null and that the schema names, except where null is a value of its own. */
function removeNulls(schema: TSchema, value: unknown): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (items) for (const item of value) removeNulls(items, item)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, property] of Object.entries(propertiesOf(objectOrNull(schema) ?? schema))) {
    const member = memberOf(value, name)
    if (member !== null) removeNulls(property, member)
    else if (!acceptsNull(property)) Reflect.deleteProperty(value, name)
  }
}

function acceptsNull(schema: TSchema): boolean {
  return [schema, ...(keywordsOf(schema).anyOf ?? [])].some((form) => memberOf(form, 'type') === 'null')
}

/** Paths and queries are text: plain decimals become integers where the schema has an integer; all else stays. */
function withIntegers(given: unknown, integers: readonly string[]): unknown {
  const value: Record<string, unknown> = { ...(typeof given === 'object' && given) }
  for (const name of integers) {
    const text = value[name]
    if (typeof text === 'string' && /^(0|[1-9]\d{0,15})$/.test(text)) value[name] = Number(text)
  }
  return value
}

/** Corrects the letter case of choices, which makes no difference in queries: `PENDING` becomes `pending`. */
function withChoices(schema: TSchema, given: unknown): unknown {
  const value: Record<string, unknown> = { ...(typeof given === 'object' && given) }
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const [text, choices] = [value[name], memberOf(property, 'enum')]
    if (typeof text !== 'string' || !Array.isArray(choices)) continue
    value[name] = choices.find((choice) => String(choice).toLowerCase() === text.toLowerCase()) ?? text
  }
  return value
}

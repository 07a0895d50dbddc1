// From a JSON schema to values that fit it, and to values that nearly do.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { ownFormats } from './formats.ts'

type Members = Readonly<Record<string, Schema>>

/** The keywords that are followed. */
export interface Schema {
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly not?: Schema
  readonly type?: string | readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
  readonly items?: Schema
  readonly properties?: Members
  readonly required?: readonly string[]
  readonly patternProperties?: Members
  readonly propertyNames?: Schema
  readonly additionalProperties?: boolean | Schema
}

/** Anything that JSON can say, and what tends to be forgotten: huge, deep, odd and hostile. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    ...[null, '', ' ', '0', '-1', '0x', '0X', '__proto__', 'constructor', 'null', '\u0000', '\ud800', '%00', '../..'],
    ...[-0, -1, 0.5, 2 ** 53, 1e21, 1e308, Number.MIN_VALUE, [], {}, [[]], [null], { toString: 1 }, { length: -1 }],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.bigInt(-(2n ** 260n), 2n ** 260n).map(String),
)

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
for (const [name, { has }] of Object.entries(ownFormats)) ajv.addFormat(name, has)
const known = new WeakMap<Schema, ValidateFunction>()
const byText = new Map<string, ValidateFunction>()

/** Judges values by a schema. Equal schemas share a judge: nearly every answer that refuses has the same. */
export function judgeBy(schema: Schema): ValidateFunction {
  const judge = known.get(schema) ?? byText.get(JSON.stringify(schema)) ?? ajv.compile(schema)
  if (!known.has(schema)) byText.set(JSON.stringify(schema), judge)
  known.set(schema, judge)
  return judge
}

/** Values that fit the schema. Throws for a keyword that it can't follow: a generator that guesses tests nothing. */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  const judge = judgeBy(schema)
  return nearly(schema).filter((value) => judge(value))
}

/** Nearly all of them fit: rules about more than one member are left to the judge. */
function nearly(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const { anyOf, oneOf, allOf = [], ...base } = schema
  const forks = [...allOf, ...(anyOf ? [{ anyOf }] : []), ...(oneOf ? [{ oneOf }] : [])]
  if (forks.length > 0) {
    const chosen = forks.reduce<readonly Schema[]>(
      (schemas, fork) =>
        schemas.flatMap((one) => (fork.anyOf ?? fork.oneOf ?? [fork]).map((choice) => narrowed(one, choice))),
      [base],
    )
    return fc.oneof(...chosen.map(nearly))
  }
  if (typeof schema.type === 'object') return fc.oneof(...schema.type.map((type) => nearly({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
      return integer(schema)
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(nearly(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      })
    case 'object':
      return object(schema)
    case undefined:
      return anything
    default:
      throw new Error(`no values for ${JSON.stringify(schema)}`)
  }
}

/** The schema of values that fit both. */
function narrowed(schema: Schema, other: Schema): Schema {
  if (schema.anyOf && other.type) {
    const types = [other.type].flat()
    return {
      anyOf: schema.anyOf.flatMap((form) =>
        form.anyOf ? (narrowed(form, other).anyOf ?? []) : types.includes(String(form.type)) ? [form] : [],
      ),
    }
  }
  const properties = { ...schema.properties }
  for (const [name, member] of Object.entries(other.properties ?? {})) {
    properties[name] = narrowed(properties[name] ?? {}, member)
  }
  return {
    ...schema,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    required: [...(schema.required ?? []), ...(other.required ?? [])],
  }
}

/** The same values but for one fault somewhere: a member gone, one too many, one of another type. */
export function spoiledBy(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), fc.constantFrom('replace', 'remove', 'add'), anything).map(spoiled)
}

function spoiled([value, place, fault, other]: [unknown, number, string, unknown]): unknown {
  if (typeof value !== 'object' || value === null) return other
  const copy = structuredClone(value) as Record<string, unknown>
  const names = Object.keys(copy)
  const name = names[place % Math.max(1, names.length)] ?? ''
  const isNested = typeof copy[name] === 'object' && copy[name] !== null && place % 3 === 0
  if (isNested) copy[name] = spoiled([copy[name], place >> 2, fault, other])
  else if (fault === 'remove') delete copy[name]
  else if (fault === 'add') copy[`x${name}`] = other
  else copy[name] = other
  return copy
}

function text(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 40, pattern, format } = schema
  if (format === 'date-time') {
    // The API takes times of the future only.
    const noInvalidDate = true
    return fc
      .date({ min: new Date('2090-01-01'), max: new Date('2100-01-01'), noInvalidDate })
      .map((at) => at.toISOString())
  }
  const own = ownFormats[format ?? '']
  if (own) return own.texts
  if (pattern)
    return matching(pattern).filter(
      (each) => each.length >= minLength && each.length <= (schema.maxLength ?? each.length),
    )
  return fc.oneof(fc.string({ minLength, maxLength }), fc.string({ unit: 'grapheme', minLength, maxLength }))
}

const textsBy = new Map<string, fc.Arbitrary<string>>()

function matching(pattern: string): fc.Arbitrary<string> {
  const texts = textsBy.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  textsBy.set(pattern, texts)
  return texts
}

function integer({ minimum = -(2 ** 53), maximum = 2 ** 53 }: Schema): fc.Arbitrary<number> {
  const [min, max] = [Math.max(minimum, Number.MIN_SAFE_INTEGER), Math.min(maximum, Number.MAX_SAFE_INTEGER)]
  return fc.oneof(
    fc.integer({ min, max: Math.min(max, min + 100) }),
    fc.integer({ min, max }),
    fc.constantFrom(min, max),
  )
}

function object({
  properties = {},
  required = [],
  patternProperties,
  propertyNames,
  additionalProperties,
}: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => [name, nearly(schema)] as const)
  const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
  const free: [string, Schema][] = Object.entries(patternProperties ?? {})
  const names = propertyNames ? text(propertyNames) : fc.stringMatching(/^[a-z_]{1,12}$/)
  const open =
    typeof additionalProperties === 'object' ? [fc.dictionary(names, nearly(additionalProperties), { maxKeys: 3 })] : []
  if (free.length + open.length === 0) return known
  const more = free.map(([pattern, schema]) => fc.dictionary(matching(pattern), nearly(schema), { maxKeys: 3 }))
  return fc.tuple(known, ...more, ...open).map((parts) => Object.assign({}, ...parts.toReversed()))
}

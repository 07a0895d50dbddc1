// From a JSON schema to values that fit it, and to values that nearly do.
import fc from 'fast-check'

type Members = Readonly<Record<string, Schema>>

/** The keywords that are followed. */
export interface Schema {
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
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

/** Values that fit the schema. Throws for a keyword that it can't follow: a generator that guesses tests nothing. */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(fitting))
  if (typeof schema.type === 'object') return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type })))
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
      return fc.array(fitting(schema.items ?? {}), {
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

/** Of mixed case, EIP-55 takes one in thousands. */
const lowerCaseAddress = /^0x[0-9a-f]{40}$/

function text(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 40, pattern, format } = schema
  if (format === 'date-time') {
    const noInvalidDate = true
    return fc
      .date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate })
      .map((at) => at.toISOString())
  }
  if (pattern === '^0x[0-9a-fA-F]{40}$') return fc.stringMatching(lowerCaseAddress)
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter((each) => each.length >= minLength)
  return fc.oneof(fc.string({ minLength, maxLength }), fc.string({ unit: 'grapheme', minLength, maxLength }))
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
  additionalProperties,
}: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => [name, fitting(schema)] as const)
  const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
  const free: [string, Schema][] = Object.entries(patternProperties ?? {})
  if (typeof additionalProperties === 'object') free.push(['^[a-z_]{1,12}$', additionalProperties])
  if (free.length === 0) return known
  const more = free.map(([pattern, schema]) =>
    fc.dictionary(fc.stringMatching(new RegExp(pattern)), fitting(schema), { maxKeys: 3 }),
  )
  return fc.tuple(known, ...more).map((parts) => Object.assign({}, ...parts.toReversed()))
}

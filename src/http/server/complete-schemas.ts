// What the OpenAPI document says beyond the schemas of the validators: the rules of the parsers, and where null is accepted.
import { memberOf } from '../../ops/member.ts'
import { aloneKey, bodyOptionalKey, statedKey, unlistedKey } from '../request/stated.ts'
import { data, type JsonObject } from './example-of.ts'

/** Puts the rules of the parsers in the places of the keywords beside them. */
export function withRules(node: unknown): unknown {
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
      .map(([key, value]) => [key, data.includes(key) ? value : withRules(value)]),
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

/** In the body of a POST or a PUT, null stands for an absent member (`validate.ts`). */
export function nullsAllowed(schema: JsonObject): JsonObject {
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

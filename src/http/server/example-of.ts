// An example of a value, made from the examples of its schema and of the parts of it.

export type JsonObject = Readonly<Record<string, unknown>>

/** The keywords whose values are data, and no schemas. */
export const data: readonly string[] = ['example', 'examples', 'enum', 'const', 'default']

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

/** An example with the required members only. Where an optional one explains more, the schema has an example of its own. */
export function exampleOf(schema: JsonObject): unknown {
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

// Moves each schema with a title to the components of the OpenAPI document, and refers to it by that name. The schemas of the
// routes stay whole, as the validators read them.
import { data, type JsonObject } from './example-of.ts'

interface Named {
  readonly schema: JsonObject
  readonly description: unknown
}

/** A place may describe the schema in words of its own. Throws where two schemas have the same title. */
export function nameSchemas(paths: JsonObject): { readonly paths: JsonObject; readonly schemas: JsonObject } {
  const known = new Map<string, Named>()

  function referred(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(referred)
    if (typeof node !== 'object' || node === null) return node
    const { title, ...others } = members(node)
    if (typeof title !== 'string') return title === undefined ? others : { title, ...others }
    // A body's examples stand beside its schema, so a schema that is also a part of another would be two.
    const { examples: _, description, ...schema } = others
    const first = known.get(title) ?? { schema, description }
    known.set(title, first)
    if (JSON.stringify(first.schema) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`)
    const $ref = `#/components/schemas/${title}`
    return description === undefined || description === first.description ? { $ref } : { $ref, description }
  }

  function members(node: object): JsonObject {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, data.includes(key) ? value : referred(value)]),
    )
  }

  const referring = members(paths)
  const schemas = [...known].map(([title, { schema, description }]): [string, JsonObject] => [
    title,
    { ...(description !== undefined && { description }), ...schema },
  ])
  return { paths: referring, schemas: Object.fromEntries(schemas.sort(([one], [other]) => one.localeCompare(other))) }
}

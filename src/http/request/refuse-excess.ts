// Refuses lists and objects with more members than the schema allows, at a cost that does not depend on how many there are.
import type { TSchema } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { memberOf } from '../../ops/member.ts'
import { nearestName } from '../../ops/near-names.ts'
import { shownCharsMax } from '../limits.ts'
import { unlistedKey } from './stated.ts'

interface Keywords {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** The general type of a schema has none of its keywords. */
export function keywordsOf(schema: TSchema | undefined): Keywords {
  return (schema ?? {}) as Keywords
}

export function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  return keywordsOf(schema).properties ?? {}
}

export function itemsOf(schema: TSchema | undefined): TSchema | undefined {
  return keywordsOf(schema).items
}

/** Where null is the only alternative to an object, an object is meant to be that one. */
export function objectOrNull(schema: TSchema): TSchema | undefined {
  const [object, other, ...rest] = keywordsOf(schema).anyOf ?? []
  const isNullable = memberOf(other, 'type') === 'null' && rest.length === 0
  return object && 'properties' in object && isNullable ? object : undefined
}

/** A property's `description` begins with its expected form: `gas units as an integer`. */
export function wantedOf(property: TSchema | undefined): string {
  return String(memberOf(property, 'description') ?? 'a value as the API reference describes it')
}

export function shortened(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}

/**
 * The first excess, outermost first; undefined if there is none. A validator that explains an invalid value visits all of
 * it, which takes seconds for a million members: nothing else is served meanwhile.
 */
export function excessOf(schema: TSchema, value: unknown, name = ''): RescindError | undefined {
  if (Array.isArray(value)) return excessOfList(schema, value, name)
  if (typeof value !== 'object' || value === null) return undefined
  const object = objectOrNull(schema) ?? schema
  const properties = propertiesOf(object)
  const within = name === '' ? '' : `${name}.`
  if (memberOf(object, 'additionalProperties') === false) {
    const unknown = firstUnknown(properties, value)
    if (unknown !== undefined) return unknownMember(`${within}${shortened(unknown)}`, properties)
  }
  for (const [member, property] of Object.entries(properties)) {
    const excess = excessOf(property, memberOf(value, member), `${within}${member}`)
    if (excess) return excess
  }
  return undefined
}

export function unknownMember(name: string, properties: Readonly<Record<string, TSchema>>): RescindError {
  const known = Object.keys(properties).filter((each) => memberOf(properties[each], unlistedKey) !== true)
  const meant = nearestName(name.split('.').at(-1) ?? '', known)
  const fix = meant === undefined ? `send only ${known.join(', ')}` : `did you mean "${meant}"?`
  return new RescindError('INVALID_REQUEST', `${name}: is not accepted here; ${fix}`)
}

/** A member that the schema lacks. It is sought only among more members than the schema names: then one of them is unknown. */
function firstUnknown(properties: Readonly<Record<string, TSchema>>, value: object): string | undefined {
  const given = Object.keys(value)
  if (given.length <= Object.keys(properties).length) return undefined
  return given.find((member) => !Object.hasOwn(properties, member))
}

function excessOfList(schema: TSchema, list: readonly unknown[], name: string): RescindError | undefined {
  const most = memberOf(schema, 'maxItems')
  if (typeof most === 'number' && list.length > most) {
    return new RescindError('INVALID_REQUEST', `${name}: has ${list.length} items; send ${wantedOf(schema)}`)
  }
  const items = itemsOf(schema)
  if (!items) return undefined
  for (const [index, item] of list.entries()) {
    const excess = excessOf(items, item, `${name}[${index}]`)
    if (excess) return excess
  }
  return undefined
}

// Refuses lists and objects with more members than the schema allows, at a cost that does not depend on how many there are.
import type { TSchema } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import { memberOf } from '../../ops/member.ts'
import { nearestName } from '../../ops/near-names.ts'
import { itemsOf, objectOrNull, propertiesOf, shortened, wantedOf } from './schema-parts.ts'
import { unlistedKey } from './stated.ts'

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

/** Only where there are more members than the schema names: then one of them is unknown. */
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

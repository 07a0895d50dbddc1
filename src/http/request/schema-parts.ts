// The parts of a schema that refusals are made of.
import type { TSchema } from 'typebox'
import { memberOf } from '../../ops/member.ts'
import { shownCharsMax } from '../limits.ts'

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

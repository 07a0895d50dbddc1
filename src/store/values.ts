// How values are stored in columns: JSON, text without zero bytes, and rounded figures.
import { type Expression, type RawBuilder, sql } from 'kysely'
import { shownText } from '../domain/stored-text.ts'

declare const content: unique symbol

export type Json<T> = string & { readonly [content]: T }

export function toJson<T>(value: T, replacer?: (name: string, value: unknown) => unknown): Json<T> {
  // The brand exists for the type checker only.
  return JSON.stringify(value, replacer) as Json<T>
}

export function fromJson<T>(json: Json<T>): T {
  return JSON.parse(json)
}

/** The value as JSON, in which an amount of wei is an object. */
export function amountsToText(value: object): string {
  return JSON.stringify(value, (_, value) => {
    if (typeof value === 'bigint') return { wei: value.toString() }
    return typeof value === 'string' ? shownText(value) : value
  })
}

export function amountsFrom<T>(text: string): T {
  return JSON.parse(text, (_, value) => amountOf(value) ?? value)
}

/** The amount in an object with `wei` as its only member. */
function amountOf(value: unknown): bigint | undefined {
  if (typeof value !== 'object' || value === null || !('wei' in value)) return undefined
  return typeof value.wei === 'string' && Object.keys(value).length === 1 ? BigInt(value.wei) : undefined
}

// The bytes of a transaction's payloads, the replaced ones included. Neither database reads a long text to return its length.

/** The size of the payloads, in a select of `transactions`. */
export const payloadBytes = sql<number>`(octet_length(data) + COALESCE(octet_length(earlier), 0) + COALESCE(octet_length(access_list), 0))`

export function recordOf<K extends string, T>(names: readonly K[], value: (name: K) => T): Record<K, T> {
  // An entry for every name.
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<K, T>
}

/** The beginning of the step, which is a multiple of its length. */
export const stepOf = (at: Expression<number>, stepMs: unknown): RawBuilder<number> =>
  sql<number>`CAST(${at} - ${at} % CAST(${stepMs} AS BIGINT) AS BIGINT)`

/** Removes U+0000, which PostgreSQL refuses in a text; null for no text. */
export function storableText(text: string | undefined): string | null {
  return text?.replaceAll('\0', '') ?? null
}

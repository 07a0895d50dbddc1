// JSON in a column, typed by its content, so that the writer and the reader of the text agree on it.
import { shownText } from '../domain/shown-text.ts'

declare const content: unique symbol

export type Json<T> = string & { readonly [content]: T }

export function toJson<T>(value: T): Json<T> {
  // The brand exists for the type checker only.
  return JSON.stringify(value) as Json<T>
}

export function fromJson<T>(json: Json<T>): T {
  return JSON.parse(json)
}

/** As JSON, in which an amount of wei is an object. */
export function amountsToText(value: object): string {
  return JSON.stringify(value, (_, value) => {
    if (typeof value === 'bigint') return { wei: value.toString() }
    return typeof value === 'string' ? shownText(value) : value
  })
}

export function amountsFrom<T>(text: string): T {
  return JSON.parse(text, (_, value) => amountOf(value) ?? value)
}

/** Of an object with `wei` as its only member. */
function amountOf(value: unknown): bigint | undefined {
  if (typeof value !== 'object' || value === null || !('wei' in value)) return undefined
  return typeof value.wei === 'string' && Object.keys(value).length === 1 ? BigInt(value.wei) : undefined
}

// JSON in a column, typed by its content, so that the writer and the reader of the text agree on it.
declare const content: unique symbol

export type Json<T> = string & { readonly [content]: T }

export function toJson<T>(value: T): Json<T> {
  // The brand exists for the type checker only.
  return JSON.stringify(value) as Json<T>
}

export function fromJson<T>(json: Json<T>): T {
  return JSON.parse(json)
}

// Members of objects: those that are absent rather than undefined, as exactOptionalPropertyTypes demands, and their names.

/** Members that may be undefined become optional. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The members that are not undefined, in their order. */
export function defined<T extends object>(members: T): Defined<T>
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The names of the members, in their order. Object.keys types its result as plain strings. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[]
}

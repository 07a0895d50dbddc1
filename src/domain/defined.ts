// Objects whose optional members are absent, rather than undefined, as exactOptionalPropertyTypes demands.

/** Members that may be undefined become optional. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The members that are not undefined, in their order. */
export function defined<T extends object>(members: T): Defined<T>
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

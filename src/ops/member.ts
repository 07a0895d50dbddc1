// A member of what may be anything: an error that somebody threw, JSON that nobody has checked.

/** Undefined where the value is no object, or has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

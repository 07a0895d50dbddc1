// Reads a member of an unchecked value, such as a thrown error or parsed JSON.

/** The member of a value; undefined if the value is no object, or has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

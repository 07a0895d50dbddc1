// A record with a member for each name.
export function recordOf<K extends string, T>(names: readonly K[], value: (name: K) => T): Record<K, T> {
  // An entry for every name.
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<K, T>
}

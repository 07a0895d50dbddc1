// Which records go above a limit: those of the key with the most. So a key evicts no record of one that has fewer.

interface Held<K> {
  readonly key: K
  readonly count: number
}

/**
 * The key with the most records, and how many of them go. The limits of 200 records and the counts 20, 150 and 600 leave 20, 90 and 90.
 * Undefined within the limit.
 */
export function overShare<K>(held: readonly Held<K>[], max: number): Held<K> | undefined {
  let room = max
  const rising = held.toSorted((one, other) => one.count - other.count)
  const most = rising.at(-1)
  for (const [index, { count }] of rising.entries()) {
    const share = Math.floor(room / (rising.length - index))
    if (most && count > share) return { key: most.key, count: most.count - share }
    room -= count
  }
  return undefined
}

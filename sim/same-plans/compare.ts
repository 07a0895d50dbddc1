// Compares what two commits decide on the same facts.

/** The differences of this seed so far, in words: place and both values. */
export const differences: string[] = []

/** By function: how many of its results were compared. */
export const compared: Record<string, number> = {}

/** A function that returns what `ours` does, and records where `theirs` differs. */
export function byBoth<A extends readonly unknown[], R>(
  name: string,
  ours: (...given: A) => R,
  theirs: (...given: A) => R,
): (...given: A) => R {
  return (...given) => {
    const result = ours(...given)
    compared[name] = (compared[name] ?? 0) + 1
    const difference = firstDifference(
      name,
      result,
      resultOf(() => theirs(...given)),
    )
    if (difference !== undefined) differences.push(difference)
    return result
  }
}

function resultOf(made: () => unknown): unknown {
  try {
    return made()
  } catch (error) {
    return error
  }
}

/** A member that is absent, and one that is undefined or false, say the same. */
function firstDifference(place: string, one: unknown, other: unknown): string | undefined {
  if (Object.is(one, other) || (!one && !other && isSilent(one) && isSilent(other))) return undefined
  const differs = `${place}: ${shown(one)}, and before ${shown(other)}`
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return differs
  const [ours, theirs] = [membersOf(one), membersOf(other)]
  const areLists = Array.isArray(one) && Array.isArray(other) && one.length === other.length
  if (other instanceof Error || (!areLists && (Array.isArray(one) || Array.isArray(other)))) return differs
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    const found = firstDifference(`${place}.${String(key)}`, ours.get(key), theirs.get(key))
    if (found !== undefined) return found
  }
  return undefined
}

function isSilent(value: unknown): boolean {
  return value === undefined || value === false
}

function membersOf(value: object): ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return value
  if (value instanceof Set) return new Map([...value].map((each) => [each, true]))
  return new Map(Object.entries(value))
}

const shownMax = 600

function shown(value: unknown): string {
  const text =
    value instanceof Error
      ? String(value.stack)
      : JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each))
  return (text ?? String(value)).slice(0, shownMax)
}

// Splits a batch whose answer was too large.

/** The calls that may have large answers part from the others. Where all are of one kind, there are two halves. */
export function splitBatch<T>(calls: readonly T[], large: readonly T[]): readonly (readonly T[])[] {
  const small = calls.filter((call) => !large.includes(call))
  if (small.length > 0 && large.length > 0) return [small, large]
  const middle = Math.ceil(calls.length / 2)
  return [calls.slice(0, middle), calls.slice(middle)]
}

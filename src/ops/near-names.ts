// Finds the name that somebody probably meant: letter case, separators and small edits make no difference.

/** The nearest of `candidates`; undefined if `name` resembles none of them. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const plain = plainOf(name)
  const near = candidates.flatMap((candidate) => {
    const wanted = plainOf(candidate)
    const most = Math.max(1, Math.floor(wanted.length / 4))
    // A long name costs no time: it is no edit of a short one.
    if (Math.abs(wanted.length - plain.length) > most) return []
    const distance = editDistance(plain, wanted)
    return distance <= most ? [{ candidate, distance }] : []
  })
  return near.sort((one, other) => one.distance - other.distance)[0]?.candidate
}

function plainOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** How many letters to insert, drop, change or swap with their neighbor (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let line = 1; line <= from.length; line++) {
    const next = [line]
    for (let column = 1; column <= to.length; column++) {
      const change = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1)
      const isSwap = line > 1 && column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1]
      const swap = isSwap ? (before[column - 2] ?? 0) + 1 : change
      next.push(Math.min(change, swap, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    ;[before, row] = [row, next]
  }
  return row[to.length] ?? 0
}

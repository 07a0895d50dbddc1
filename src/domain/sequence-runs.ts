// A set of sequences of one relayer as runs, so that a whole queue takes two numbers.

/** The gap before each run, and its length, in turn: `[5, 3, 1, 2]` is 5, 6, 7, 9 and 10. */
export type SequenceRuns = readonly number[]

/** The runs of sequences that come in any order, each at most once. */
export function runsOf(sequences: readonly number[]): SequenceRuns {
  const runs: number[] = []
  let end = 0
  for (const sequence of sequences.toSorted((one, other) => one - other)) {
    if (runs.length > 0 && sequence === end) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
    else runs.push(sequence - end, 1)
    end = sequence + 1
  }
  return runs
}

export interface SequenceSet {
  readonly size: number
  has(sequence: number): boolean
}

export function setOf(runs: SequenceRuns): SequenceSet {
  const starts: number[] = []
  const ends: number[] = []
  let size = 0
  let end = 0
  for (let index = 0; index + 1 < runs.length; index += 2) {
    const start = end + (runs[index] ?? 0)
    end = start + (runs[index + 1] ?? 0)
    starts.push(start)
    ends.push(end)
    size += end - start
  }
  return {
    size,
    has(sequence) {
      const run = countAtMost(starts, sequence) - 1
      return run >= 0 && sequence < (ends[run] ?? 0)
    },
  }
}

/** How many of the sorted numbers are at most `limit`. */
function countAtMost(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** How many sequences of the first the other lacks. */
export function countLacking(runs: SequenceRuns, other: SequenceRuns): number {
  const there = setOf(other)
  let lacking = 0
  let end = 0
  for (let index = 0; index + 1 < runs.length; index += 2) {
    const start = end + (runs[index] ?? 0)
    end = start + (runs[index + 1] ?? 0)
    for (let sequence = start; sequence < end; sequence += 1) if (!there.has(sequence)) lacking += 1
  }
  return lacking
}

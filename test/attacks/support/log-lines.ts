// The lines of a log that comes through a pipe, which cuts it anywhere.

/** Where the line begins that is not whole yet: lines from there on were not read before. */
export function placeIn(log: string): number {
  return log.lastIndexOf('\n') + 1
}

/** Whole lines only. */
export function linesFrom(log: string, place: number): readonly string[] {
  return log.slice(place, placeIn(log)).split('\n').filter(Boolean)
}

// Files that import each other in a circle, through types as well: none of them can be read first.
import { posix } from 'node:path'
import type { SourceFile } from './import-matrix.ts'
import { importsOf } from './source.ts'

/** Each circle as the files of it, in the order of their imports; the shortest through each file, and each circle once. */
export function cyclesOf(files: readonly SourceFile[]): readonly string[] {
  const known = new Set(files.map(({ path }) => path))
  const imports = new Map(
    files.map(({ path, source }) => {
      const targets = importsOf(source).map(({ specifier }) => posix.join(posix.dirname(path), specifier))
      return [path, targets.filter((target) => known.has(target))]
    }),
  )
  const cycles = files.flatMap(({ path }) => shortestBack(path, imports) ?? [])
  return [...new Set(cycles)]
}

/** From a file over its imports to itself, breadth first. Reported from its first file by the alphabet on: equal circles look alike. */
function shortestBack(start: string, imports: ReadonlyMap<string, readonly string[]>): string | undefined {
  const waysTo = new Map<string, readonly string[]>()
  for (const waiting = [[start]]; waiting.length > 0; ) {
    const way = waiting.shift() ?? []
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return reported(way)
      if (waysTo.has(next)) continue
      waysTo.set(next, way)
      waiting.push([...way, next])
    }
  }
  return undefined
}

function reported(way: readonly string[]): string {
  const first = way.indexOf([...way].sort()[0] ?? '')
  const turned = [...way.slice(first), ...way.slice(0, first)]
  return [...turned, turned[0]].join(' -> ')
}

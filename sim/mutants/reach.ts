// Which files a mutant has a copy of: its own, and all that import them.
import { dirname, resolve } from 'node:path'

/** Answers for a path whether it is one of `sources`, or imports one. `read` gives the text of any other file. */
export function reaching(
  sources: ReadonlyMap<string, string>,
  read: (path: string) => string,
): (path: string) => boolean {
  const found = new Map<string, boolean>()
  function reaches(path: string): boolean {
    const known = found.get(path)
    if (known !== undefined) return known
    // An import circle adds nothing.
    found.set(path, false)
    const imported = [...read(path).matchAll(/\b(?:from|import)[\s(]*'(\.{1,2}\/[^']+\.ts)'/g)]
    const does = sources.has(path) || imported.some(([, to = '']) => reaches(resolve(dirname(path), to)))
    found.set(path, does)
    return does
  }
  return reaches
}

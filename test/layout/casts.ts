// Finds casts: types that are claimed instead of inferred.
import { wordsOf } from './source.ts'

/** `as` that renames an import or an export, or the key of a mapped type. */
const renames = [
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\{[^}]*|\*\s*)$/,
  /\[\s*\w+\s+in\s[^\]]*$/,
]

/** The line of each, from 1: `x as T`, `x!`, and Kysely's `$castTo`. `as const` claims nothing. */
export function castsOf(source: string): readonly number[] {
  const words = wordsOf(source)
  const asserted = [...words.matchAll(/(?<![.\w$])as\s+(?!const\b)(?=[\w$({['"`])/g)]
    .map(({ index }) => index)
    .filter((at) => !renames.some((rename) => rename.test(words.slice(0, at))))
  const others = [...words.matchAll(/(?<=[\w$)\]])!(?!=)|\$castTo\b/g)].map(({ index }) => index)
  return [...asserted, ...others].map((at) => words.slice(0, at).split('\n').length).sort((one, other) => one - other)
}

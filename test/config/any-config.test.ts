// Whatever JSON stands anywhere in the file: it is parsed or refused as a configuration, never a crash.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/config/report.ts'
import { loadFile, rightFile } from './workplace.ts'

type Place = readonly (string | number)[]

/** Every place in the value, from the whole of it to its leaves. */
function placesOf(value: unknown, at: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...at, key]))]
}

function replaced(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[key] = replaced(copy[key], rest, by)
  return copy
}

test('any value in any place is parsed, or refused with a place and a sentence', async () => {
  const places = placesOf(rightFile())
  const awkward = fc.constantFrom<unknown>('', ' ', '__proto__', 'constructor', -0, 1e308, 2 ** 53, [[]], [null], {
    type: null,
  })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), fc.oneof(fc.jsonValue(), awkward), async (place, value) => {
      const outcome = await loadFile(replaced(rightFile(), place, value)).catch((error: unknown) => error)
      if (!(outcome instanceof ConfigError)) expect(outcome).toHaveProperty('relayers')
      for (const problem of outcome instanceof ConfigError ? outcome.problems : []) {
        expect(problem.place).not.toBe('')
        expect(problem.message).toMatch(/; .|remove/)
      }
    }),
    { numRuns: 400 },
  )
})

// A mutant breaks a rule, not the language: what it makes of its files compiles.
import { expect, test } from 'vitest'
import { typeErrors } from '../../sim/mutants/check-types.ts'

test('the sources of every mutant compile', { timeout: 600_000 }, async () => {
  expect([...(await typeErrors())]).toEqual([])
})

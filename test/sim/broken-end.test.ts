// Worlds that end with a part still broken: all else reaches a true verdict within the bound.
import { expect, inject, test } from 'vitest'
import type { Feature } from '../../sim/scenario/features.ts'
import type { BrokenPart } from '../../sim/scenario/scenario.ts'
import { failuresOf, simulate } from './simulate.ts'

const first = inject('firstSeed')
const { seeds } = inject('sweep')
const steps = 150

test.each<[string, readonly Feature[], BrokenPart]>([
  ['one of three nodes shows false inclusions', ['falseInclusion'], 'liar'],
  ['one of three nodes calls prices too low', ['underpriced'], 'liar'],
  ['the keys stay out of reach, or a replica is gone', ['remoteSigners'], 'signer'],
])('%s', { timeout: 600_000 }, async (_, features, part) => {
  const outcomes = await simulate(first, seeds, steps, ['brokenEnd', ...features])
  expect(failuresOf(outcomes)).toEqual([])
  expect(outcomes.filter(({ brokenEnd }) => brokenEnd === part).length).toBeGreaterThan(0)
})

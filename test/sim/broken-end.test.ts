// Worlds that end with a part still broken: all else reaches a true verdict within the bound.
import { expect, inject, test } from 'vitest'
import { drawScenario } from '../../sim/scenario/draw-scenario.ts'
import { drawnUsually, type Feature } from '../../sim/scenario/features.ts'
import type { BrokenPart } from '../../sim/scenario/scenario.ts'
import { dice } from '../../tooling/dice.ts'
import { failuresOf, simulate } from './simulate.ts'

const first = inject('firstSeed')
const { seeds } = inject('sweep')
const steps = 150
/** The rarest part is drawn by every twelfth seed or so. */
const drawnMax = 2_000

test.each<[string, BrokenPart, readonly Feature[]]>([
  ['one of three nodes shows false inclusions', 'liar', ['falseInclusion']],
  ['one of three nodes calls prices too low', 'liar', ['underpriced']],
  ['the keys stay out of reach', 'signer', ['remoteSigners']],
  ['a replica is gone', 'replica', ['remoteSigners']],
])('%s', { timeout: 600_000 }, async (_, part, features) => {
  const forced: readonly Feature[] = ['brokenEnd', ...features]
  const outcomes = await simulate(seedsThatBreak(part, forced), 1, steps, forced)
  expect(failuresOf(outcomes)).toEqual([])
  expect(outcomes.map(({ brokenEnd }) => brokenEnd)).toEqual(Array.from({ length: seeds }, () => part))
})

/** The first seeds whose worlds end with this part broken. */
function seedsThatBreak(part: BrokenPart, forced: readonly Feature[]): readonly number[] {
  const drawn = { ...drawnUsually, ...Object.fromEntries(forced.map((name) => [name, 1])) }
  return Array.from({ length: drawnMax }, (_, place) => first + place)
    .filter((seed) => drawScenario((stream) => dice(seed, stream), drawn).brokenEnd === part)
    .slice(0, seeds)
}

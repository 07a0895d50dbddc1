// All kinds of lies. One node of a seed lies, in one way or two, until the faults stop.
import type { Dice } from '../../tooling/dice.ts'
import { countedEarly, minedEarly } from './early-inclusions.ts'
import { drawHighCount, highCount } from './false-counts.ts'
import { falseEstimates } from './false-estimates.ts'
import { tagsAhead } from './false-heads.ts'
import { highPrice } from './false-prices.ts'
import { anothersReceipt, falseCost, falseInclusion } from './false-receipts.ts'
import { invalid, underpriced, unknownWords } from './false-refusals.ts'
import { type DrawnLie, falseEstimateWays, type Lie, type LieKind } from './lie.ts'

export const lies: Readonly<Record<LieKind, Lie>> = {
  tagsAhead,
  underpriced,
  anothersReceipt,
  highCount,
  invalid,
  unknownWords,
  highPrice,
  falseInclusion,
  minedEarly,
  countedEarly,
  falseCost,
  falseEstimates,
}

/** Consistent stories: each answer is false. */
const stories: readonly LieKind[] = ['falseInclusion', 'minedEarly', 'countedEarly']

/** `farDice` is a stream of its own, so that other draws stay as they are. */
export function drawLie(kind: LieKind, dice: Dice, farDice: Dice): DrawnLie {
  const lie = { kind, share: dice.pick([0.05, 0.3, 1]) }
  if (stories.includes(kind)) return { ...lie, share: 1 }
  if (kind === 'falseEstimates')
    return { ...lie, estimates: dice.chance(0.3) ? falseEstimateWays : [dice.pick(falseEstimateWays)] }
  return kind === 'highCount' ? { ...lie, counts: drawHighCount(dice, farDice) } : lie
}

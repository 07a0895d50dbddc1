// All kinds of lies. One node of a seed lies, in one way, until the faults stop.
import type { Dice } from '../../tooling/dice.ts'
import { drawHighCount, highCount } from './false-counts.ts'
import { tagsAhead } from './false-heads.ts'
import { highPrice } from './false-prices.ts'
import { anothersReceipt, falseInclusion } from './false-receipts.ts'
import { invalid, underpriced, unknownWords } from './false-refusals.ts'
import type { Liar, Lie, LieKind } from './lie.ts'

export const lies: Readonly<Record<LieKind, Lie>> = {
  tagsAhead,
  underpriced,
  anothersReceipt,
  highCount,
  invalid,
  unknownWords,
  highPrice,
  falseInclusion,
}

/** `farDice` is a stream of its own, so that other draws stay as they are. */
export function drawLiar(kind: LieKind, dice: Dice, farDice: Dice, nodes: number): Liar {
  const liar = { kind, node: dice.between(0, nodes - 1), share: dice.pick([0.05, 0.3, 1]) }
  // A consistent story: each answer is false.
  if (kind === 'falseInclusion') return { ...liar, share: 1 }
  return kind === 'highCount' ? { ...liar, counts: drawHighCount(dice, farDice) } : liar
}

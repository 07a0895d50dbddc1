// All kinds of lies. One node of a seed lies, in one way, until the faults stop.
import type { Dice } from '../../tooling/dice.ts'
import { anotherChain } from './another-chain.ts'
import { drawHighCount, highCount, lowCount } from './false-counts.ts'
import { farHead, inventedHeads, tagsAhead, wrongTimes } from './false-heads.ts'
import { highPrice, inventedCode, wrongBalance, wrongEstimate } from './false-readings.ts'
import { anothersReceipt, falseInclusion, nullReceipts } from './false-receipts.ts'
import {
  acceptsAndDrops,
  alreadyKnown,
  holds,
  invalid,
  nonceTooLow,
  underpriced,
  unknownWords,
} from './false-refusals.ts'
import type { Liar, Lie, LieKind } from './lie.ts'

export const lies: Readonly<Record<LieKind, Lie>> = {
  wrongBalance,
  inventedCode,
  wrongEstimate,
  wrongTimes,
  tagsAhead,
  anotherChain,
  farHead,
  nonceTooLow,
  alreadyKnown,
  underpriced,
  acceptsAndDrops,
  nullReceipts,
  lowCount,
  anothersReceipt,
  highCount,
  invalid,
  unknownWords,
  highPrice,
  falseInclusion,
  holds,
  inventedHeads,
}

/** Consistent stories, and habits: each answer is false, or none is. */
const whole: readonly LieKind[] = [
  'falseInclusion',
  'holds',
  'inventedHeads',
  'wrongTimes',
  'anotherChain',
  'farHead',
  'nullReceipts',
]

/** `farDice` is a stream of its own, so that other draws stay as they are. */
export function drawLiar(kind: LieKind, dice: Dice, farDice: Dice, nodes: number): Liar {
  const liar = { kind, node: dice.between(0, nodes - 1), share: dice.pick([0.05, 0.3, 1]) }
  if (whole.includes(kind)) return { ...liar, share: 1 }
  return kind === 'highCount' ? { ...liar, counts: drawHighCount(dice, farDice) } : liar
}

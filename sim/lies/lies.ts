// All kinds of lies. One node of a seed lies, in one way, until the faults stop.
import type { Dice } from '../../tooling/dice.ts'
import { acceptsAndDrops } from './accepts-and-drops.ts'
import { anotherChain } from './another-chain.ts'
import { anothersReceipt } from './anothers-receipt.ts'
import { falseInclusion } from './false-inclusion.ts'
import { alreadyKnown, nonceTooLow, underpriced } from './false-refusals.ts'
import { farHead } from './far-head.ts'
import { drawHighCount, highCount } from './high-count.ts'
import { highPrice } from './high-price.ts'
import { holds } from './holds.ts'
import { invalid } from './invalid.ts'
import { inventedCode } from './invented-code.ts'
import { inventedHeads } from './invented-heads.ts'
import type { Liar, Lie, LieKind } from './lie.ts'
import { lowCount } from './low-count.ts'
import { nullReceipts } from './null-receipts.ts'
import { tagsAhead } from './tags-ahead.ts'
import { unknownWords } from './unknown-words.ts'
import { wrongBalance } from './wrong-balance.ts'
import { wrongEstimate } from './wrong-estimate.ts'
import { wrongTimes } from './wrong-times.ts'

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

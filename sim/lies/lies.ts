// The lies that a node tells: one kind a seed, by one node, until the faults stop.
import type { Dice } from '../../tooling/dice.ts'
import type { Member, NodeWorld, SimNode } from '../chain/node.ts'
import { acceptsAndDrops } from './accepts-and-drops.ts'
import { anotherChain } from './another-chain.ts'
import { anothersReceipt } from './anothers-receipt.ts'
import { falseInclusion } from './false-inclusion.ts'
import { alreadyKnown, nonceTooLow, underpriced } from './false-refusals.ts'
import { farHead } from './far-head.ts'
import { drawHighCount, type HighCount, highCount } from './high-count.ts'
import { highPrice } from './high-price.ts'
import { holds } from './holds.ts'
import { invalid } from './invalid.ts'
import { inventedCode } from './invented-code.ts'
import { inventedHeads } from './invented-heads.ts'
import { lowCount } from './low-count.ts'
import { nullReceipts } from './null-receipts.ts'
import { tagsAhead } from './tags-ahead.ts'
import { unknownWords } from './unknown-words.ts'
import { wrongBalance } from './wrong-balance.ts'
import { wrongEstimate } from './wrong-estimate.ts'
import { wrongTimes } from './wrong-times.ts'

export interface LieCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** The false answer in place of `honest`, or `honest` itself where this lie has nothing to say to the call. `gone`: none at all. */
export type Lie = (
  world: NodeWorld,
  node: SimNode,
  call: LieCall,
  honest: Member,
  dice: Dice,
  liar: Liar,
) => Member | 'gone'

// In the order in which a seed that draws several takes the first.
export const lies = {
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
} as const satisfies Readonly<Record<string, Lie>>
export type LieKind = keyof typeof lies

export interface Liar {
  readonly kind: LieKind
  /** Index of the node that lies. */
  readonly node: number
  /** How likely each answer that could be false is false. */
  readonly share: number
  /** Only for the kind `highCount`. */
  readonly counts?: HighCount
}

export const lieKinds = Object.keys(lies) as readonly LieKind[]

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

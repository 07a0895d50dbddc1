// The lies that a node tells: one kind a seed, by one node, until the faults stop.
import type { Dice } from '../../tooling/dice.ts'
import type { Member, NodeWorld, SimNode } from '../chain/node.ts'
import { anothersReceipt } from './anothers-receipt.ts'
import { falseInclusion } from './false-inclusion.ts'
import { drawHighCount, type HighCount, highCount } from './high-count.ts'
import { highPrice } from './high-price.ts'
import { holds } from './holds.ts'
import { invalid } from './invalid.ts'
import { inventedHeads } from './invented-heads.ts'
import { unknownWords } from './unknown-words.ts'

export interface LieCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** The false answer in place of `honest`, or `honest` itself where this lie has nothing to say to the call. */
export type Lie = (world: NodeWorld, node: SimNode, call: LieCall, honest: Member, dice: Dice, liar: Liar) => Member

// In the order in which a seed that draws several takes the first.
export const lies = {
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

/** `farDice` is a stream of its own, so that other draws stay as they are. */
export function drawLiar(kind: LieKind, dice: Dice, farDice: Dice, nodes: number): Liar {
  const liar = { kind, node: dice.between(0, nodes - 1), share: dice.pick([0.05, 0.3, 1]) }
  const isWhole = kind === 'falseInclusion' || kind === 'holds' || kind === 'inventedHeads'
  if (isWhole) return { ...liar, share: 1 }
  return kind === 'highCount' ? { ...liar, counts: drawHighCount(dice, farDice) } : liar
}

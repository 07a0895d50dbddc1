// A lie: the false answers of one node.
import type { Dice } from '../../tooling/dice.ts'
import type { Member, NodeWorld, SimNode } from '../chain/node.ts'

/** In the order in which a seed that draws several takes the first. */
export const lieKinds = [
  'wrongBalance',
  'inventedCode',
  'wrongEstimate',
  'wrongTimes',
  'tagsAhead',
  'anotherChain',
  'farHead',
  'nonceTooLow',
  'alreadyKnown',
  'underpriced',
  'acceptsAndDrops',
  'nullReceipts',
  'lowCount',
  'anothersReceipt',
  'highCount',
  'invalid',
  'unknownWords',
  'highPrice',
  'falseInclusion',
  'holds',
  'inventedHeads',
] as const
export type LieKind = (typeof lieKinds)[number]

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

export interface HighCount {
  readonly about: 'latest' | 'pending' | 'both'
  /** The lie is about both counts, or about the pool's alone. Counts at a block are at most `mostAtBlock` too high. */
  readonly more: readonly number[]
  /** How much too high the counts at a block are instead: the account never gets there, so nothing is bound. Absent in most seeds. */
  readonly farAtBlock?: number
}

export interface Liar {
  readonly kind: LieKind
  /** Index of the node that lies. */
  readonly node: number
  /** How likely each answer that could be false is false. */
  readonly share: number
  /** Only for the kind `highCount`. */
  readonly counts?: HighCount
}

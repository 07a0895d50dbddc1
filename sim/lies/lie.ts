// A lie: the false answers of one node, and what each kind of lie makes the checks expect.
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

/** Returns a false answer in place of `honest`, `honest` itself where the lie is not about the call, or `gone` for no answer. */
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
  /** The count is one of these too high. Counts at a block are at most `mostAtBlock` too high. */
  readonly more: readonly number[]
  /** Counts at a block are this much too high instead. The account never gets there, so no transaction gets a nonce. Absent in most seeds. */
  readonly farAtBlock?: number
}

export interface Liar {
  readonly kind: LieKind
  /** Index of the node that lies. */
  readonly node: number
  /** Probability that an answer which could be false is false. */
  readonly share: number
  /** Only for the kind `highCount`. */
  readonly counts?: HighCount
}

/** The service believes one endpoint about the time of a head, bounded by its own clock. */
export function mayInventTimes(kind: LieKind | undefined): boolean {
  return kind !== undefined && ['wrongTimes', 'inventedHeads', 'farHead', 'anotherChain'].includes(kind)
}

/** Lies that refuse a payload, as invalid or in unknown words. */
export const refusingLies: readonly (LieKind | undefined)[] = ['invalid', 'unknownWords', 'holds', 'anotherChain']

/** Lies that refuse bytes, so that the next bid need not exceed them. */
export const denyingLies: readonly (LieKind | undefined)[] = ['nonceTooLow', 'underpriced']

/** Lies that show blocks which nobody made. */
export const inventingLies: readonly (LieKind | undefined)[] = ['inventedHeads', 'anotherChain', 'farHead']

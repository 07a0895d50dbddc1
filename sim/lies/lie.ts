// A lie: the false answers of one node, and what each kind of lie makes the checks expect.
import type { Dice } from '../../tooling/dice.ts'
import type { Member, NodeWorld, SimNode } from '../chain/node.ts'

/** In the order in which a seed that draws several takes the first. */
export const lieKinds = [
  'tagsAhead',
  'underpriced',
  'anothersReceipt',
  'highCount',
  'invalid',
  'unknownWords',
  'highPrice',
  'falseInclusion',
  'minedEarly',
  'countedEarly',
  'falseCost',
  'falseEstimates',
] as const
export type LieKind = (typeof lieKinds)[number]

export interface LieCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Returns a false answer in place of `honest`, or `honest` itself where the lie is not about the call. */
export type Lie = (world: NodeWorld, node: SimNode, call: LieCall, honest: Member, dice: Dice, lie: DrawnLie) => Member

export interface HighCount {
  readonly about: 'latest' | 'pending' | 'both'
  /** The count is one of these too high. Counts at a block are at most `mostAtBlock` too high. */
  readonly more: readonly number[]
  /** Counts at a block are this much too high instead. The account never gets there, so no transaction gets a nonce. Absent in most seeds. */
  readonly farAtBlock?: number
}

/** What a node that lies about estimates says of one: far less gas, far more, a revert, or a failure in words of no table. */
export const falseEstimateWays = ['low', 'high', 'reverts', 'fails'] as const
export type FalseEstimate = (typeof falseEstimateWays)[number]

/** One node that lies, and its kinds of lies. */
export interface Liar {
  /** Index of the node. */
  readonly node: number
  readonly lies: readonly [DrawnLie, ...DrawnLie[]]
}

export interface DrawnLie {
  readonly kind: LieKind
  /** Probability that an answer which could be false is false. */
  readonly share: number
  /** Only for the kind `highCount`. */
  readonly counts?: HighCount
  /** Only for the kind `falseEstimates`: each is one of these. */
  readonly estimates?: readonly FalseEstimate[]
}

export function hasLie(liar: Liar | undefined, ...kinds: readonly LieKind[]): boolean {
  return liar !== undefined && liar.lies.some(({ kind }) => kinds.includes(kind))
}

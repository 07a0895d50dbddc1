// Witnesses: which endpoints show the spender of a nonce in its block. A statement that nothing takes back needs two of them, run by
// different providers, so that no single endpoint can make a false one.

import type { Condition } from './condition.ts'
import type { Hash } from './ids.ts'
import type { Depth } from './patience.ts'
import type { WitnessRule } from './second-witness.ts'
import { type BlockRef, type Charge, feesPaid, type Inclusion, spenderKind } from './transaction.ts'

/** A claim for witnesses to confirm: the block lists the spender and, for a payload, the result is the same. */
export interface WitnessClaim {
  readonly hash: Hash
  readonly block: BlockRef
  /** Absent where the result does not matter, or no endpoint reported it. */
  readonly succeeded?: boolean
  /** An endpoint reported the cost: the receipt of another one is compared. */
  readonly isPriced?: true
}

/** Whether a list of the block is only a part of the answer. */
export function needsReceipt({ succeeded, isPriced }: WitnessClaim): boolean {
  return succeeded !== undefined || isPriced === true
}

/** Endpoints by their index in the configuration, at most one of each provider. */
export interface Testimony {
  readonly shownBy: readonly number[]
  /** Endpoints that list the spender, without the receipt that the claim needs, or without the result in it. */
  readonly listedBy: readonly number[]
  /** Endpoints that show the block without the spender, or with another result. One of a block's two lists is forged. */
  readonly refutedBy: readonly number[]
  /** Those of them that show the block without the spender. */
  readonly unlistedBy: readonly number[]
  /** Endpoints that show another block at this height: theirs, or the one of the others, may be replaced yet. */
  readonly elsewhereBy: readonly number[]
  /** The charge that two of those that show it have in their receipts. Absent: no two have the same. */
  readonly charge?: Charge
  /** How many providers the network has. */
  readonly providers: number
  /** How long all providers but one have been silent; of one that lists the spender, how long it had no receipt. 0 while two answer. */
  readonly silentMs: number
  /** How many blocks the head is above the block. */
  readonly laterBlocks: number
}

/** How many providers have to show what one alone could make up. */
export const witnessesNeeded = 2

/** The providers that are enough: all of them, where the network has fewer. */
export function enoughOf(providers: number): number {
  return Math.min(witnessesNeeded, providers)
}

/** The blocks that have to confirm the word of one endpoint while the others are silent. */
const confirmingBlocks: Depth = { depth: 3 }

/** Whether a transaction that is mined waits for a witness. */
export function isForWitness(condition: Condition): boolean {
  return condition === 'witnesses_contradict' || condition === 'witness_silent'
}

/** Whether a final statement may rest on it. Absent: no witness was called yet. */
export function isProven(testimony: Testimony | undefined, rule: WitnessRule): boolean {
  if (rule.secondWitness === 'off') return true
  if (!testimony) return false
  const { shownBy, listedBy, refutedBy, elsewhereBy } = testimony
  if (shownBy.length >= 2) return true
  if (refutedBy.length + elsewhereBy.length > 0 || !isAlone(testimony, rule)) return false
  // Some nodes never say a result, or say none any more.
  return shownBy.length + listedBy.length >= (rule.secondWitness === 'prefer' ? 1 : 2)
}

/** Whether one provider shows the block without the spender, and no two show it there. What follows can be taken back. */
export function isContradicted({ shownBy, listedBy, unlistedBy }: Testimony): boolean {
  return unlistedBy.length > 0 && shownBy.length + listedBy.length < witnessesNeeded
}

/** How many endpoints stand for a final statement. Without any call of witnesses it rests on one. */
export function witnessesIn(testimony: Testimony | undefined): number {
  return testimony ? testimony.shownBy.length + testimony.listedBy.length : 1
}

/** Whether the claim is void, so that the spender has to be found anew. One denial suffices only where nobody else answers. */
export function isRefuted(testimony: Testimony, rule: WitnessRule): boolean {
  const { shownBy, refutedBy } = testimony
  if (shownBy.length >= 2) return false
  return refutedBy.length >= 2 || (shownBy.length === 0 && refutedBy.length === 1 && isAlone(testimony, rule))
}

function isAlone({ providers, silentMs, laterBlocks }: Testimony, { witnessSilentMs }: WitnessRule): boolean {
  return providers === 1 || (silentMs >= witnessSilentMs && laterBlocks >= confirmingBlocks.depth)
}

/** The inclusion as it is final: its cost is what two endpoints show equally, or the word of one where that may be final. */
export function withProvenCharge(
  inclusion: Inclusion,
  testimony: Testimony | undefined,
  { secondWitness }: WitnessRule,
): Inclusion {
  if (inclusion.by === 'external' || !testimony || secondWitness === 'off') return inclusion
  if (testimony.shownBy.length < witnessesNeeded && secondWitness === 'prefer') return inclusion
  const { gasUsed: _, effectiveGasPrice: __, l1Fee: ___, ...rest } = inclusion
  return { ...rest, ...testimony.charge }
}

/** The result of a no-op is nobody's concern: its nonce is spent. */
export function claimOf(inclusion: Inclusion): WitnessClaim {
  const { hash, block } = inclusion
  const isResult = inclusion.by !== 'external' && spenderKind(inclusion) === 'payload'
  const isPriced = inclusion.by !== 'external' && feesPaid(inclusion) !== undefined
  return {
    ...{ hash, block, ...(isPriced && { isPriced }) },
    ...(isResult && inclusion.succeeded !== undefined && { succeeded: inclusion.succeeded }),
  }
}

// What each kind of lie makes the checks expect.
import type { LieKind } from './lie.ts'

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

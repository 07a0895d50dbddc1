// The transactions that are confirmed and not final: on a rollup, thousands. A step reads their summary, and their
// rows only when their block is final, was taken back, or is late to be final.
//
// All their blocks lie on one branch: a step confirms a transaction only while the newest of these blocks is canonical.
// So that block stands for all of them. Before a transaction is finalized, its own block is checked again.
import { finalThrough, stalledBy } from '../../finality.ts'
import type { Observation } from '../../observation.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { Transaction } from '../../transaction.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../units.ts'
import type { Decision } from '../plan/decision.ts'
import type { ConfirmedNotFinal, Work } from '../plan/work.ts'

export type ConfirmedRowsDue =
  /** A reorganization took back the newest block. Rows are read newest first. */
  | { readonly kind: 'takenBack' }
  /** Blocks up to `through` are final. Rows are read oldest first. */
  | { readonly kind: 'final'; readonly through: BlockNumber }
  /** Transactions confirmed by `confirmedBy` are not final, and report no stall. */
  | { readonly kind: 'stalled'; readonly confirmedBy: TimestampMs }

/** The rows that this step has to read. */
export function dueOf(
  { confirmedNotFinal }: Work,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): ConfirmedRowsDue | undefined {
  if (!confirmedNotFinal) return undefined
  if (isTakenBack(confirmedNotFinal, observation)) return { kind: 'takenBack' }
  const through = finalThrough(observation, policy)
  if (through !== undefined && confirmedNotFinal.oldestBlock <= through) return { kind: 'final', through }
  const confirmedBy = stalledBy(policy.finality, now, policy.profile.finalityStalledAfterMs)
  if (confirmedBy === undefined || confirmedNotFinal.unreportedSince === undefined) return undefined
  return confirmedNotFinal.unreportedSince <= confirmedBy ? { kind: 'stalled', confirmedBy } : undefined
}

export function isTakenBack({ newest }: ConfirmedNotFinal, { canonical }: Observation): boolean {
  const hash = canonical.get(newest.number)
  return hash !== undefined && hash !== newest.hash
}

/** Whether a transaction may be confirmed: its block and those of the others lie on the branch of this observation. */
export function mayConfirm({ confirmedNotFinal }: Work, { canonical }: Observation): boolean {
  return (
    confirmedNotFinal === undefined || canonical.get(confirmedNotFinal.newest.number) === confirmedNotFinal.newest.hash
  )
}

/** Adds the rows that were due to the open work. `rows` are by nonce; `isWhole`: they are all that was due. */
export function withConfirmedRows(work: Work, rows: readonly Transaction[], isWhole: boolean): Work {
  const open = [...work.open, ...rows].sort((one, other) => nonceOf(one) - nonceOf(other))
  return {
    ...work,
    open,
    ...(work.confirmedNotFinal && !isWhole && { confirmedNotFinal: { ...work.confirmedNotFinal, hasMore: true } }),
  }
}

function nonceOf({ lifecycle }: Transaction): Nonce {
  return 'nonce' in lifecycle ? lifecycle.nonce : -1
}

/** Whether the next step can go on with the rest at once. If it could decide nothing, it waits for a block. */
export function hasMoreToFinalize({ confirmedNotFinal }: Work, decisions: readonly Decision[]): boolean {
  const ending: readonly Decision['do'][] = ['finalize', 'requeue', 'reopen']
  const isStep = (each: Decision) =>
    ending.includes(each.do) || (each.do === 'explain' && each.condition === 'finality_stalled')
  return confirmedNotFinal?.hasMore === true && decisions.some(isStep)
}

// The transactions that are confirmed and not final: on a rollup, thousands. A step reads their summary, and their
// rows only when their block is final, was taken back, or is late to be final.
//
// All their blocks lie on one branch: a step confirms a transaction only while the newest of these blocks is canonical.
// So that block stands for all of them. Before a transaction is settled, its own block is checked again.
import { finalThrough, stalledBy } from '../../finality.ts'
import type { Observation } from '../../observation.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { Transaction } from '../../transaction.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../units.ts'
import type { Decision } from '../plan/decision.ts'
import type { Unsettled, Work } from '../plan/work.ts'

export type UnsettledDue =
  /** The newest first: a reorganization took back the newest block. */
  | { readonly kind: 'takenBack' }
  /** The oldest first: blocks up to `through` are final. */
  | { readonly kind: 'final'; readonly through: BlockNumber }
  /** Confirmed by then, not final, and not reported. */
  | { readonly kind: 'stalled'; readonly confirmedBy: TimestampMs }

/** The rows that this step has to read. */
export function dueOf(
  { unsettled }: Work,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): UnsettledDue | undefined {
  if (!unsettled) return undefined
  if (isTakenBack(unsettled, observation)) return { kind: 'takenBack' }
  const through = finalThrough(observation, policy)
  if (through !== undefined && unsettled.oldestBlock <= through) return { kind: 'final', through }
  const confirmedBy = stalledBy(policy.finality, now, policy.profile.finalityStalledAfterMs)
  if (confirmedBy === undefined || unsettled.unreportedSince === undefined) return undefined
  return unsettled.unreportedSince <= confirmedBy ? { kind: 'stalled', confirmedBy } : undefined
}

export function isTakenBack({ newest }: Unsettled, { canonical }: Observation): boolean {
  const hash = canonical.get(newest.number)
  return hash !== undefined && hash !== newest.hash
}

/** Whether a transaction may join them: their blocks and its own lie on the branch of this observation. */
export function mayConfirm({ unsettled }: Work, { canonical }: Observation): boolean {
  return unsettled === undefined || canonical.get(unsettled.newest.number) === unsettled.newest.hash
}

/** `rows` are by nonce; `isWhole`: they are all that was due. */
export function withUnsettled(work: Work, rows: readonly Transaction[], isWhole: boolean): Work {
  const open = [...work.open, ...rows].sort((one, other) => nonceOf(one) - nonceOf(other))
  return { ...work, open, ...(work.unsettled && !isWhole && { unsettled: { ...work.unsettled, hasMore: true } }) }
}

function nonceOf({ lifecycle }: Transaction): Nonce {
  return 'nonce' in lifecycle ? lifecycle.nonce : -1
}

/** Whether the next step can go on with the rest at once. If it could decide nothing, it waits for a block. */
export function hasMoreUnsettled({ unsettled }: Work, decisions: readonly Decision[]): boolean {
  const settled: readonly Decision['do'][] = ['settle', 'requeue', 'reopen']
  const isStep = (each: Decision) =>
    settled.includes(each.do) || (each.do === 'explain' && each.condition === 'finality_stalled')
  return unsettled?.hasMore === true && decisions.some(isStep)
}

/** The nonces whose spenders the unread rows are, up to a sequence. */
export function unsettledNonces({ unsettled, open }: Work, through: number): readonly Nonce[] {
  if (!unsettled?.explained) return []
  const read = new Set(open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const nonces: Nonce[] = []
  for (const { first, last, ahead } of unsettled.explained) {
    for (let nonce = first; nonce <= Math.min(last, through - ahead); nonce += 1) {
      if (!read.has(nonce)) nonces.push(nonce)
    }
  }
  return nonces
}

// The next right things to do for a relayer, as data. What each one means for the rows stands in apply.ts.
import type { Attempt } from '../attempt.ts'
import type { Condition } from '../condition.ts'
import type { Fees } from '../fees.ts'
import type { NoOpMatch } from '../lost-history/lost-cancellation.ts'
import type { Found } from '../lost-history/recover.ts'
import type { LostHistory } from '../observation.ts'
import type { NonceFloor } from '../relayer.ts'
import type { Inclusion, InPhase, Transaction } from '../transaction.ts'
import type { Gas, Nonce } from '../units.ts'

export type Decision =
  /** Binds the next free nonce to the payload, signs, sends. */
  | { do: 'assignNonce'; transaction: InPhase<'queued'>; nonce: Nonce; fees: Fees; gasLimit: Gas }
  /** Signs the payload anew for the same nonce at higher fees, sends. */
  | { do: 'bump'; transaction: InPhase<'inFlight'>; fees: Fees }
  /** Signs the payload that replaced an older one, for the same nonce, at fees that take it from every rival. */
  | { do: 'replace'; transaction: InPhase<'inFlight'>; fees: Fees; gasLimit: Gas }
  /** Signs a no-op for the nonce, at fees that take it from every rival, sends to every endpoint. */
  | { do: 'takeOver'; transaction: InPhase<'inFlight'>; fees: Fees }
  /** Broadcasts an attempt's bytes once more. */
  | { do: 'rebroadcast'; transaction: InPhase<'inFlight'>; attempt: Attempt }
  /** Sends a no-op of the relayer's own for a nonce that nothing else will take. */
  | { do: 'fillGap'; nonce: Nonce; fees: Fees }
  /** The chain took the nonce. */
  | { do: 'include'; transaction: InPhase<'inFlight'>; inclusion: Inclusion }
  /** The chain executed it, and the attempt that did is not on record: the database lost it. */
  | ({ do: 'recover' } & Found)
  /** A no-op of ours took its nonce, and is not on record: the database lost the cancellation. */
  | ({ do: 'restoreCancellation' } & NoOpMatch)
  /** Such a no-op was of this one or of another: it is not sent until its client decides. */
  | ({ do: 'suspect' } & NoOpMatch)
  /** The inclusion is final. */
  | { do: 'settle'; transaction: InPhase<'mined'> }
  /** The inclusion's block is no longer canonical. */
  | { do: 'reopen'; transaction: InPhase<'mined'> }
  /** The nonce is finally a foreign transaction's; the payload waits for another. */
  | { do: 'requeue'; transaction: InPhase<'mined'> }
  /** Its payload was replaced, and it is certain that no node ever had the old one: the nonce goes back. */
  | { do: 'unbind'; transaction: InPhase<'inFlight'> }
  /** Canceled, and certain that no node ever had it. */
  | { do: 'drop'; transaction: InPhase<'inFlight'> }
  /** Its valid_until has passed: a cancellation that nobody asked for. */
  | { do: 'expire'; transaction: InPhase<'queued' | 'inFlight'> }
  /** A node calls its payload invalid, and yet one may have it: a cancellation that nobody asked for. */
  | { do: 'giveUp'; transaction: InPhase<'inFlight'>; reason: string }
  /** Can never be mined as it is. */
  | { do: 'refuse'; transaction: Transaction; reason: string }
  /** Why nothing moves. */
  | { do: 'explain'; transaction: Transaction; condition: Condition; reason: string }
  /** Nothing holds it up any more. */
  | { do: 'clearWait'; transaction: Transaction }

/** Nothing can be decided of one until the balance is known. */
export interface NeedsBalance {
  readonly do: 'readBalance'
}

export interface Assignments {
  readonly decisions: readonly Decision[]
  /** A free nonce lies below one in flight: whether a foreign transaction waits there must be asked first. */
  readonly needsPendingNonce: boolean
  /** The balance that is remembered does not suffice: it must be read anew. */
  readonly needsBalance: boolean
  /** These decisions made room, or work, that this observation knows too little to go on with: look again at once. */
  readonly again: boolean
}

export interface Plan extends Assignments {
  /** What holds the relayer up as of this observation, whether it is news or not. */
  readonly conditions: readonly Condition[]
  /** What the owner still does not know of what was before it; absent once it does. */
  readonly lostHistory?: LostHistory
  /** How far the relayer's may rise, with what is decided here. */
  readonly floor: NonceFloor
}

/** A decision about a transaction that stands already. */
export type Change = Exclude<Decision, { do: 'fillGap' }>

export function isChange(decision: Decision): decision is Change {
  return decision.do !== 'fillGap'
}

export type SigningChange = Extract<Change, { do: 'assignNonce' | 'bump' | 'replace' | 'takeOver' }>

export function needsSignature(change: Change): change is SigningChange {
  return ['assignNonce', 'bump', 'replace', 'takeOver'].includes(change.do)
}

/** Why nothing moves; tell.ts keeps of it what is news. */
export function explain(transaction: Transaction, condition: Condition, reason: string): Decision[] {
  return [{ do: 'explain', transaction, condition, reason }]
}

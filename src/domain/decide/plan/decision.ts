// The next actions for a relayer, as data. apply.ts says what each one means for the rows.
import type { Attempt } from '../../attempt.ts'
import type { Condition } from '../../condition.ts'
import type { Fees } from '../../fees.ts'
import type { Refused } from '../../give-up.ts'
import type { Hash } from '../../ids.ts'
import type { PresignedNoOp } from '../../no-op.ts'
import type { LostHistory } from '../../observation.ts'
import type { NonceFloor } from '../../relayer.ts'
import type { Inclusion, InPhase, Transaction } from '../../transaction.ts'
import type { Gas, Nonce, Wei } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import type { Found, NoOpMatch } from './found.ts'
import { type Lack, type Lacks, lacksNothing } from './lacks.ts'

export type Decision =
  /** Binds the next free nonce to the payload, signs, broadcasts. */
  | {
      do: 'assignNonce'
      transaction: InPhase<'queued'>
      nonce: Nonce
      fees: Fees
      gasLimit: Gas
      /** The value of a sweep, whose payload has none until now. */
      value?: Wei
    }
  /** Signs the payload anew for the same nonce at higher fees, broadcasts. */
  | { do: 'bump'; transaction: InPhase<'inFlight'>; fees: Fees; gasLimit: Gas }
  /** Signs the payload that replaced an older one, for the same nonce, at fees that replace every rival. */
  | { do: 'replace'; transaction: InPhase<'inFlight'>; fees: Fees; gasLimit: Gas }
  /** Signs a no-op for the nonce, at fees that replace every rival, and broadcasts it to every endpoint. */
  | { do: 'signNoOp'; transaction: InPhase<'inFlight'>; fees: Fees; gasLimit: Gas }
  /** Broadcasts a pre-signed no-op to every endpoint, as the signer does not sign now. */
  | { do: 'usePresigned'; transaction: InPhase<'inFlight'>; noOp: PresignedNoOp }
  /** Broadcasts an attempt's bytes once more. */
  | { do: 'rebroadcast'; transaction: InPhase<'inFlight'>; attempt: Attempt }
  /**
   * Broadcasts a no-op of the relayer's own for a nonce that no transaction will use. `unassigned`: none of ours ever
   * held it.
   */
  | { do: 'fillGap'; nonce: Nonce; fees: Fees; gasLimit: Gas; unassigned?: true }
  /** The chain took the nonce. */
  | { do: 'include'; transaction: InPhase<'inFlight'>; inclusion: Inclusion }
  /** The chain executed it by an attempt that the database lost. */
  | ({ do: 'recover' } & Found)
  /** A no-op of ours took its nonce: the database lost the cancellation. */
  | ({ do: 'restoreCancellation' } & NoOpMatch)
  /** A no-op of a lost history canceled this transaction or another: it is not sent until its client decides. */
  | ({ do: 'suspect' } & NoOpMatch)
  /** The inclusion has the required confirmations, and is not final yet. */
  | { do: 'confirm'; transaction: InPhase<'mined'> }
  /** The inclusion is final, by so many witnesses, and with the cost that they prove. */
  | { do: 'finalize'; transaction: InPhase<'mined'>; inclusion: Inclusion; witnesses: number }
  /** The inclusion's block is no longer canonical, or endpoints show it without the transaction: of a canceled one, one endpoint. */
  | { do: 'reopen'; transaction: InPhase<'mined'>; why: WhyReopened }
  /** Endpoints begin or cease to contradict each other about the inclusion of a payload. */
  | { do: 'contradict'; transaction: InPhase<'mined'>; isContradicted: boolean }
  /**
   * The transaction waits for another nonce: at finality its nonce belongs to a foreign transaction, or to the no-op of a payload
   * that was given up for now.
   */
  | { do: 'requeue'; transaction: InPhase<'mined'> }
  /** The payload was replaced, and certainly no node ever had the old one: the nonce returns. */
  | { do: 'unbind'; transaction: InPhase<'inFlight'> }
  /** A sweep that its account can't pay for sends less, by the same nonce. */
  | { do: 'lowerValue'; transaction: InPhase<'inFlight'>; value: Wei }
  /** The transaction is canceled, and certainly no node has it: none ever had it, or on arrival all rejected it. */
  | { do: 'drop'; transaction: InPhase<'inFlight'> }
  /** The transaction's valid_until has passed: a cancellation that no client requested. */
  | { do: 'expire'; transaction: InPhase<'held' | 'queued' | 'inFlight' | 'mined'> }
  /** Its estimated gas needs a second key. */
  | { do: 'hold'; transaction: InPhase<'queued'> }
  /** The transaction's hold has ended by time. */
  | { do: 'release'; transaction: InPhase<'held'> }
  /** Every node that answers refuses the payload: a cancellation that no client requested. */
  | { do: 'giveUp'; transaction: InPhase<'inFlight'>; refused: Refused }
  /** The transaction can never be mined as it is. */
  | { do: 'refuse'; transaction: Transaction; reason: string }
  /** Why the transaction waits. */
  | Explanation
  /** The wait is over. */
  | { do: 'clearWait'; transaction: Transaction }

export type WhyReopened = 'reorganized' | 'refuted' | 'contradicted'

/** `isPassed`: later transactions may go before it. */
export type Explanation = { do: 'explain'; transaction: Transaction; isPassed?: true } & Reason

/** The next steps of a transaction: decisions, and facts that it needs first. */
export type Steps = readonly (Decision | Lack)[]

export interface Assignments {
  readonly decisions: readonly Decision[]
  /** Facts that have to be read first. */
  readonly lacks: Lacks
  /** The decisions made room, or work, that this observation does not cover. */
  readonly observeAgainAtOnce: boolean
}

/** No nonce is bound. */
export const nothing: Assignments = { decisions: [], lacks: lacksNothing, observeAgainAtOnce: false }

export interface Plan extends Assignments {
  /** The conditions that hold the relayer up as of this observation, recorded before or not. */
  readonly conditions: readonly Condition[]
  /** The open part of the history check; absent once it is complete. */
  readonly lostHistory?: LostHistory
  /** The record explains every nonce that the chain and the pools show. Absent: not so, or recorded before. */
  readonly completesHistoryCheck?: true
  /** No-ops that are signed and stored first, while the attempts that they are for wait. */
  readonly presignFirst?: readonly PresignOrder[]
  /** How far the relayer's floor may rise, with these decisions. */
  readonly floor: NonceFloor
}

/** A decision about a stored transaction. */
export type Change = Exclude<Decision, { do: 'fillGap' }>

export function isChange(decision: Decision): decision is Change {
  return decision.do !== 'fillGap'
}

/** Why the transaction waits; explain-waits.ts removes repeats. */
export function explain(transaction: Transaction, reason: Reason): Explanation[] {
  return [{ do: 'explain', transaction, ...reason }]
}

/** A no-op to be signed before anybody cancels its transaction. */
export interface PresignOrder {
  readonly transaction: InPhase<'inFlight'>
  readonly fees: Fees
  readonly gasLimit: Gas
  /** Stored no-ops of this nonce that no pool would take any more. */
  readonly outdated: readonly Hash[]
  /** A higher price of the payload, or the payload of a PUT, waits for it. */
  readonly isUrgent?: true
}

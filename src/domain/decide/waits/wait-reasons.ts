// Explains waits for the chain, for nodes and for foreign transactions, with the figures and a remedy. What a contender waits for is
// explained in race/explain-contender.ts, and what the queue waits for where it gets its nonces (queue/).
import {
  type Attempt,
  invalidReasonOf,
  newest,
  type RejectionCode,
  recordedAtBlockOf,
  rejectionOf,
  unrecognizedErrorOf,
} from '../../attempt.ts'
import { stalledAfterMinutes } from '../../finality.ts'
import type { Observation } from '../../observation.ts'
import { isPaused } from '../../pause.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { WitnessRule } from '../../second-witness.ts'
import { type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../units.ts'
import type { Reason, Refusal } from '../../wait-facts.ts'
import type { Testimony } from '../../witness.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Situation } from '../plan/situation.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

type InFlight = InPhase<'inFlight'>

/** The node's refusal of the last broadcast. Undefined if it is about the price, the balance or the nonce. */
export function refusalOf(attempt: Attempt): Refusal | undefined {
  const error = unrecognizedErrorOf(attempt)
  if (error !== undefined) return { kind: 'error', words: error }
  const invalid = invalidReasonOf(attempt)
  if (invalid !== undefined) return { kind: 'invalid', words: invalid }
  const rejection = rejectionOf(attempt)
  return rejection && lasting.includes(rejection.code) ? { kind: 'forNow', words: rejection.message } : undefined
}

/** Refusals that are not about the price, and may be over the next time. */
const lasting: readonly RejectionCode[] = ['poolFull', 'typeConflict', 'nodeLimit', 'nonceGap']

/** A foreign transaction waits in the pool for the nonce before ours. After its time the nonce is used. */
export function explainBlocked(transaction: InFlight, { work, observation, policy }: Situation): Decision[] {
  const [first] = inFlightOf(work)
  const { head, nonce, pendingNonce = 0 } = observation
  if (first?.id !== transaction.id || transaction.lifecycle.nonce <= nonce || pendingNonce <= nonce) return []
  const until = recordedAtBlockOf(transaction.lifecycle.attempts[0], head.number) + foreignPatience(policy)
  return explain(transaction, { condition: 'nonce_blocked', facts: { by: 'transaction', nonce, until } })
}

/** A gap lies before it, and no node shows whether a foreign transaction waits for that nonce. */
export function explainPoolUnseen(transaction: Transaction, gap: Nonce, from: BlockNumber): Decision[] {
  return explain(transaction, { condition: 'pool_unseen', facts: { nonce: gap, from } })
}

/** More foreign transactions wait in the pool than nodes keep of one sender, or the count is false. */
export function explainPoolBeyond(transaction: Transaction, { nonce, pendingNonce = nonce }: Observation): Decision[] {
  return explain(transaction, { condition: 'nonce_blocked', facts: { by: 'count', nonce, pendingNonce } })
}

/** A gap lies before it, and no node estimates the gas of the no-op that would fill it. */
export function explainUnestimatedGapFiller(work: Work, gap: Nonce): Decision[] {
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  if (!behind) return []
  return explain(behind, { condition: 'gas_unknown', facts: { of: 'gapFiller', nonce: gap } })
}

/** In blocks, since our transaction behind it was signed. */
export function foreignPatience(policy: NetworkPolicy): number {
  return 4 * policy.bumpAfterBlocks
}

/** The nonce was spent long ago, but no node returns a receipt of ours or a block with a foreign transaction. */
export function explainUnproven(transaction: InFlight, { observation, policy }: Situation): Decision[] {
  const { head, nonce } = observation
  const { nonce: spent, attempts } = transaction.lifecycle
  if (spent >= nonce || head.number - recordedAtBlockOf(newest(attempts), head.number) < foreignPatience(policy))
    return []
  return explain(transaction, { condition: 'nonce_unproven', facts: { nonce: spent } })
}

/** The nodes' tag has not passed its block for long. It ends with the inclusion: at finality, or by a reorganization. */
export function explainStalled(
  transaction: InPhase<'mined'>,
  { finality, profile }: NetworkPolicy,
  now: TimestampMs,
): Decision[] {
  const { confirmedAt, inclusion } = transaction.lifecycle
  const limitMs = profile.finalityStalledAfterMs
  const minutes = confirmedAt === undefined ? undefined : stalledAfterMinutes(finality, confirmedAt, now, limitMs)
  if (minutes === undefined) return []
  return explain(transaction, {
    condition: 'finality_stalled',
    facts: { block: inclusion.block.number, minutes, tag: finality },
  })
}

/** Silence shorter than that is an endpoint that rests, or lags. */
const silentShownMs = 60_000

/** It is final by one endpoint. It ends with a second that shows the same. */
export function explainUnwitnessed(
  transaction: InPhase<'mined'>,
  testimony: Testimony | undefined,
  { secondWitness }: WitnessRule,
): Decision[] {
  const { hash: spender, block } = transaction.lifecycle.inclusion
  if (!testimony) return []
  const { shownBy, refutedBy, elsewhereBy, silentMs } = testimony
  const deniedBy = [...refutedBy, ...elsewhereBy]
  if (deniedBy.length > 0) {
    const facts = { spender, block: block.number, shownBy, deniedBy }
    return explain(transaction, { condition: 'witnesses_contradict', facts })
  }
  if (silentMs < silentShownMs) return []
  return explain(transaction, {
    condition: 'witness_silent',
    facts: { spender, block: block.number, mode: secondWitness },
  })
}

/** No node answers at all. */
export function explainUnreachable(work: Work, why: string): Decision[] {
  return explainStandstill(work, { condition: 'node_unreachable', facts: { of: 'network', words: why } })
}

/** Another service of the database has the account. */
export function explainAccountInUse(work: Work): Decision[] {
  return explainStandstill(work, { condition: 'account_in_use', facts: {} })
}

/** Nothing goes on. The first transaction in flight and the first in the queue show it. */
function explainStandstill({ open, queued, relayer }: Work, reason: Reason): Decision[] {
  const [inFlight] = open.filter((each) => isInPhase(each, 'inFlight'))
  const [next] = isPaused(relayer) ? [] : queued
  return [inFlight, next].flatMap((transaction) => (transaction ? explain(transaction, reason) : []))
}

// Explains why a transaction in flight waits, with the figures and a remedy.
import { newest, type RejectionCode, rejectionOf, unrecognizedErrorOf } from '../attempt.ts'
import { roughly } from '../condition.ts'
import { escalationMultiple, type Fees, feeCap, type Market, tipOf } from '../fees.ts'
import { stalledAfterMinutes } from '../finality.ts'
import { l1FeeOf } from '../l1-fee.ts'
import type { NetworkPolicy } from '../relayer.ts'
import { type InPhase, isInPhase, type Transaction } from '../transaction.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs, Wei } from '../units.ts'
import { type Decision, explain } from './decision.ts'
import type { Situation } from './situation.ts'
import { inFlightOf, type Work } from './work.ts'

type InFlight = InPhase<'inFlight'>

/** `wanted`: the lowest fees that another attempt would need now, and its gas. Default: those of the newest attempt. */
export function explainUnfunded(
  transaction: InFlight,
  market: Market | undefined,
  wanted?: Fees,
  gas?: Gas,
): Decision[] {
  const { gasLimit, fees } = newest(transaction.lifecycle.attempts)
  const { payload } = transaction
  const onL1 = market ? l1FeeOf(payload, market) : 0n
  const cost = payload.value + onL1 + BigInt(gas ?? gasLimit) * feeCap(wanted ?? fees)
  const reason = wanted
    ? `waits: a higher price is needed, and the balance does not cover it beside the transactions in flight and cancel_reserve; it may cost ${roughly(cost)} wei: top it up, wait, or cancel it`
    : `waits: a node says that the balance does not cover it, which may cost ${cost} wei: top it up`
  return explain(transaction, 'balance_short', reason)
}

/** A node answered with an error that is in no table. It may have the bytes or not, and no price is sure to help. */
export function explainUnrecognized(transaction: InFlight): Decision[] {
  const message = unrecognizedErrorOf(newest(transaction.lifecycle.attempts))
  const reason = `waits: a node answers with an unknown error, so it is broadcast again: ${message}`
  return explain(transaction, 'node_refuses', reason)
}

/** Fees that the client named are its limit: the service never raises them. */
export function explainOwnPrice(transaction: InFlight, fees: Fees): Decision[] {
  const price = `${feeCap(fees)} wei per gas${fees.kind === 'eip1559' ? `, ${tipOf(fees)} of it as tip` : ''}`
  const reason = `waits at its own price (${price}), which is too low to be mined now: wait, replace it at a higher one, or cancel it`
  return explain(transaction, 'own_price', reason)
}

/** `until`: the event that allows another attempt. */
export function explainExhausted(transaction: InFlight, until: 'market' | 'double'): Decision[] {
  const { nonce, attempts } = transaction.lifecycle
  const condition =
    until === 'double'
      ? `none of the ${attempts.length} attempts for nonce ${nonce} was mined: they are broadcast again, and another is signed once the price doubles`
      : `no attempt for nonce ${nonce} was mined, and a higher price would be beyond ${escalationMultiple} times the market's price: the last is broadcast again, and a higher price follows once the market's rises`
  return explain(transaction, 'attempts_exhausted', `waits: ${condition}: wait, or cancel it`)
}

/** A policy that limits what may be paid per gas. */
export interface PriceCap {
  readonly name: 'gas_price_cap' | 'cancel_gas_price_cap'
  readonly cap: Wei | undefined
}

/** `wanted`: the fees without the cap. */
export function explainCapped(transaction: InFlight, { name, cap }: PriceCap, wanted: Fees | undefined): Decision[] {
  const { nonce, attempts } = transaction.lifecycle
  // The offer is no price: of an offer by EIP-1559, the block takes its base fee and the tip.
  const room = wanted?.kind === 'eip1559' ? ', with room for a rising base fee' : ''
  const offer = wanted
    ? `without the cap the next attempt would offer up to ${roughly(feeCap(wanted))} wei${room}; `
    : ''
  const reason = `waits at ${name} (${cap} wei): it needs a higher price to be mined sooner; ${offer}it holds nonce ${nonce} since block ${attempts[0].recordedAtBlock}: raise the cap, wait, or cancel it`
  return explain(transaction, name, reason)
}

/** Hindrances that no price would remove. Empty if the transaction simply waits for its block. */
export function explainHindrance(transaction: InFlight, situation: Situation): Decision[] {
  const latest = newest(transaction.lifecycle.attempts)
  if (latest.broadcast.state === 'held') {
    return explain(transaction, 'node_unreachable', `waits: no node could be reached: ${latest.broadcast.reason}`)
  }
  const rejection = rejectionOf(latest)
  if (rejection && lasting.includes(rejection.code)) {
    const reason = `waits: the node refuses it for now, and it is broadcast again: ${rejection.message}`
    return explain(transaction, 'node_refuses', reason)
  }
  return explainBlocked(transaction, situation)
}

/** Refusals that are not about the price, and may be over the next time. */
export const lasting: readonly RejectionCode[] = ['poolFull', 'typeConflict', 'nodeLimit', 'nonceGap']

/** A foreign transaction waits in the pool for the nonce before ours. After its time the nonce is used. */
function explainBlocked(transaction: InFlight, { work, observation, policy }: Situation): Decision[] {
  const [first] = inFlightOf(work)
  const { nonce, pendingNonce = 0 } = observation
  if (first?.id !== transaction.id || transaction.lifecycle.nonce <= nonce || pendingNonce <= nonce) return []
  const until = transaction.lifecycle.attempts[0].recordedAtBlock + foreignPatience(policy)
  const reason = `waits: nonce ${nonce} comes first, and a transaction that is not ours waits for it in the pool: if it is not mined by block ${until}, the relayer uses the nonce itself; sign for this account nowhere else`
  return explain(transaction, 'nonce_blocked', reason)
}

/** A gap lies before it, and no node shows whether a foreign transaction waits for that nonce. */
export function explainPoolUnseen(transaction: Transaction, gap: Nonce, from: BlockNumber): Decision[] {
  const prefix = transaction.cancellation ? 'canceled; ' : 'waits: '
  const reason = `${prefix}nonce ${gap} comes first and is unused, and no node shows its pool, where a foreign transaction may wait for it: from block ${from} on the relayer uses it; an endpoint that counts its pool (eth_getTransactionCount of "pending") would show it sooner`
  return explain(transaction, 'pool_unseen', reason)
}

/** A gap lies before it, and no node estimates the gas of the no-op that would fill it. */
export function explainUnestimatedGapFiller(work: Work, gap: Nonce): Decision[] {
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  if (!behind) return []
  const prefix = behind.cancellation ? 'canceled; ' : 'waits: '
  const reason = `${prefix}nonce ${gap} comes first and is unused, and no node estimates the gas of the no-op that would fill it: the service tries again with each block`
  return explain(behind, 'gas_unknown', reason)
}

/** In blocks, since our transaction behind it was signed. */
export function foreignPatience(policy: NetworkPolicy): number {
  return 4 * policy.bumpAfterBlocks
}

/** The nonce was spent long ago, but no node returns a receipt of ours or a block with a foreign transaction. */
export function explainUnproven(transaction: InFlight, { observation, policy }: Situation): Decision[] {
  const { head, nonce } = observation
  const { nonce: spent, attempts } = transaction.lifecycle
  if (spent >= nonce || head.number - newest(attempts).recordedAtBlock < foreignPatience(policy)) return []
  const prefix = transaction.cancellation ? 'canceled; ' : 'waits: '
  const reason = `${prefix}nonce ${spent} is spent, and no node shows yet by which transaction: if this lasts, add an endpoint that keeps the chain's history`
  return explain(transaction, 'nonce_unproven', reason)
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
  const prefix = transaction.cancellation ? 'canceled; ' : 'waits: '
  const reason = `${prefix}its block ${inclusion.block.number} is confirmed, and for more than ${minutes} minutes no endpoint has shown that it is ${finality}: wait, or add an endpoint that reports the block tag "${finality}"`
  return explain(transaction, 'finality_stalled', reason)
}

/** No node answers at all. The first transaction in flight and the first in the queue show it. */
export function explainUnreachable({ open, queued, relayer }: Work, why: string): Decision[] {
  const [inFlight] = open.filter((each) => isInPhase(each, 'inFlight'))
  const [next] = relayer.paused ? [] : queued
  return [inFlight, next].flatMap((transaction) => {
    if (!transaction) return []
    const prefix = transaction.cancellation ? 'canceled; ' : 'waits: '
    return explain(transaction, 'node_unreachable', `${prefix}no node of the network answers: ${why}`)
  })
}

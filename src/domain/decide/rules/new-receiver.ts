// New receivers: a value to an account that does not exist creates it, and chains with EIP-8037 charge gas of its own for that.
//
// Without this file a transfer whose client named 21,000 gas would be mined in vain there, and all its gas paid: it needs 204,600, of which
// 183,600 are for the account. The promise: it is refused before it gets a nonce, with the gas that it needs, unless the client insists
// (`allow_out_of_gas`) or a payload ahead creates the account.
//
// Where the account costs nothing, or the gas is estimated, it answers undefined.
import { lowerHex } from '../../ids.ts'
import { type GasRules, gasOfNewReceiver, leastGas } from '../../intrinsic-gas.ts'
import type { Observation, ReceiverRequest } from '../../observation.ts'
import type { Payload, Transaction } from '../../transaction.ts'
import type { Decision } from '../plan/decision.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

interface Known {
  readonly observation: Pick<Observation, 'missingReceivers' | 'head'>
  readonly rules: GasRules
  readonly work: Work
  /** The decisions about those before it. */
  readonly decided: readonly Decision[]
}

/** Why a payload with a new receiver is refused. A receiver of a payload ahead counts as existing: that payload creates it. */
export function refusalOfNewReceiver(
  { payload }: Pick<Transaction, 'payload'>,
  { observation: { missingReceivers, head }, rules, work, decided }: Known,
): string | undefined {
  const { to, gasLimit, allowOutOfGas } = payload
  const needed = gasOfNewReceiver(payload, rules)
  if (needed === undefined || to === undefined || gasLimit === undefined || allowOutOfGas) return undefined
  if (gasLimit >= needed || !missingReceivers?.has(lowerHex(to))) return undefined
  const isCreatedAhead = paysAhead(work, decided).some(
    (each) => each.value > 0n && each.to !== undefined && lowerHex(each.to) === lowerHex(to),
  )
  if (isCreatedAhead) return undefined
  const extra = rules.figures?.newAccount ?? 0
  return `its receiver ${to} did not exist at block ${head.number}, and its gas_limit ${gasLimit} does not pay for a new account: about ${needed} is expected, ${extra} of it for the account; send that or more, none to have it estimated, or allow_out_of_gas: true`
}

/** Payloads of the relayer that come before this one. */
function paysAhead(work: Work, decided: readonly Decision[]): readonly Payload[] {
  const bound = decided.flatMap((each) => (each.do === 'assignNonce' ? [each.transaction.payload] : []))
  return [...inFlightOf(work).flatMap((each) => (each.cancellation ? [] : [each.payload])), ...bound]
}

/** The receiver whose existence must be read. None where the payload pays for a new account in any case, or its client insists. */
export function receiverToRead(payload: Payload, rules: GasRules): readonly ReceiverRequest[] {
  const { from, to, value, gasLimit, allowOutOfGas } = payload
  if (gasLimit === undefined || to === undefined || value === 0n || to === from || allowOutOfGas) return []
  return rules.floorGas ? [{ to, gasLimit, least: leastGas(payload, rules) }] : []
}

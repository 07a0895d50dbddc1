// A sweep: the transaction that empties a relayer's account. It goes alone, also while the relayer or its network is paused, and its value is
// settled as it gets its nonce. Until then its value is 0.
import { RescindError } from './errors.ts'
import { type Fees, feeCap } from './fees.ts'
import type { Address } from './ids.ts'
import { withoutPause } from './pause.ts'
import type { Relayer } from './relayer.ts'
import { inEther } from './shown-amount.ts'
import { checkSend, enqueue, type SendRequest, type SendRules, type Submission } from './submit.ts'
import { type InPhase, isTerminal, pendingStatuses, type Status, statusOf, type Transaction } from './transaction.ts'
import type { Gas, TimestampMs, Wei } from './units.ts'
import { withReason } from './wait.ts'

export interface SweepRequest {
  readonly to: Address
  /** Absent: the service estimates it. */
  readonly gasLimit?: Gas
}

/** The value of the estimate. A value costs other gas than none, and the account may hold no more than this. */
export const estimatedValue: Wei = 1n

/**
 * Refuses a sweep that the relayer's policies forbid. Pauses, min_balance and cancel_reserve do not count. Throws
 * INVALID_REQUEST, POLICY_VIOLATION, GAS_LIMIT_TOO_LOW.
 */
export function checkSweep(relayer: Relayer, request: SweepRequest, now: TimestampMs, rules?: SendRules): void {
  const { to } = request
  if (to.toLowerCase() === relayer.address.toLowerCase()) {
    throw new RescindError('INVALID_REQUEST', `to: ${to} is the account of the relayer itself; send another address`)
  }
  if (BigInt(to) === 0n) {
    throw new RescindError(
      'INVALID_REQUEST',
      'to: is the zero address, from which nobody gets anything back; send another',
    )
  }
  checkSend(withoutPause(relayer), { ...sendOf(request), value: estimatedValue }, now, rules)
}

/** A new sweep. No policy holds it: only an administrator sweeps. */
export function startSweep(relayer: Relayer, request: SweepRequest, at: Submission): Transaction {
  return withReason({ ...enqueue(relayer, sendOf(request), at), origin: 'sweep' }, waitsForOthers)
}

const waitsForOthers = 'empties the account once everything before it has ended or is mined'

function sendOf({ to, gasLimit }: SweepRequest): SendRequest {
  return {
    to,
    value: 0n,
    data: '0x',
    pricing: { kind: 'speed', speed: 'fast' },
    ...(gasLimit !== undefined && { gasLimit }),
  }
}

export function isSweep({ origin }: Pick<Transaction, 'origin'>): boolean {
  return origin === 'sweep'
}

/** Whether another request for it gets this one: it has not ended, and nobody has called it off. */
export function isUnderWay(transaction: Transaction): boolean {
  const underWay: readonly Status[] = [...pendingStatuses, 'mined']
  // Where no node says whether it succeeded, it stays `mined` for good.
  return !isTerminal(transaction) && underWay.includes(statusOf(transaction))
}

/** The funds less the fee for data on L1 and the gas, at twice the market's price, so that it can bid again. It may be negative. */
export function sweptValue(funds: Wei, { gas, fees, l1Fee }: { gas: Gas; fees: Fees; l1Fee: Wei }): Wei {
  return funds - 2n * (l1Fee + BigInt(gas) * feeCap(fees))
}

/** The value that its first attempt carries. */
export function withValue<T extends Transaction>(transaction: T, value: Wei): T {
  return { ...transaction, payload: { ...transaction.payload, value } }
}

/** The transaction with the value that a decision settles, if it settles one. */
export function withBoundValue<T extends Transaction>(transaction: T, { value }: { readonly value?: Wei }): T {
  return value === undefined ? transaction : withValue(transaction, value)
}

/** The balance or the market has changed: a lower value takes the place of the one in flight. Both have the same nonce. */
export function lowerValue(transaction: InPhase<'inFlight'>, value: Wei): Transaction {
  const { payload, earlier } = transaction
  const lowered: Transaction = {
    ...withValue(transaction, value),
    earlier: earlier ? [...earlier, payload] : [payload],
  }
  return withReason(
    lowered,
    `the balance does not cover its gas beside ${inEther(payload.value)}, so it sends ${inEther(value)}`,
  )
}

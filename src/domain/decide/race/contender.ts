// The contenders for a nonce: their bytes, their patience and the limits of their price. The rivals of each are all attempts of
// the nonce.
import { type Attempt, isNoOp, newest } from '../../attempt.ts'
import type { Fees, Market, Speed } from '../../fees.ts'
import { gasMaxOf } from '../../four-eyes.ts'
import { gasRulesOf, isBelowLeastGas, leastGasInFlight } from '../../intrinsic-gas.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { noOpGasLimit } from '../../no-op.ts'
import { estimatedGas } from '../../observation.ts'
import type { Purpose } from '../../price-ceiling.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import { type Gas, minWei, type Wei } from '../../units.ts'
import type { Situation, StoredWork } from '../plan/work.ts'
import { maxCostOf, spendable } from '../queue/funds.ts'
import { gasFundsOf, maxGasCostOf } from '../queue/reserve-balance.ts'
import { reserveBeside } from '../queue/sweeping.ts'

export interface Contender {
  readonly transaction: InPhase<'inFlight'>
  /**
   * The bytes that shall be mined. A replacement is the payload of a PUT until it is signed. A gap filler is a no-op of the
   * service's own, in a transaction of its own.
   */
  readonly wants: 'payload' | 'replacement' | 'gapFiller' | 'noOp'
  /** The contender's own attempts, oldest first. */
  readonly own: readonly Attempt[]
  readonly speed: Speed
  readonly patience: Patience
  readonly limit: PriceCap
  /** The most that a no-op may cost, with its L1 fee. Absent: its cancellation has no bound. */
  readonly costMax?: Wei
  /** The fees that the client named. They are its limit: the service never raises them. */
  readonly named?: Fees
}

/** The blocks and the time that the newest attempt gets before another bid. */
export interface Patience {
  readonly blocks: number
  /** The least time: on fast chains, after a few blocks it is too soon to bid against ourselves. */
  readonly ms: number
}

/** A policy that limits what may be paid per gas. */
interface PriceCap {
  readonly name: 'gas_price_cap' | 'cancel_gas_price_cap'
  readonly cap: Wei | undefined
}

/** The contender of a client's payload, or of a gap filler's no-op. */
export function payloadContender(transaction: InPhase<'inFlight'>, { work, policy }: Situation): Contender {
  const { pricing } = transaction.payload
  const { gasPriceCap, cancelGasPriceCap } = work.relayer.policies
  const isGap = transaction.origin === 'gap'
  return {
    transaction,
    wants: isGap ? 'gapFiller' : 'payload',
    own: transaction.lifecycle.attempts,
    speed: pricing.kind === 'speed' ? pricing.speed : 'average',
    patience: { blocks: policy.bumpAfterBlocks, ms: policy.bumpAfterMs },
    // Cancellations may wait behind a gap filler: the sends' cap must not block them.
    limit: isGap
      ? { name: 'cancel_gas_price_cap', cap: cancelGasPriceCap }
      : { name: 'gas_price_cap', cap: gasPriceCap },
    ...(pricing.kind !== 'speed' && { named: pricing }),
  }
}

/** The contender of a PUT's payload. Nothing of it is signed, and the attempts of the older payloads are among its rivals. */
export function replacementContender(transaction: InPhase<'inFlight'>, situation: Situation): Contender {
  return { ...payloadContender(transaction, situation), wants: 'replacement', own: [] }
}

/** The contender of a canceled transaction's no-op. The nonce is urgent, whatever the payload was to pay. */
export function noOpContender(
  transaction: InPhase<'inFlight'>,
  { work, policy }: { readonly work: Pick<StoredWork, 'relayer'>; readonly policy: NetworkPolicy },
): Contender {
  const { costMax } = transaction.cancellation ?? {}
  return {
    transaction,
    wants: 'noOp',
    own: transaction.lifecycle.attempts.filter(isNoOp),
    speed: 'fastest',
    patience: { blocks: policy.cancelBumpAfterBlocks, ms: policy.cancelBumpAfterMs },
    // The no-ops' own cap, not the sends': a blocked nonce that costs more than the sends' cap would be stuck for ever.
    limit: { name: 'cancel_gas_price_cap', cap: work.relayer.policies.cancelGasPriceCap },
    ...(costMax !== undefined && { costMax }),
  }
}

export function purposeOf({ wants }: Contender): Purpose {
  return wants === 'noOp' || wants === 'gapFiller' ? 'noOp' : 'payload'
}

/** The gas limit of the next attempt. Undefined while no node estimates it. */
export function gasOf(
  { wants, transaction }: Contender,
  market: Market,
  { work, observation, policy }: Situation,
): Gas | undefined {
  const { payload, lifecycle } = transaction
  const { gasLimit } = newest(lifecycle.attempts)
  const ofNoOp = noOpGasLimit(market, policy.profile)
  switch (wants) {
    case 'noOp':
      return ofNoOp
    case 'gapFiller':
      // A chain may demand more by now.
      return Math.max(gasLimit, ofNoOp ?? 0)
    case 'payload': {
      const rules = gasRulesOf(policy.profile, observation)
      if (!isBelowLeastGas(transaction, rules)) return payload.gasLimit ?? gasLimit
      const raised = Math.max(
        gasLimit,
        leastGasInFlight(transaction, rules),
        estimatedGas(transaction, observation) ?? 0,
      )
      return Math.min(raised, gasMaxOf(work.relayer, transaction))
    }
    case 'replacement':
      return payload.gasLimit ?? estimatedGas(transaction, observation)
  }
}

/** The funds for gas. A no-op may use the reserve. */
export function fundsOf(contender: Contender, balance: Wei, market: Market, situation: Situation): Wei {
  const { work, observation, policy } = situation
  const { transaction } = contender
  const { payload, lifecycle } = transaction
  if (purposeOf(contender) === 'noOp') {
    // Those of higher nonces are mined later, so they never keep a no-op from its block.
    const gasFunds = gasFundsOf(work, observation, policy, lifecycle.nonce)
    return least(balance - (market.noOpL1Fee ?? 0n), gasFunds)
  }
  // One of its payloads is executed, and not both.
  const own = maxCostOf(transaction, market)
  const reserve = reserveBeside(transaction, work.relayer, market, policy)
  const funds = spendable(work, balance, market, reserve) + own - payload.value - l1FeeOf(payload, market)
  const gasFunds = gasFundsOf(work, observation, policy)
  return least(funds, gasFunds === undefined ? undefined : gasFunds + maxGasCostOf(transaction))
}

function least(funds: Wei, limit: Wei | undefined): Wei {
  return limit === undefined ? funds : minWei(funds, limit)
}

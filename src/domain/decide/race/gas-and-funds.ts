// The gas limit of a contender's next attempt, and the funds that may pay for its gas.
import { newest } from '../../attempt.ts'
import type { Market } from '../../fees.ts'
import { gasMaxOf } from '../../four-eyes.ts'
import { gasRulesOf, isBelowLeastGas, leastGasInFlight } from '../../intrinsic-gas.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { noOpGasLimit } from '../../no-op.ts'
import { estimatedGas } from '../../observation.ts'
import { type Gas, minWei, type Wei } from '../../units.ts'
import { inFlightOf, type Situation } from '../plan/work.ts'
import { gasFundsBeside } from '../rules/gas-reserve.ts'
import { gasOfNextNoOp, lowerGas } from '../rules/refused-gas.ts'
import { reserveBeside } from '../rules/sweeps.ts'
import { type Contender, purposeOf } from '../terms/contender.ts'
import { maxCostOf, paidBelow, spendable } from '../terms/funds.ts'

/** The gas limit of the next attempt. Undefined while no node estimates it. */
export function gasOf(contender: Contender, market: Market, situation: Situation): Gas | undefined {
  const { wants, transaction } = contender
  const { work, observation, policy } = situation
  const { payload, lifecycle } = transaction
  const { gasLimit } = newest(lifecycle.attempts)
  const ofNoOp = noOpGasLimit(market, policy.profile)
  switch (wants) {
    case 'noOp':
      return gasOfNextNoOp(contender, situation, ofNoOp)
    case 'gapFiller':
      // A chain may demand more by now.
      return Math.max(gasLimit, ofNoOp ?? 0)
    case 'payload': {
      const rules = gasRulesOf(policy.profile, observation)
      const lower = lowerGas(contender, situation)
      if (typeof lower === 'number') return lower
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
  const { nonce } = lifecycle
  const inFlight = inFlightOf(work)
  if (purposeOf(contender) === 'noOp') {
    // Those of higher nonces are mined later, so they never keep a no-op from its block.
    const lower = inFlight.filter((each) => each.lifecycle.nonce < nonce)
    const gasFunds = gasFundsBeside(lower, nonce, work, observation, policy)
    return least(balance - (market.noOpL1Fee ?? 0n), gasFunds)
  }
  // One of its payloads is executed, and not both.
  const own = maxCostOf(transaction, market)
  const reserve = reserveBeside(transaction, work.relayer, market, policy)
  const unspent = spendable(work, balance, market, reserve, paidBelow(observation))
  const funds = unspent + own - payload.value - l1FeeOf(payload, market)
  const others = inFlight.filter((each) => each.lifecycle.nonce !== nonce)
  return least(funds, gasFundsBeside(others, nonce, work, observation, policy))
}

function least(funds: Wei, limit: Wei | undefined): Wei {
  return limit === undefined ? funds : minWei(funds, limit)
}

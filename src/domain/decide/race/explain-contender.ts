// Explains why a contender for a nonce waits, with the figures.
import { type Attempt, invalidReasonOf, newest, rejectionOf } from '../../attempt.ts'
import { roughly } from '../../condition.ts'
import { type Fees, feeCap, type Market, tipOf } from '../../fees.ts'
import { forbids } from '../../forbid.ts'
import { noOpCost } from '../../no-op.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas, Wei } from '../../units.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Situation } from '../plan/work.ts'
import { explainOrdered, explainUnordered } from '../rules/arrival-order.ts'
import { explainBound } from '../rules/cost-bound.ts'
import { explainBlocked } from '../rules/foreign-nonces.ts'
import { withinReserve } from '../rules/gas-reserve.ts'
import type { Bid } from '../terms/bidder.ts'
import type { Contender } from '../terms/contender.ts'
import { payloadCost } from '../terms/funds.ts'
import { refusalOf } from '../waits/explain-waits.ts'
import { factsOfUnknownGas } from '../waits/unknown-gas.ts'
import { floorFor } from './bid.ts'

/** Explains why a replacement may not be signed now, at any price. Empty if it may. */
export function explainBarred({ transaction }: Contender, situation: Situation): readonly Decision[] {
  const { work, observation } = situation
  const ordered = explainOrdered(transaction, situation)
  if (ordered.length > 0) return ordered
  const forbidden = forbids(work.relayer, transaction.payload)
  if (forbidden !== undefined) return explain(transaction, { condition: 'policy', facts: { forbidden } })
  const estimate = observation.estimates.get(transaction.id)
  if (estimate?.kind !== 'reverts') return []
  return explain(transaction, { condition: 'would_revert', facts: { of: 'replacement', words: estimate.reason } })
}

/** Explains why the newest attempt waits. Empty if it waits for its block alone. */
export function explainIdle(contender: Contender, situation: Situation): readonly Decision[] {
  const { transaction, wants } = contender
  const latest = latestOf(contender)
  if (rejectionOf(latest)?.code === 'insufficientFunds') return explainShort(contender, situation.observation.market)
  if (latest.broadcast.state === 'held') {
    const facts = { of: wants === 'noOp' ? 'noOp' : 'payload', words: latest.broadcast.reason } as const
    return explain(transaction, { condition: 'node_unreachable', facts })
  }
  const refused = explainRefusal(contender)
  if (refused.length > 0) return refused
  const blocked = explainBlocked(transaction, situation)
  return blocked.length > 0 ? blocked : explainUnordered(contender, situation)
}

function explainRefusal(contender: Contender): readonly Decision[] {
  const { transaction, wants } = contender
  const latest = latestOf(contender)
  const words = invalidReasonOf(latest)
  if (wants === 'gapFiller' && words !== undefined) {
    return explain(transaction, { condition: 'node_refuses', facts: { of: 'gapFiller', nonce: latest.nonce, words } })
  }
  const refusal = refusalOf(latest)
  const of = wants === 'noOp' ? 'noOp' : 'payload'
  return refusal ? explain(transaction, { condition: 'node_refuses', facts: { of, refusal } }) : []
}

/** Explains that the balance does not cover the newest attempt, as a node reports. */
export function explainShort(contender: Contender, market: Market | undefined): readonly Decision[] {
  const { gasLimit, fees } = latestOf(contender)
  return explainUnpaid(contender, 'attempt', { fees, gas: gasLimit, market }, {})
}

/** Explains that the balance does not cover an attempt at these fees. `reserve`: that of the network, where it keeps one. */
function explainUnpaid(
  { transaction, wants }: Contender,
  of: 'attempt' | 'higherPrice',
  { fees, gas, market = {} }: { fees: Fees; gas: Gas; market: Partial<Market> | undefined },
  reserve: { readonly reserve?: Wei },
): readonly Decision[] {
  if (wants === 'noOp') {
    const cost = roughly(noOpCost(gas, fees, market))
    return explain(transaction, { condition: 'cancel_unfunded', facts: { cost, ...reserve } })
  }
  const cost = roughly(payloadCost(transaction.payload, { gasLimit: gas, fees }, market))
  return explain(transaction, { condition: 'balance_short', facts: { of, cost, ...reserve } })
}

/** Explains the limit that keeps a contender from the price that it needs. */
export function explainLimit(
  contender: Contender,
  { until, wanted }: Extract<Bid, { kind: 'wait' }>,
  { gas, market }: { gas: Gas; market: Market },
  situation: Situation,
): readonly Decision[] {
  const { transaction, wants, own } = contender
  const { nonce } = transaction.lifecycle
  switch (until) {
    case 'cap':
      if (wants === 'replacement') return explainOutbid(contender, 'gas_price_cap', market, situation)
      return wants === 'noOp' ? explainCappedNoOp(contender, wanted) : explainCapped(contender, wanted)
    case 'named':
      return explainOutbid(contender, 'own_price', market, situation)
    case 'ceiling':
      return explain(transaction, {
        condition: 'price_ceiling',
        facts: { perGas: roughly(feeCap(wanted)), cap: contender.limit.name },
      })
    case 'funds':
      return explainUnpaid(contender, 'higherPrice', { fees: wanted, gas, market }, withinReserve(situation))
    case 'bound':
      return explainBound(transaction, { wanted, gas, market })
    case 'l1Fee':
      return explain(transaction, { condition: 'facts_missing', facts: { fact: 'l1Fee' } })
    case 'market':
    case 'double': {
      const of = wants === 'noOp' ? 'noOp' : 'attempt'
      const facts = { of, until, nonce, attempts: own.length } as const
      // The node's words say more than the figures.
      return [...explain(transaction, { condition: 'attempts_exhausted', facts }), ...explainRefusal(contender)]
    }
  }
}

/** `wanted`: the fees without the cap. */
function explainCapped({ transaction, limit }: Contender, wanted: Fees): Decision[] {
  const { nonce, attempts } = transaction.lifecycle
  const { name, cap } = limit
  const offer = { perGas: roughly(feeCap(wanted)), hasRoom: wanted.kind === 'eip1559' }
  const facts = { of: 'attempt', cap, offer, nonce, since: attempts[0].recordedAtBlock } as const
  return explain(transaction, { condition: name, facts })
}

/** Explains a replacement whose limit is below the least fees that replace the older payloads. */
function explainOutbid(
  { transaction }: Contender,
  condition: 'gas_price_cap' | 'own_price',
  market: Market,
  { observation, policy }: Situation,
): Decision[] {
  const over = newest(transaction.lifecycle.attempts).hash
  const floor = floorFor(transaction, market, observation, policy)
  const needed = floor && { perGas: feeCap(floor), tip: tipOf(floor) }
  return explain(transaction, { condition, facts: { of: 'replacement', over, ...(needed && { needed }) } })
}

function explainCappedNoOp({ transaction, limit }: Contender, wanted: Fees): Decision[] {
  const facts = { of: 'noOp', cap: limit.cap, perGas: roughly(feeCap(wanted)) } as const
  return explain(transaction, { condition: 'cancel_gas_price_cap', facts })
}

/** Explains that the fees are those that the client named: the service never raises them. */
export function explainOwnPrice(transaction: InPhase<'inFlight'>, fees: Fees): Decision[] {
  const tip = fees.kind === 'eip1559' ? { tip: tipOf(fees) } : {}
  return explain(transaction, { condition: 'own_price', facts: { of: 'attempt', perGas: feeCap(fees), ...tip } })
}

export function explainUnestimated({ transaction, wants }: Contender, { observation }: Situation): Decision[] {
  if (wants !== 'replacement') return explain(transaction, { condition: 'gas_unknown', facts: { of: 'noOp' } })
  // Its estimate comes with the next observation.
  const estimate = observation.estimates.get(transaction.id)
  return estimate
    ? explain(transaction, { condition: 'gas_unknown', facts: factsOfUnknownGas('replacement', estimate) })
    : []
}

function latestOf({ own, transaction }: Contender): Attempt {
  return own.at(-1) ?? newest(transaction.lifecycle.attempts)
}

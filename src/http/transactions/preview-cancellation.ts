// Previews the effect and the cost of a bulk cancellation (GET).
import { Type } from 'typebox'
import {
  isPriced,
  type PreviewContext,
  type Previewed,
  type PricedPreview,
  previewCancellation as previewCommand,
  previewOneCancellation as previewOneCommand,
} from '../../commands/transactions/preview-cancellation.ts'
import type { WindowPreview } from '../../domain/preview/preview-window.ts'
import { inEther } from '../../domain/shown-amount.ts'
import { minWei } from '../../domain/units.ts'
import { costlyReadsPerKeyMax } from '../limits.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters, transactionParameters } from '../request/parameters.ts'
import { type LimitedReads, limitReads } from '../request/places.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, count, optionalInteger, wei } from '../response/forms.ts'

const windowSchema = closed('CancellationWindow', {
  description:
    'How many transactions may be in flight. Absent in the preview of one transaction, and where no node answers',
})({
  present: optionalInteger({
    minimum: 1,
    description: 'How many may be in flight now; absent where another replica advances the relayer',
  }),
  most: Type.Integer({ minimum: 1, description: 'The upper bound: max_in_flight, or that of the window' }),
  cost: Type.Object(
    {
      today: wei("Wei: the most that so many no-ops can cost at today's price"),
      max: Type.Optional(wei('Wei: the same under cancel_gas_price_cap; absent without that policy')),
    },
    { additionalProperties: false, description: 'Of a cancellation that needs a no-op for each of `most`' },
  ),
  balance_covers: Type.Object(
    { today: Type.Boolean(), max: Type.Optional(Type.Boolean()) },
    { additionalProperties: false, description: 'Whether the balance covers these costs' },
  ),
})

/** The description of a member that needs the chain. */
const absent = 'Absent where no node answers'

const previewSchema = closed('CancellationPreview')({
  free: count('That no node ever had: they end at once, at no cost'),
  no_ops: count('That a node may have: each needs a no-op'),
  over_cap: Type.Optional(
    count(`The no-ops that cancel_gas_price_cap forbids at today's price: they wait for a lower one. ${absent}`),
  ),
  gaps: count('Nonces of free ones below one that a node may have: each needs a no-op too'),
  racing: count('That were canceled before and are not decided: they come beside these'),
  too_late: count('That are pending by their status, and whose nonce the chain has spent'),
  cost: Type.Optional(
    closed('CancellationCost', { description: absent })({
      expected: wei('Wei: if all no-ops are mined in the next block'),
      today: wei('Wei: the most that no-ops signed now can cost'),
      max: Type.Optional(
        wei('Wei: the most that they can come to cost under cancel_gas_price_cap; absent without that policy'),
      ),
    }),
  ),
  fee_per_gas: Type.Optional(
    closed('NoOpPrice', { description: `gas_price_cap limits sends, and no no-op. ${absent}` })({
      today: Type.Optional(
        wei('Wei: the most that a no-op signed now offers for a unit of gas; absent without a no-op'),
      ),
      max: Type.Optional(
        wei('Wei: the policy cancel_gas_price_cap, which no later no-op exceeds; absent without that policy'),
      ),
    }),
  ),
  committed: Type.Optional(wei(`Wei: the most that the no-ops of those that race already can cost. ${absent}`)),
  balance: Type.Optional(
    wei(`Wei: of the relayer; where payments count only after some blocks, as it counts now. ${absent}`),
  ),
  gas_budget: Type.Optional(
    wei('Wei: what the gas of all in flight has to fit in, by `reserve_balance` of the network; absent without one'),
  ),
  cancel_reserve: Type.Optional(wei(`Wei: what sends leave untouched, for no-ops. ${absent}`)),
  balance_covers: Type.Optional(
    Type.Object(
      {
        today: Type.Boolean({ description: 'cost.today, on top of committed amounts' }),
        max: Type.Optional(Type.Boolean({ description: 'cost.max, on top of committed amounts' })),
      },
      { additionalProperties: false, description: absent },
    ),
  ),
  window: Type.Optional(windowSchema),
  block_number: optionalInteger({ minimum: 0, description: `The head of this preview. ${absent}` }),
})

export function previewCancellation(context: PreviewContext, limited: LimitedReads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'TOO_MANY_READS'],
    operationId: 'previewPendingCancellation',
    summary: 'Preview the effect and cost of canceling everything pending',
    description:
      'Prices are those of no-ops signed now, each above every attempt that a node may have. Changes nothing; the next block may change the preview. Where no node answers within five seconds, the preview has what the database shows: `free`, `no_ops`, `gaps`, `racing` and `too_late`, and no amount. The cancellation itself needs no node.',
    params: relayerParameters,
    response: answers(previewSchema),
    async answer(request) {
      const { params } = request
      const previewed = await limited(requesterIdOf(request), () => previewCommand(context, params.relayer_id))
      return success(presentPreview(previewed), inWords(previewed))
    },
  })
}

function presentPreview(previewed: Previewed) {
  const counts = {
    free: previewed.free,
    no_ops: previewed.noOps,
    gaps: previewed.gaps,
    racing: previewed.racing,
    too_late: previewed.tooLate,
  }
  return isPriced(previewed) ? { ...counts, ...presentAmounts(previewed) } : counts
}

function presentAmounts({ cost, perGas, balance, gasBudget, ...preview }: PricedPreview) {
  const covers = (wei: bigint) => (gasBudget ?? balance) >= wei + preview.committed
  return {
    over_cap: preview.overCap,
    cost: {
      expected: cost.expected.toString(),
      today: cost.today.toString(),
      ...(cost.max !== undefined && { max: cost.max.toString() }),
    },
    fee_per_gas: {
      ...(perGas.today !== undefined && { today: perGas.today.toString() }),
      ...(perGas.max !== undefined && { max: perGas.max.toString() }),
    },
    committed: preview.committed.toString(),
    balance: balance.toString(),
    ...(gasBudget !== undefined && { gas_budget: gasBudget.toString() }),
    cancel_reserve: preview.reserve.toString(),
    balance_covers: { today: covers(cost.today), ...(cost.max !== undefined && { max: covers(cost.max) }) },
    ...(preview.window && { window: presentWindow(preview.window, gasBudget ?? balance) }),
    block_number: preview.block,
  }
}

function presentWindow({ present, most, cost: { today, max } }: WindowPreview, balance: bigint) {
  return {
    ...(present !== undefined && { present }),
    most,
    cost: { today: today.toString(), ...(max !== undefined && { max: max.toString() }) },
    balance_covers: { today: balance >= today, ...(max !== undefined && { max: balance >= max }) },
  }
}

function inWords(previewed: Previewed): string[] {
  return isPriced(previewed) ? pricedInWords(previewed) : countedInWords(previewed)
}

function countedInWords({ free, noOps, gaps, racing, tooLate }: Previewed): string[] {
  return [
    `No node answers, so neither the cost nor the balance can be shown. ${free} would end at once, at no cost; ${noOps + gaps} need a no-op, which is signed and broadcast as soon as a node answers.`,
    ...gapWords(gaps),
    ...(racing > 0 ? [`${racing} more were canceled before, and are not decided.`] : []),
    ...lateWords(tooLate),
  ]
}

function pricedInWords({
  free,
  noOps,
  overCap,
  gaps,
  racing,
  tooLate,
  cost,
  committed,
  balance,
  gasBudget,
}: PricedPreview): string[] {
  const most = cost.max === undefined ? '' : `, and ${inEther(cost.max)} under cancel_gas_price_cap`
  return [
    `${free} would end at once, at no cost; ${noOps + gaps} need a no-op, for about ${inEther(cost.expected)}, at most ${inEther(cost.today)} at today's price${most}.`,
    ...gapWords(gaps),
    ...(overCap > 0 ? [`${overCap} of the no-ops would wait: today's price is above cancel_gas_price_cap.`] : []),
    ...(racing > 0 ? [`${racing} more were canceled before, and may cost up to ${inEther(committed)}.`] : []),
    ...lateWords(tooLate),
    ...(balance < cost.today + committed ? [`The balance of ${inEther(balance)} does not cover that: top it up.`] : []),
    ...(gasBudget !== undefined && gasBudget < minWei(balance, cost.today + committed)
      ? [
          `Of their gas, ${inEther(gasBudget)} may be in flight at once (reserve_balance), so some would wait for the others.`,
        ]
      : []),
  ]
}

function gapWords(gaps: number): string[] {
  return gaps > 0 ? [`${gaps} of the no-ops fill nonces that would be given up below these.`] : []
}

function lateWords(tooLate: number): string[] {
  return tooLate > 0 ? [`For ${tooLate} it is too late: their nonce is spent.`] : []
}

export function previewOneCancellation(context: PreviewContext) {
  const limited = limitReads('previews of one transaction', costlyReadsPerKeyMax)
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND', 'TOO_MANY_READS'],
    operationId: 'previewCancellation',
    summary: 'Preview the effect and cost of canceling one transaction',
    description: 'As the preview of canceling everything pending, for one transaction. Changes nothing.',
    params: transactionParameters,
    response: answers(previewSchema),
    async answer(request) {
      const { relayer_id: relayerId, transaction_id: id } = request.params
      const previewed = await limited(requesterIdOf(request), () => previewOneCommand(context, relayerId, id))
      return success(presentPreview(previewed), inWords(previewed))
    },
  })
}
